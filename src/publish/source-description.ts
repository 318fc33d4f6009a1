import type { ResourceSet } from '../core/resource-set.ts';
import { toUri } from '../core/uris.ts';
import { setPaths } from './document-paths.ts';
import { renderSmallDocument } from './small-document.ts';

/**
 * The Source Description: one entry per set, without `lastmod` (RS-SD-03, RS-SD-07).
 * @param about path of what `describedby` of the whole points to (RS-SD-02)
 */
export function renderSourceDescription(
  baseUrl: string,
  sets: readonly ResourceSet[],
  about: string,
): string {
  return renderSmallDocument({
    baseUrl,
    root: 'urlset',
    links: [{ rel: 'describedby', href: toUri(baseUrl, about) }],
    md: { capability: 'description' },
    entries: sets.map((set) => ({
      loc: toUri(baseUrl, setPaths(set).capabilityList),
      md: { capability: 'capabilitylist' },
      links: [{ rel: 'describedby', href: toUri(baseUrl, setPaths(set).about) }],
    })),
  });
}
