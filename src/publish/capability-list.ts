import type { ResourceSet } from '../core/resource-set.ts';
import { toUri } from '../core/uris.ts';
import { setPaths, siteDescriptionPath } from './document-paths.ts';
import { renderSmallDocument } from './small-document.ts';

export interface Capability {
  readonly capability: string;
  readonly path: string;
}

/** The Capability List of a set: at most one entry per capability (RS-CAP-05), no `lastmod` (RS-CAP-09). */
export function renderCapabilityList(
  baseUrl: string,
  set: ResourceSet,
  capabilities: readonly Capability[],
): string {
  return renderSmallDocument({
    baseUrl,
    root: 'urlset',
    links: [
      { rel: 'describedby', href: toUri(baseUrl, setPaths(set).about) },
      { rel: 'up', href: toUri(baseUrl, siteDescriptionPath) },
    ],
    md: { capability: 'capabilitylist' },
    entries: capabilities.map(({ capability, path }) => ({ loc: toUri(baseUrl, path), md: { capability } })),
  });
}
