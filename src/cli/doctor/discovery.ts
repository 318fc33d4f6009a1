import type { Config } from '../../core/config/config.ts';
import { type Diagnosis, diagnose } from './diagnosis.ts';
import type { OutsideAnswer, OutsideView } from './outside-answer.ts';

const mostRedirects = 5;

/**
 * Whether those who know nothing but the host find us (ResourceSync, RFC 8615), and whether it is this installation that they find:
 * after a move, or with two on one machine, another bridge may be what answers.
 */
export async function checkDiscovery(
  { baseUrl, sources, sets }: Pick<Config, 'baseUrl' | 'sources' | 'sets'>,
  outside: OutsideView,
  settings: string,
): Promise<readonly Diagnosis[]> {
  const place = `${new URL(baseUrl).origin}/.well-known/resourcesync`;
  const { status, text, leadsTo } = await followed(place, outside);
  const isThere = status === 200 && text.includes('http://www.openarchives.org/rs/terms/');
  const named = setsIn(text, baseUrl);
  const ours = [...Object.keys(sources), ...Object.keys(sets)];
  const isStrange =
    isThere && named.length > 0 && ours.length > 0 && !named.some((name) => ours.includes(name));
  return diagnose(
    'discovery',
    [
      !isThere && {
        severity: 'warning',
        message: `${place} is answered with ${status}${leadsTo === undefined ? '' : ` and leads to ${leadsTo}`}, and not with our Source Description: who knows the host alone does not find it`,
        mend: `pass /.well-known/resourcesync on, too: ${settings}`,
      },
      isStrange && {
        severity: 'warning',
        message: `${place} is answered by another rsbridge, which publishes ${named.slice(0, 3).join(', ')} and none of the sources of this configuration`,
        mend: `end the other one, or correct baseUrl (${baseUrl}) or what passes requests on (${settings}); then: rsbridge serve`,
      },
    ],
    `${place} leads here`,
  );
}

/** Where we are below a path, a redirect of the host's own address is enough: no further than this host, where we may ask. */
async function followed(
  place: string,
  outside: OutsideView,
): Promise<OutsideAnswer & { readonly leadsTo?: string }> {
  let url = place;
  for (let redirects = 0; ; redirects += 1) {
    const answer = await outside.ask(url, { headers: { accept: 'application/xml' } });
    const { location } = answer.headers;
    if (answer.status < 300 || answer.status > 399 || location === undefined) return answer;
    const next = new URL(location, url);
    if (redirects === mostRedirects || next.host !== new URL(place).host)
      return { ...answer, leadsTo: next.href };
    url = next.href;
  }
}

/** Sources, and sets across sources, that a Source Description names; none of an index, which names its parts. */
function setsIn(description: string, baseUrl: string): readonly string[] {
  const names = [...description.matchAll(/<loc>([^<]+)\/capabilitylist\.xml<\/loc>/g)].flatMap(
    ([, address = '']) => {
      if (!address.startsWith(`${baseUrl}/`)) return [];
      const [first = '', second] = address.slice(baseUrl.length + 1).split('/');
      return first === 'sets' && second !== undefined ? [second] : [first];
    },
  );
  return [...new Set(names)];
}
