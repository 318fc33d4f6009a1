import type { Attributes, DocumentEntry, LinkReading } from './document-model.ts';

/** Printable ASCII, tabs and line feeds: nothing that a parser would have to refuse, decode or replace. */
const simple = /^[\t\n\x20-\x7e]*$/;
/** Of that, what stands for itself between quotes and between tags. */
const literal = /^[ !#-%'-;=?-~]*$/;
const space = /^[\t\n ]*$/;
/** Links behind each other, whole, by what is to become of them and the prefix that they have. */
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
 * @returns undefined where anything else is in it; a parser has to say what
 */
export function readPlainEntry(
  text: string,
  element: 'url' | 'sitemap',
  number: number,
  prefixes: ReadonlySet<string>,
  linkReading: LinkReading = 'now',
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
    unreadLinks: '',
    order: [],
  };
  const end = text.length - element.length - 3;
  let at = element.length + 2;
  for (;;) {
    const start = text.indexOf('<', at);
    if (start !== at && !space.test(text.slice(at, start))) return undefined;
    if (start === end) return entry;
    at = readChild(text, start, entry, prefixes, linkReading);
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
  unreadLinks: string;
  readonly order: string[];
};

/** @returns where it ends, or -1 */
function readChild(
  text: string,
  start: number,
  entry: Draft,
  prefixes: ReadonlySet<string>,
  linkReading: LinkReading,
): number {
  const colon = text.indexOf(':', start);
  const prefix = text.slice(start + 1, colon + 1);
  if (prefixes.has(prefix)) {
    const isLink = text.startsWith('ln ', colon + 1);
    if (!isLink && !text.startsWith('md ', colon + 1)) return -1;
    const behind = isLink ? leaveLinks(text, start, prefix, entry, linkReading) : -1;
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

/** @returns where those that begin here and need not be read end, or -1 */
function leaveLinks(text: string, start: number, prefix: string, entry: Draft, reading: LinkReading): number {
  if (reading === 'now') return -1;
  if (reading === 'left-out') return endOfLinks(text, start, prefix, reading);
  // Later all of them are read, or none.
  const end = entry.links.length > 0 ? -1 : endOfLinks(text, start, prefix, reading);
  const { unreadLinks = '' } = entry;
  if (end !== -1) entry.unreadLinks = unreadLinks + text.slice(start, end);
  else if (unreadLinks !== '') {
    entry.links.push(...readLaterLinks(unreadLinks));
    entry.unreadLinks = '';
  }
  return end;
}

/** Attributes of links that have nothing in them that anybody would have to say. */
const linkAttributes = {
  'left-out': `(?: [A-Za-z_][\\w.-]*="[ !#-%'-;=-~]*")*`,
  // As our own lists have them.
  later: [
    String.raw` rel="(?:[a-z][a-z0-9.-]*|[a-z]+:[\w:/.#-]+)" href="https?://[a-z0-9.-]+(?::\d+)?/[\w~:@!$'()*+,;=/.-]*"`,
    String.raw`(?: hash="sha-256:[0-9a-f]{64}")?(?: length="\d{1,15}")?(?: modified="[\dTZ:.+-]+")?(?: pri="\d{1,6}")?`,
    String.raw`(?: type="[\w/.+-]+")?`,
  ].join(''),
};

/** @returns where those that begin here end, or -1 */
function endOfLinks(
  text: string,
  start: number,
  prefix: string,
  reading: keyof typeof linkAttributes,
): number {
  const name = `${reading} ${prefix}`;
  let form = linkForms.get(name);
  if (form === undefined) {
    if (!plainPrefix.test(prefix)) return -1;
    form = new RegExp(`(?:<${prefix}ln${linkAttributes[reading]} ?/>[\\t\\n ]*)+`, 'y');
    if (linkForms.size >= keptForms) linkForms.clear();
    linkForms.set(name, form);
  }
  form.lastIndex = start;
  return form.test(text) ? form.lastIndex : -1;
}

/** Of what `readPlainEntry` left unread. */
export function readLaterLinks(text: string): readonly Attributes[] {
  const links: Attributes[] = [];
  for (let at = text.indexOf('<'); at !== -1; at = text.indexOf('<', at)) {
    const attributes = new Map<string, string>();
    at = readAttributes(text, text.indexOf(' ', at), attributes);
    links.push(attributes);
  }
  return links;
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
