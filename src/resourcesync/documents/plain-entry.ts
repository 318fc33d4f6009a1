import type { Attributes, DocumentEntry } from './document-model.ts';

/** Printable ASCII, tabs and line feeds: nothing that a parser would have to refuse, decode or replace. */
const simple = /^[\t\n\x20-\x7e]*$/;
/** Of that, what stands for itself between quotes and between tags. */
const literal = /^[ !#-%'-;=?-~]*$/;
const space = /^[\t\n ]*$/;
/** Links behind each other, whole, by the prefix that they have. */
const linkForms = new Map<string, RegExp>();
const keptForms = 20;
const plainPrefix = /^[\w-]+:$/;
const textElements = new Set(['loc', 'lastmod', 'changefreq', 'priority']);
const nameForm = /^[A-Za-z_][A-Za-z0-9_.-]*$/;
const knownNames = new Set([
  ...['rel', 'href', 'hash', 'length', 'type', 'change', 'datetime', 'capability', 'path', 'encoding'],
  ...['at', 'completed', 'from', 'until', 'modified', 'pri'],
]);

/**
 * Reads an entry as nearly all are written, from its first to its last character, without a parser: elements of the
 * Sitemap schema with text alone, empty elements of ResourceSync, attributes in double quotes. A parser takes four
 * times as long.
 * @param number of the entry
 * @param prefixes of the ResourceSync namespace, each with its colon; that of the Sitemap schema has none
 * @param withoutLinks links are not asked for
 * @returns undefined where anything else is in it; a parser has to say what
 */
export function readPlainEntry(
  text: string,
  element: 'url' | 'sitemap',
  number: number,
  prefixes: ReadonlySet<string>,
  withoutLinks = false,
): DocumentEntry | undefined {
  const entry: Draft = {
    number,
    element,
    attributes: [],
    locs: [],
    lastmods: [],
    changefreqs: [],
    priorities: [],
    md: [],
    links: [],
    order: [],
  };
  const end = text.length - element.length - 3;
  let at = element.length + 2;
  for (;;) {
    const start = text.indexOf('<', at);
    if (start !== at && !space.test(text.slice(at, start))) return undefined;
    if (start === end) return entry;
    at = readChild(text, start, entry, prefixes, withoutLinks);
    if (at === -1) return undefined;
  }
}

type Draft = DocumentEntry & {
  readonly locs: string[];
  readonly lastmods: string[];
  readonly changefreqs: string[];
  readonly priorities: string[];
  readonly md: Attributes[];
  readonly links: Attributes[];
  readonly order: string[];
};

/** @returns where it ends, or -1 */
function readChild(
  text: string,
  start: number,
  entry: Draft,
  prefixes: ReadonlySet<string>,
  withoutLinks: boolean,
): number {
  const colon = text.indexOf(':', start);
  const prefix = text.slice(start + 1, colon + 1);
  if (prefixes.has(prefix)) {
    const isLink = text.startsWith('ln ', colon + 1);
    if (!isLink && !text.startsWith('md ', colon + 1)) return -1;
    const behind = isLink && withoutLinks ? endOfLinks(text, start, prefix) : -1;
    if (behind !== -1) return behind;
    const attributes = new Map<string, string>();
    const end = readAttributes(text, colon + 3, attributes);
    if (end === -1) return -1;
    if (isLink) entry.links.push(attributes);
    else entry.md.push(attributes);
    entry.order.push(isLink ? 'ln' : 'md');
    return end;
  }
  const close = text.indexOf('>', start);
  const name = text.slice(start + 1, close);
  if (!textElements.has(name)) return -1;
  const end = text.indexOf('<', close);
  if (!text.startsWith(`</${name}>`, end)) return -1;
  const value = decode(text.slice(close + 1, end), true);
  if (value === undefined) return -1;
  textsOf(entry, name).push(value.trim());
  entry.order.push(name);
  return end + name.length + 3;
}

/** @returns where those that begin here end, or -1 */
function endOfLinks(text: string, start: number, prefix: string): number {
  let form = linkForms.get(prefix);
  if (form === undefined) {
    if (!plainPrefix.test(prefix)) return -1;
    form = new RegExp(`(?:<${prefix}ln(?: [A-Za-z_][\\w.-]*="[ !#-%'-;=-~]*")* ?/>[\\t\\n ]*)+`, 'y');
    if (linkForms.size >= keptForms) linkForms.clear();
    linkForms.set(prefix, form);
  }
  form.lastIndex = start;
  return form.test(text) ? form.lastIndex : -1;
}

function textsOf(entry: Draft, name: string): string[] {
  if (name === 'loc') return entry.locs;
  if (name === 'lastmod') return entry.lastmods;
  return name === 'changefreq' ? entry.changefreqs : entry.priorities;
}

/** From the space behind the element's name on. @returns where the empty element ends, or -1 */
function readAttributes(text: string, from: number, attributes: Map<string, string>): number {
  let at = from;
  while (text.charCodeAt(at) === spaceCode) {
    if (text.startsWith('/>', at + 1)) return at + 3;
    const equals = text.indexOf('="', at);
    if (equals === -1) return -1;
    const end = text.indexOf('"', equals + 2);
    if (end === -1) return -1;
    const name = text.slice(at + 1, equals);
    const value = decode(text.slice(equals + 2, end), false);
    if (value === undefined) return -1;
    if (!knownNames.has(name) && (!nameForm.test(name) || name === 'xmlns')) return -1;
    const before = attributes.size;
    attributes.set(name, value);
    if (attributes.size === before) return -1;
    at = end + 1;
  }
  return text.startsWith('/>', at) ? at + 2 : -1;
}

const spaceCode = 0x20;
const separators = /[\t\n]/;
const predefined: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
};

/** What stands between tags or quotes. @returns undefined where it is more than text and the entities of XML */
function decode(value: string, isText: boolean): string | undefined {
  if (literal.test(value)) return value;
  if (!simple.test(value) || value.includes('<')) return undefined;
  // A parser makes spaces of what separates lines and columns in an attribute.
  if (isText ? value.includes('>') : separators.test(value)) return undefined;
  if (!value.includes('&')) return value;
  let foreign = false;
  const decoded = value.replace(/&[^&;]*;?/g, (entity) => {
    const character = predefined[entity];
    foreign ||= character === undefined;
    return character ?? '';
  });
  return foreign ? undefined : decoded;
}
