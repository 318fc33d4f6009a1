import type { FileAccess } from '../../../../src/core/adapter.ts';
import { siteOf } from '../../../../src/core/addresses/site.ts';
import type { WebUrl } from '../../../../src/core/addresses/web-url.ts';
import type { Extractor } from '../reading/extractor.ts';
import { fileUrl } from '../reading/file-url.ts';
import type { StatedFile } from '../reading/found-files.ts';
import { isPreview, isRepositoryFile, looksLikeFile } from '../reading/link-kinds.ts';
import { isPageType, readMediaType } from '../reading/media-type.ts';
import { isResolver } from '../reading/resolver-hosts.ts';
import { embargo, readAccess, readAvailableAt, type StatedAccess } from '../reading/stated-access.ts';

/** Where people put links to files, for want of an element of their own. */
const linking: ReadonlySet<string> = new Set([
  'identifier',
  'relation',
  'source',
  'hasFormat',
  'link',
  'fulltext-url',
  'isFormatOf',
  'hasPart',
]);

/** A URL with its entities; what is longer is dropped anyway. */
const maximumLink = 4_096;

/** How ARNO and EPrints 2 write a format: `application/pdf, http://…`, `pdf http://…`. */
const typedLink = /^([\w.+/-]{1,100})[,;]?\s+(https?:\/\/\S+)$/i;

interface Link {
  readonly element: string;
  readonly url: WebUrl;
}

/**
 * Simple and qualified Dublin Core in all their wrappings: nothing says what is a file, so only links that look like
 * one by what repository software makes of them.
 */
export const dublinCore: Extractor = (found) => {
  const links: Link[] = [];
  const formats: string[] = [];
  const typed: StatedFile[] = [];
  let rights: FileAccess | undefined;
  let embargoEnd: string | undefined;
  let available: string | undefined;
  let version: string | undefined;
  return {
    close: (element, text) => {
      // DSpace's own form says it in attributes: `<dim:field element="identifier" qualifier="uri">`.
      const name = element.local === 'field' ? (element.attribute('element') ?? '') : element.local;
      // Finnish research data: `<dct:hasFormat><fp:File rdf:about="…">`.
      const about = element.local === 'File' && element.parent?.local === 'hasFormat';
      const value = text || element.attribute(about ? 'about' : 'resource') || '';
      if (value === '') return;
      if (about || linking.has(name)) {
        if (!/^https?:/i.test(value) || element.attribute('linktype') === 'thumbnail') return;
        for (const address of addressesIn(value)) {
          const url = fileUrl(address);
          if (url !== undefined) links.push({ element: about ? 'hasFormat' : name, url });
        }
      } else if (name === 'format' || name === 'medium') {
        const [, mediaType, url] = typedLink.exec(value) ?? [];
        if (mediaType !== undefined && url !== undefined) typed.push({ url, mediaType });
        else if (value.includes('/')) formats.push(value);
      } else if (name === 'rights' || name === 'accessRights') rights ??= readAccess(value);
      else if (name === 'date' && /embargoEnd/i.test(value)) embargoEnd ??= value;
      else if (name === 'available') available ??= value;
      else if (name === 'type' && /^info:eu-repo\/semantics\/\w+Version$/.test(value)) version ??= value;
    },
    end: () => {
      const access = accessOf(rights, embargoEnd ?? available);
      for (const file of typed) {
        const url = fileUrl(file.url);
        const isPage = url === undefined || isPreview(url) || isPageType(readMediaType(file.mediaType));
        if (!isPage) found.add({ ...file, access, version });
      }
      const own = ownSites(links);
      const files = links.filter((link) => isFile(link, own)).map(({ url }) => url.href);
      // One format says what one file is; of several nobody knows which is which.
      const mediaType = new Set(files).size === 1 && formats.length === 1 ? formats[0] : undefined;
      for (const url of files) found.add({ url, mediaType, access, version });
    },
  };
};

