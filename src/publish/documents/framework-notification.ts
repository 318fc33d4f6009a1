import { toUri } from '../../core/uris.ts';
import { renderSmallDocument } from './small-document.ts';

/** A document of ours that there is now, or that is another one now (FN-03). */
export interface DocumentChange {
  readonly path: string;
  readonly capability: string;
  readonly change: 'created' | 'updated' | 'deleted';
  readonly datetime: string;
  /** The path of the index that it is listed in (FN-05). */
  readonly index?: string | undefined;
}

/** @param up path of the Capability List; undefined: what is told of is one, or the Source Description (FN-02) */
export function renderFrameworkNotification(
  baseUrl: string,
  up: string | undefined,
  changes: readonly DocumentChange[],
): string {
  return renderSmallDocument({
    ...{ baseUrl, root: 'urlset', md: { capability: 'framework-notification' } },
    links: up === undefined ? [] : [{ rel: 'up', href: toUri(baseUrl, up) }],
    entries: changes.map(({ path, capability, change, datetime, index }) => ({
      loc: toUri(baseUrl, path),
      md: { change, datetime, capability },
      links: index === undefined ? [] : [{ rel: 'index', href: toUri(baseUrl, index) }],
    })),
  });
}
