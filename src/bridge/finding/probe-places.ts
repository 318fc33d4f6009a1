import type { Bridge } from '../bridge.ts';
import type { SearchPlaces } from './find-any.ts';

/** Of one host: a platform may have hundreds of repositories. */
const atOneHost = 6;

/**
 * Where somebody looks for a repository: with the harvests of all processes. At the host of a source that there is, with
 * no more requests than are configured for it.
 * @param group of the source to be
 */
export function probePlaces(
  { config, gateOf }: Pick<Bridge, 'config' | 'gateOf'>,
  address: string,
  group: string | undefined,
): SearchPlaces & { readonly requestsPerHost: number } {
  const settings: unknown = group === undefined ? undefined : config.groups[group]?.politenessGroup;
  const politenessGroup = typeof settings === 'string' ? settings : undefined;
  const url = address.includes('://') ? address : `https://${address}`;
  const host = URL.canParse(url) ? new URL(url).host : undefined;
  const neighbours = Object.values(config.sources).filter(
    (source) =>
      new URL(source.url).host === host ||
      (politenessGroup !== undefined && source.politenessGroup === politenessGroup),
  );
  const requestsPerHost = Math.min(atOneHost, ...neighbours.map((source) => source.requestsPerHost));
  return { gate: gateOf({ politenessGroup, url }), requestsPerHost };
}
