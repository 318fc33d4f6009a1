import { toDigits } from './datetime.ts';
import { toSegment } from './segment.ts';

/**
 * Every address we publish, as a path below `baseUrl` (design: what the world sees). Paths are stored and
 * passed around; only documents and headers turn them into URIs.
 */

/** First segments that a source cannot be called. */
export const reservedNames: ReadonlySet<string> = new Set([
  'about',
  'api',
  'livez',
  'memento',
  'metrics',
  'oai',
  'readyz',
  'share',
  'static',
  'timegate',
  'timemap',
]);

/**
 * Names of pages of ours, which a source may have had before there was the page: its documents are served beside it. No new source
 * is called so, and none that is private, which would close the page.
 */
export const pageNames: ReadonlySet<string> = new Set(['add', 'admin', 'all', 'search', 'sets']);

/** Where other services send notifications (COAR Notify), if anything is taken. */
export const inboxPath = 'inbox';

/** The generic URI of an item, whatever the format (RS-LN-09): its page. */
export function itemPath(source: string, identifier: string): string {
  return `${source}/items/${toSegment(identifier)}`;
}

/** Of metadata, where nothing else is said. */
export const xmlType = 'application/xml';

export function metadataPath(
  source: string,
  identifier: string,
  format: string,
  mediaType = xmlType,
): string {
  return `${itemPath(source, identifier)}/${toSegment(format)}${endingOf(mediaType)}`;
}

/** Every ending that metadata can have. */
export const metadataEndings = ['.xml', '.json'] as const;

/** Whether there can be metadata at a path; that of a link set looks the same. */
export function mayBeMetadata(path: string): boolean {
  return ofMetadata.test(path) && metadataEndings.some((ending) => path.endsWith(ending));
}

const ofMetadata = /^[^/:]+\/items\/[^/]+\/[^/]+$/;

function endingOf(mediaType: string): (typeof metadataEndings)[number] {
  return /^application\/(?:[^;]+\+)?json$/.test(mediaType) ? '.json' : '.xml';
}

export function filePath(source: string, identifier: string, sequence: number, name: string): string {
  return `${itemPath(source, identifier)}/files/${toSegment(`${sequence}-${name}`)}`;
}

export function collectionPath(source: string, spec: string): string {
  return `${source}/collections/${toSegment(spec)}`;
}

/**
 * The change `seq` of a source's journal as a patch of the version before (RS-LN-10). The beginning of its hash
 * makes the address that of these bytes, even if the journal should begin anew.
 * @param hash `sha-256:…` of the patch
 */
export function patchPath(source: string, seq: number, hash: string): string {
  return `${source}/patches/${seq}-${hash.slice(hash.indexOf(':') + 1).slice(0, 16)}.xml`;
}

/** Of the resource at a URI, whoever's it is (RFC 7089): its TimeGate, which leads to what it was. */
export function timeGateUri(baseUrl: string, uri: string): string {
  return `${baseUrl}/timegate/${uri}`;
}

/** Media type of a TimeMap that every client reads (TM-03). */
export const linkFormat = 'application/link-format';

export const timeMapForms = ['link', 'json', 'html'] as const;
export type TimeMapForm = (typeof timeMapForms)[number];

/** @param page from 1 */
export function timeMapUri(baseUrl: string, uri: string, form: TimeMapForm = 'link', page = 1): string {
  return `${baseUrl}/timemap/${form}/${page > 1 ? `${page}/` : ''}${uri}`;
}

/** @param datetime ISO; its `Memento-Datetime` */
export function mementoUri(baseUrl: string, uri: string, datetime: string): string {
  return `${baseUrl}/memento/${toDigits(datetime)}/${uri}`;
}

const absolute = /^[A-Za-z][A-Za-z0-9+.-]*:/;

/** Whether an address belongs to another server: a file in mode `link` has its own for its path. */
export function isAbsolute(href: string): boolean {
  return absolute.test(href);
}

/** The URI of a stored href: absolute ones as they are, paths below `baseUrl`. */
export function toUri(baseUrl: string, href: string): string {
  return isAbsolute(href) ? href : `${baseUrl}/${href}`;
}
