import type { Limits } from '../../core/sitemap.ts';
import { toUri } from '../../core/uris.ts';
import type { Documents, StoredDocument } from '../disk/pointer.ts';
import { totalLength } from '../disk/slices.ts';
import { listTail, renderListHead } from '../documents/entry-writer.ts';
import { type ListTimes, renderListIndex } from '../documents/list-index.ts';
import { escapeUri, escapeXml } from '../documents/xml-text.ts';
import { manifestPath } from './dump-paths.ts';
import { packageHash, packageMediaType } from './package-writer.ts';

export interface DumpListSettings {
  readonly baseUrl: string;
  readonly capability: 'resourcedump' | 'changedump';
  /** Path of the Capability List. */
  readonly up: string;
  /** Path of the document; of the index, where one is not enough. */
  readonly path: string;
  readonly partPath: (number: number) => string;
  readonly limits: Limits;
  /** Of the whole dump. */
  readonly times: ListTimes;
  /** Of a document with these of its packages. */
  readonly partTimes: (packages: readonly StoredDocument[], last: boolean) => ListTimes;
}

export interface RenderedDumpList {
  /** The dump, or the index of several (RS-RDI-01, RS-CDI-01). */
  readonly text: string;
  /** Where one document was not enough. */
  readonly parts: readonly RenderedDumpPart[];
}

export interface RenderedDumpPart {
  readonly path: string;
  readonly text: string;
  readonly entries: number;
  readonly times: ListTimes;
}

interface Group {
  readonly packages: StoredDocument[];
  text: string;
}

/**
 * The documents of a dump: one entry for each package, in the order given.
 * @param documents packages; their manifests may be among them
 */
export function renderDumpList(documents: Documents, settings: DumpListSettings): RenderedDumpList {
  const { baseUrl, capability, up, path, partPath, times } = settings;
  const groups = groupPackages(documents, settings);
  const head = (own: ListTimes, index?: string) =>
    renderListHead({ baseUrl, capability, up: toUri(baseUrl, up), index, ...own });
  const [only, ...others] = groups;
  if (only && others.length === 0) return { text: head(times) + only.text + listTail, parts: [] };
  const parts = groups.map(({ packages, text }, index) => {
    const own = settings.partTimes(packages, index === groups.length - 1);
    const whole = head(own, toUri(baseUrl, path)) + text + listTail;
    return { path: partPath(index + 1), text: whole, entries: packages.length, times: own };
  });
  const members = parts.map((part) => ({ path: part.path, ...part.times }));
  const text = renderListIndex(baseUrl, { capability, up, times, members });
  return { text, parts };
}

/** More than any head and tail. */
const frameBytes = 16_384;

/** As few groups as the limits allow; at least one, which may be empty. */
function groupPackages(
  documents: Documents,
  { baseUrl, limits }: Pick<DumpListSettings, 'baseUrl' | 'limits'>,
): readonly Group[] {
  let group: Group = { packages: [], text: '' };
  const groups = [group];
  for (const [path, document] of Object.entries(documents)) {
    if (document.mediaType !== packageMediaType) continue;
    const text = renderPackage(baseUrl, path, document);
    // All of it is ASCII.
    const bytes = group.text.length + text.length + frameBytes;
    if (group.packages.length > 0 && (group.packages.length >= limits.entries || bytes > limits.bytes)) {
      group = { packages: [], text: '' };
      groups.push(group);
    }
    group.packages.push(document);
    group.text += text;
  }
  return groups;
}

/** RS-RD-06…12, RS-CD-05…09 */
function renderPackage(baseUrl: string, path: string, document: StoredDocument): string {
  const { at, from, until, mediaType, plain } = document;
  const hash = packageHash(document);
  const md = { at, from, until, hash, length: totalLength(plain.slices), type: mediaType };
  let attributes = '';
  for (const [name, value] of Object.entries(md)) {
    if (value !== undefined) attributes += ` ${name}="${escapeXml(String(value))}"`;
  }
  const [loc, contents] = [path, manifestPath(path)].map((below) => escapeUri(toUri(baseUrl, below)));
  const link = `<rs:ln rel="contents" href="${contents}" type="application/xml"/>`;
  return `<url><loc>${loc}</loc><rs:md${attributes}/>${link}</url>\n`;
}
