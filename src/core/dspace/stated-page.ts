import { hasFileEnding, isResolver } from '../addresses/page-address.ts';
import { webUrl } from '../addresses/web-url.ts';
import type { MetadataValue } from './dspace-item.ts';

const filePath = /\/bitstreams?\/|\/retrieve\/|\/download(?:s|\/|$)/i;

/**
 * The item's landing page as its metadata states it, usually by its handle: the first address among the identifiers
 * that is no file, in the order in which DSpace's OAI-PMH endpoint gives them (`dc.identifier`, then those of the
 * registry), so that a source has one page whichever way it is harvested.
 */
export function statedPage(metadata: readonly MetadataValue[]): string | undefined {
  const identifiers = metadata.filter(({ schema, element }) => schema === 'dc' && element === 'identifier');
  const ordered = [
    ...identifiers.filter(({ qualifier }) => qualifier === undefined),
    ...identifiers.filter(({ qualifier }) => qualifier === 'uri'),
    ...identifiers.filter(({ qualifier }) => qualifier !== undefined && qualifier !== 'uri'),
  ];
  for (const { value } of ordered) {
    const url = webUrl(value.trim());
    if (url === undefined) continue;
    const isFile = filePath.test(url.path) || hasFileEnding(url.path);
    if (isResolver(url.host) || !isFile) return url.href;
  }
  return undefined;
}
