import type { FastifyRequest } from 'fastify';
import type { ServerDeps } from '../../deps.ts';

/** What a request says of the page that it came from. */
export type Provenance = 'own' | 'foreign' | 'unsaid';

/**
 * Whether a page of ours sent it. Browsers say so in `Sec-Fetch-Site`, older ones and those without https only in
 * `Origin`; other programs say nothing, and have no session that somebody else could borrow.
 */
export function provenanceOf(
  { baseUrl }: Pick<ServerDeps, 'baseUrl'>,
  { headers }: Pick<FastifyRequest, 'headers'>,
): Provenance {
  const { origin, host } = headers;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return 'foreign';
  if (origin !== undefined) {
    if (!URL.canParse(origin)) return 'foreign';
    const from = new URL(origin);
    const isOwn = from.origin === new URL(baseUrl).origin || (host !== undefined && from.host === host);
    return isOwn ? 'own' : 'foreign';
  }
  return site === undefined ? 'unsaid' : 'own';
}
