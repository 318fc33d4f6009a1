import type { ResourceSet } from '../../core/resource-set.ts';
import { toUri } from '../../core/uris.ts';
import { setPaths } from './document-paths.ts';
import { renderSmallDocument } from './small-document.ts';

/** The index of several Source Descriptions (RS-SD-08). @param parts their paths */
export function renderSourceDescriptionIndex(
  baseUrl: string,
  parts: readonly string[],
  about: string,
): string {
  return renderSmallDocument({
    baseUrl,
    root: 'sitemapindex',
    links: [{ rel: 'describedby', href: toUri(baseUrl, about) }],
    md: { capability: 'description' },
    entries: parts.map((path) => ({ loc: toUri(baseUrl, path), md: { capability: 'description' } })),
  });
}

/**
 * The Source Description: one entry per set, without `lastmod` (RS-SD-03, RS-SD-07).
 * @param about path of what `describedby` of the whole points to (RS-SD-02)
 * @param list which Capability List of a set it names
 */
export function renderSourceDescription(
  baseUrl: string,
  sets: readonly ResourceSet[],
  about: string,
  list: 'capabilityList' | 'listsOnly' = 'capabilityList',
): string {
  return renderSmallDocument({
    baseUrl,
    root: 'urlset',
    links: [{ rel: 'describedby', href: toUri(baseUrl, about) }],
    md: { capability: 'description' },
    entries: sets.map((set) => ({
      loc: toUri(baseUrl, setPaths(set)[list]),
      md: { capability: 'capabilitylist' },
      links: [{ rel: 'describedby', href: toUri(baseUrl, setPaths(set).about) }],
    })),
  });
}
