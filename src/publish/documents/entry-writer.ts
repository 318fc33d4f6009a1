import type { ChangeKind, Link, Representation, ResourceKind } from '../../core/resource.ts';
import type { Mirror, ResourceSet } from '../../core/resource-set.ts';
import { rsNamespace, sitemapNamespace } from '../../core/sitemap.ts';
import { isAbsolute, linkFormat, mementoUri, timeGateUri, timeMapUri, toUri } from '../../core/uris.ts';
import type { SharedLinks } from '../../store/rows/link-forms.ts';
import { aboutPath } from './document-paths.ts';
import { renderFormedLinks } from './link-template.ts';
import { renderLink, renderStoredLinks } from './link-writer.ts';
import { stylesheetInstruction } from './stylesheet-instruction.ts';
import { escapeUri, escapeXml } from './xml-text.ts';

/**
 * `<url>` entries as text, for lists of 50,000: a DOM would need twenty times as long (docs: design, numbers).
 * A property test holds this and xmlbuilder2 to the same bytes. One entry is one line.
 */

export const listTail = '</urlset>\n';

export interface ListEntry extends Representation {
  readonly kind: ResourceKind;
  /** Below `baseUrl`; of a file that is only linked to, its own URL. */
  readonly path: string;
  /** Said where the set is one across sources. */
  readonly source?: string | undefined;
  readonly lastmod?: string;
  readonly links: readonly Link[];
  /** Change Lists only. */
  readonly change?: ChangeKind;
  readonly datetime?: string;
  /** Manifests only: where in the package, from `/` on. */
  readonly packagePath?: string;
}

/** The same, with its links as they are stored. */
export type StoredEntry = Omit<ListEntry, 'links'> & { readonly links: SharedLinks };

/**
 * What a set adds to the links of its entries: copies (RS-LN-03…05) and mementos (RS-LN-18…24). Where the configuration
 * changes them, what is written from then on is different: the next Resource List, new changes, the flat list as a whole.
 * Closed Change Lists stay (RS-TIME-09).
 */
export type EntryLinks = Pick<ResourceSet, 'mirrors' | 'mementos' | 'members'>;

/** A text that differs wherever a set's entries are other bytes: the configuration may change, documents stay. */
export function entryForm({ mirrors, mementos, members }: EntryLinks): string {
  const usual = JSON.stringify({ mirrors: [], mementos: 'metadata' });
  const others = members?.flatMap((member): [string, string][] => {
    const form = entryForm({ mirrors: member.mirrors, mementos: member.mementos });
    return form === usual ? [] : [[member.source, form]];
  });
  // A source that joins changes nothing for the others.
  return JSON.stringify({ mirrors, mementos, ...(others && others.length > 0 ? { others } : {}) });
}

/** Of a set across sources each entry has what its source has. */
function linksOf(set: EntryLinks, source: string | undefined): EntryLinks {
  if (!set.members || source === undefined) return set;
  const known = bySource.get(set.members) ?? new Map(set.members.map((member) => [member.source, member]));
  bySource.set(set.members, known);
  return known.get(source) ?? set;
}

const bySource = new WeakMap<readonly ResourceSet[], ReadonlyMap<string, EntryLinks>>();

