import { toIso } from '../../core/datetime.ts';
import type { ServedResource } from '../../store/reading/resources.ts';
import type { ServerDeps } from '../deps.ts';
import { keptRepresentation } from '../files/kept-content.ts';
import type { ServedRepresentation } from '../http/representation.ts';
import type { Grounds } from '../repeated/grounds.ts';

/** Living metadata, whose bytes we keep. @param link its Link field */
export function metadataOf(
  deps: Pick<ServerDeps, 'database' | 'directory'>,
  { path, hash, length, mediaType, lastmod: lastModified }: ServedResource,
  link: string | undefined,
): ServedRepresentation {
  const content = { path, hash, length, mediaType, lastModified };
  return keptRepresentation(deps, content, { cacheControl: 'no-cache', link });
}

/**
 * By itself, so that what waits to be asked holds on to nothing else of the request.
 * @returns undefined: it is not known how long the answer holds
 */
export function groundsOfResource(
  { clock }: Pick<ServerDeps, 'clock'>,
  lastmod: string,
  isConfigured: () => boolean,
  isRead: (() => boolean) | undefined,
): Grounds | undefined {
  const hasBegun = () => lastmod <= toIso(clock.now());
  if (!isRead || !hasBegun()) return undefined;
  const hold = () => hasBegun() && isConfigured() && isRead();
  return { operationId: 'getResource', hold };
}
