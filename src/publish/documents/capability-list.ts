import type { ResourceSet } from '../../core/resource-set.ts';
import { toUri } from '../../core/uris.ts';
import { setPaths, siteDescriptionPath } from './document-paths.ts';
import { renderSmallDocument } from './small-document.ts';

export interface Capability {
  readonly capability: string;
  readonly path: string;
  /** Of a channel: where it can be subscribed to (CN-11, FN-10). */
  readonly hubs?: readonly string[] | undefined;
}

/**
 * The Capability List of a set: at most one entry per capability (RS-CAP-05), no `lastmod` (RS-CAP-09).
 * @param up path of the Source Description that it is listed in
 */
export function renderCapabilityList(
  baseUrl: string,
  set: ResourceSet,
  capabilities: readonly Capability[],
  up: string = siteDescriptionPath,
): string {
  return renderSmallDocument({
    baseUrl,
    root: 'urlset',
    links: [
      { rel: 'describedby', href: toUri(baseUrl, setPaths(set).about) },
      { rel: 'up', href: toUri(baseUrl, up) },
    ],
    md: { capability: 'capabilitylist' },
    entries: capabilities.map(({ capability, path, hubs }) => ({
      loc: toUri(baseUrl, path),
      md: { capability },
      ...(hubs && { links: hubs.map((href) => ({ rel: 'hub', href })) }),
    })),
  });
}