/** RS-GEN-20: `loc, lastmod, rs:md, rs:ln*`. */
export function renderEntry(baseUrl: string, entry: ListEntry | StoredEntry, set: EntryLinks): string {
  const { mirrors, mementos } = linksOf(set, entry.source);
  const loc = toUri(baseUrl, entry.path);
  const ascii = escapeUri(loc);
  let text = `<url><loc>${ascii}</loc>`;
  const lastmod = entry.lastmod === undefined ? undefined : escapeXml(entry.lastmod);
  if (lastmod !== undefined) text += `<lastmod>${lastmod}</lastmod>`;
  const isGone = entry.change === 'deleted';
  // What was deleted has no representation; a hash of the last one would only mislead.
  const hash = isGone || entry.hash === undefined ? '' : ` hash="${escapeXml(entry.hash)}"`;
  const length = isGone || entry.length === undefined ? '' : ` length="${entry.length}"`;
  const type = isGone || entry.mediaType === undefined ? '' : ` type="${escapeXml(entry.mediaType)}"`;
  let md = '';
  if (entry.change !== undefined) md += ` change="${entry.change}"`;
  if (entry.datetime !== undefined) md += ` datetime="${escapeXml(entry.datetime)}"`;
  md += hash + length + type;
  if (entry.packagePath !== undefined) md += ` path="${escapeXml(entry.packagePath)}"`;
  if (md !== '') text += `<rs:md${md}/>`;
  if (typeof entry.links === 'string') text += renderStoredLinks(baseUrl, entry.links, loc);
  else if ('form' in entry.links) text += renderFormedLinks(baseUrl, entry.links, entry.path, loc);
  else for (const link of entry.links) text += renderLink(baseUrl, link, loc);
  // Where it comes from: a set across sources says so of each.
  if (entry.source !== undefined)
    text += renderLink(baseUrl, { rel: 'collection', href: aboutPath(entry.source) }, loc);
  if (!isGone) {
    for (const link of duplicates(mirrors, entry.path)) text += renderLink(baseUrl, link, loc);
  }
  if (hasMementos(entry, mementos)) {
    const base = escapeBase(baseUrl);
    if (!isGone && entry.lastmod !== undefined) {
      const href = mementoUri(base, ascii, entry.lastmod);
      text += `<rs:ln rel="memento" href="${href}"${hash}${length} modified="${lastmod}"${type}/>`;
    }
    text += `<rs:ln rel="timegate" href="${timeGateUri(base, ascii)}"/>`;
    text += `<rs:ln rel="timemap" href="${timeMapUri(base, ascii)}" type="${linkFormat}"/>`;
  }
  return `${text}</url>\n`;
}

let lastBase = { of: '', text: '' };

/** There is one in a process. */
function escapeBase(baseUrl: string): string {
  if (lastBase.of !== baseUrl) lastBase = { of: baseUrl, text: escapeUri(baseUrl) };
  return lastBase.text;
}

/** Of files only what we keep ourselves has a past; and only as long as it is there. */
function hasMementos(
  { kind, path, hash, change }: ListEntry | StoredEntry,
  mementos: ResourceSet['mementos'],
): boolean {
  if (kind === 'metadata') return mementos !== 'none';
  return (
    mementos === 'all' && change !== 'deleted' && !isAbsolute(path) && hash?.startsWith('sha-256:') === true
  );
}

/**
 * Hash, length and type are those of the resource itself, and not said again (RS-LN-05). A copy of the publication
 * has what is below `baseUrl`, not what is elsewhere.
 */
export function duplicates(mirrors: readonly Mirror[], path: string): readonly Link[] {
  if (isAbsolute(path)) return [];
  return mirrors.map(({ url, pri }) => ({
    rel: 'duplicate',
    href: `${url.replace(/\/+$/, '')}/${path}`,
    ...(pri === undefined ? {} : { pri }),
  }));
}

export interface ListHead {
  readonly baseUrl: string;
  readonly capability:
    | 'resourcelist'
    | 'changelist'
    | 'resourcedump'
    | 'changedump'
    | 'resourcedump-manifest'
    | 'changedump-manifest'
    | 'change-notification';
  /** URI of the Capability List (RS-NAV-01). */
  readonly up: string;
  /** URI of the index, if the list is under one (RS-NAV-03). */
  readonly index?: string | undefined;
  readonly at?: string | undefined;
  readonly completed?: string | undefined;
  readonly from?: string | undefined;
  readonly until?: string | undefined;
}

/** Everything before the first entry (RS-GEN-20). */
export function renderListHead(head: ListHead): string {
  let text = '<?xml version="1.0" encoding="UTF-8"?>\n';
  text += `<?xml-stylesheet ${stylesheetInstruction(head.baseUrl)}?>\n`;
  text += `<urlset xmlns="${sitemapNamespace}" xmlns:rs="${rsNamespace}">\n`;
  text += `<rs:ln rel="up" href="${escapeUri(head.up)}"/>\n`;
  if (head.index !== undefined) text += `<rs:ln rel="index" href="${escapeUri(head.index)}"/>\n`;
  text += `<rs:md capability="${head.capability}"`;
  for (const name of ['at', 'completed', 'from', 'until'] as const) {
    const value = head[name];
    if (value !== undefined) text += ` ${name}="${escapeXml(value)}"`;
  }
  return `${text}/>\n`;
}