/** Some write all their links into one value: `http://….pdf;http://….pdf`, or with blanks or commas between. */
function addressesIn(value: string): readonly string[] {
  if (value.indexOf('://') === value.lastIndexOf('://')) return [value];
  return value.split(/[\s;,|](?=https?:\/\/)/i).map((address) => address.replace(/[\s;,|]{1,4}$/, ''));
}

/** A relation or part may be another work; a file of this one lies on the work's own site. */
function isFile({ element, url }: Link, own: ReadonlySet<string> | 'any'): boolean {
  if (!looksLikeFile(url)) return false;
  if ((element !== 'relation' && element !== 'hasPart') || isRepositoryFile(url)) return true;
  return own === 'any' || own.has(siteOf(url.host));
}

/**
 * The sites of the identifiers. Where all of them are resolvers' (a handle, a DOI), the sites of the pages among the
 * relations. In the Directory of Open Access Journals relations lead to the publisher's copy, wherever that is.
 */
function ownSites(links: readonly Link[]): ReadonlySet<string> | 'any' {
  const sites = (element: string) =>
    links
      .filter((link) => link.element === element && !isResolver(link.url.host))
      .filter(({ url }) => element === 'identifier' || !looksLikeFile(url))
      .map(({ url }) => siteOf(url.host));
  const own = new Set(sites('identifier'));
  if (own.has('doaj.org')) return 'any';
  return own.size > 0 ? own : new Set(sites('relation'));
}

function accessOf(rights: FileAccess | undefined, end: string | undefined): StatedAccess | undefined {
  return rights === 'embargoed' ? embargo(readAvailableAt(end)) : rights && { access: rights };
}

/**
 * Whether a value in the bytes may be a link to a file: most records of Dublin Core have none, and all records come
 * this way. Errs on the side of reading.
 */
export function mayLinkFiles(payload: Uint8Array | string): boolean {
  const text =
    typeof payload === 'string'
      ? payload
      : Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).toString('latin1');
  // Behind the start tag of the root: its namespaces and schemas are links, but never files.
  let at = text.indexOf('>');
  while (at >= 0) {
    at = text.indexOf('://', at + 1);
    if (at < 0) return false;
    const place = placeOf(text, at);
    if (place === 'behind a word') return true;
    if (place === 'prose') continue;
    let end = text.indexOf('<', at);
    if (end < 0) end = text.length;
    if (fileLike.test(text.slice(at, Math.min(end, at + maximumLink)))) return true;
    at = end;
  }
  return false;
}

/** Whether a value starts with the link whose `://` is at `colon`, or with a word before it; no links in prose. */
function placeOf(text: string, colon: number): 'value' | 'behind a word' | 'prose' {
  const behind = skipBack(text, skipBack(text, colon - 1, letter), blank);
  if (valueStart.test(text.slice(Math.max(0, behind - 20), behind + 1))) return 'value';
  const word = skipBack(text, behind, wordCharacter);
  if (word === behind) return 'prose';
  return /[>[]/.test(text[skipBack(text, word, blank)] ?? '') ? 'behind a word' : 'prose';
}

/** A tag, CDATA, the attributes that hold URLs in RDF, and character references, which may stand for blanks. */
const valueStart = /(?:[>[]|(?:about|resource)\s*=\s*["']|&#x?[\da-f]{1,6};)$/i;
const letter = /[a-z]/i;
const blank = /\s/;
const wordCharacter = /[\w.+/,;-]/;
const maximumSkip = 200;

function skipBack(text: string, from: number, what: RegExp): number {
  let at = from;
  while (at >= 0 && from - at < maximumSkip && what.test(text[at] ?? '')) at -= 1;
  return at;
}

/** A superset of what `looksLikeFile` accepts: an ending, or a word that every such path has. */
const fileLike =
  /\.(?:[a-z][a-z0-9]{0,6}|7z)(?:[?#&;\s\]]|$)|bitstream|download|viewfile|files?\/|article|preprint|catalog|cgi|datafile|datastream|objectstore|retrieve\/|getfile|attachment\d|MCRFileNode|[/_]pdf[/?<\s]|[/_]pdf$|portalfiles|frontdoor|smash\/get|document\/|\/document|component\/|repository_|[?;][\w.[\]%-]{1,64}=/i;
