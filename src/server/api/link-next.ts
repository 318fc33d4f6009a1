import type { FastifyReply } from 'fastify';
import type { ServerDeps } from '../deps.ts';

/** Where there is more (RFC 8288). @param query undefined: there is no more */
export function linkNext(
  { baseUrl }: Pick<ServerDeps, 'baseUrl'>,
  reply: FastifyReply,
  path: string,
  query: object | undefined,
): void {
  if (!query) return;
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== undefined) params.set(key, String(value));
  reply.header('link', `<${baseUrl}${path}?${params}>; rel="next"`);
}
