import { hash } from 'node:crypto';
import type { Link } from '../../core/resource.ts';
import { encodeSegment, fromSegment } from '../../core/segment.ts';

/**
 * The links of a resource without what is its own: its path, its identifier, and addresses that have neither. The
 * records of a repository have few forms between them, one for each combination of collections; a form is kept once
 * (`link-forms.ts`), and a resource has its key and those addresses.
 */
export interface LinkForm {
  /** JSON, with `\u0001` to `\u0004` where something of the resource belongs. */
  readonly form: string;
  /** What no form has, one a line. */
  readonly rest: string;
}

/** Indexes of databases hold no keys of any length, and what is longer has little in common with others. */
const longestForm = 2_000;
const keyLength = 8;
const isAlnum = /[A-Za-z0-9]/;

/** Of these all that is in them is shared. */
const shared = new Set(['collection', 'profile', 'license', 'type']);

/** @returns undefined where they are to be kept as they are */
export function toForm(links: string, path: string): LinkForm | undefined {
  if (links.length < 40 || links.startsWith('#') || links.includes('\\')) return undefined;
  const rest: string[] = [];
  const own = ownOf(path);
  const form = plainForm(links, own, rest) ?? parsedForm(links, own, rest);
  if (form === undefined || form.length > longestForm) return undefined;
  const found = { form, rest: rest.join('\n') };
  return isFormOf(links, found, own) ? found : undefined;
}

/** Whether `fromForm` comes to these links, without making a text of it. */
function isFormOf(links: string, { form, rest }: LinkForm, own: Own): boolean {
  let at = 0;
  for (const part of partsOf(form, rest, own)) {
    if (!links.startsWith(part, at)) return false;
    at += part.length;
  }
  return at === links.length;
}

const linkStart = '{"rel":"';
const hrefStart = '","href":"';

/**
 * As `parsedForm`, in text without a backslash: each quotation mark is one of JSON's own.
 * @returns undefined where links are not written as they usually are
 */
function plainForm(links: string, own: Own, rest: string[]): string | undefined {
  let form = '';
  /** What lies before is in the form. */
  let formed = 0;
  let at = 1;
  const tried: string[] = [];
  while (links.startsWith(linkStart, at)) {
    const relEnd = links.indexOf('"', at + linkStart.length);
    if (!links.startsWith(hrefStart, relEnd)) return undefined;
    const from = relEnd + hrefStart.length;
    const to = links.indexOf('"', from);
    const end = links.indexOf('}', to);
    if (to < 0 || end < 0) return undefined;
    // A type, perhaps; what has more is looked at as a whole.
    if (end > to + 1 && !/^","type":"[^"{}]*"\}$/.test(links.slice(to, end + 1))) return undefined;
    if (!shared.has(links.slice(at + linkStart.length, relEnd))) {
      form += links.slice(formed, from) + escaped(hrefForm(links.slice(from, to), own, tried));
      formed = to;
    }
    at = end + 1;
    if (links[at] === ']' && at === links.length - 1) {
      rest.push(...tried);
      return form + links.slice(formed);
    }
    if (links[at] !== ',') return undefined;
    at += 1;
  }
  return undefined;
}

/** Where something of the resource belongs: 1 its path at the beginning, 2 and 3 its identifier at the end, 4 a line of the rest. */
export function markOf(href: string): 1 | 2 | 3 | 4 | undefined {
  if (href.charCodeAt(0) === 1) return 1;
  const last = href.charCodeAt(href.length - 1);
  return last >= 1 && last <= 4 ? (last as 1 | 2 | 3 | 4) : undefined;
}

/** As JSON has the marks. */
function escaped(href: string): string {
  const last = href.charCodeAt(href.length - 1);
  if (last >= 1 && last <= 4) return `${href.slice(0, -1)}\\u000${last}`;
  return href.charCodeAt(0) === 1 ? `\\u0001${href.slice(1)}` : href;
}

/** @returns undefined where there is nothing like them: of a patch, or a file with its facts */
function parsedForm(links: string, own: Own, rest: string[]): string | undefined {
  const formed: Link[] = [];
  for (const link of JSON.parse(links) as readonly Link[]) {
    if (link.hash !== undefined || link.length !== undefined) return undefined;
    formed.push(shared.has(link.rel) ? link : { ...link, href: hrefForm(link.href, own, rest) });
  }
  return JSON.stringify(formed);
}

/** @returns the links as they were, to the letter */
export function fromForm(form: string, rest: string, path: string): string {
  let links = '';
  for (const part of partsOf(form, rest, ownOf(path))) links += part;
  return links;
}

/** Text of the form and what belongs in between, in turns. */
function partsOf(form: string, rest: string, own: Own): readonly string[] {
  const lines = rest === '' ? [] : rest.split('\n');
  let line = 0;
  // Cutting a text that is kept is quicker than searching it with an expression.
  const parts = piecesOf(form).slice();
  for (let index = 1; index < parts.length; index += 2) {
    const mark = parts[index];
    if (mark === '4') {
      parts[index] = fill(lines[line] ?? '', own);
      line += 1;
    } else parts[index] = own[Number(mark) - 1] ?? '';
  }
  return parts;
}

/** The same for the same form, wherever and whenever. */
export function keyOfForm(form: string): string {
  const known = keys.get(form);
  if (known !== undefined) return known;
  const key = hash('sha256', form, 'base64url').slice(0, keyLength);
  if (keys.size >= keptKeys) keys.clear();
  keys.set(form, key);
  return key;
}

const keptKeys = 2_000;
const keys = new Map<string, string>();

/** As `links` are stored. */
export function referTo(key: string, rest: string): string {
  return `#${key}${rest}`;
}

/** @returns undefined where they are kept as they are */
export function parseReference(links: string): { readonly key: string; readonly rest: string } | undefined {
  if (!links.startsWith('#')) return undefined;
  return { key: links.slice(1, 1 + keyLength), rest: links.slice(1 + keyLength) };
}

/** Of a query of SQL: the key in a column of links. */
export function keyIn(column: string): string {
  return `substr(${column}, 2, ${keyLength})`;
}

/** The item's path, its identifier as addresses have it, and the end of that; whatever follows from the path. */
type Own = readonly [item: string, identifier: string, local: string];

/** Half a character cannot be in an address. */
const surrogate = /[\uD800-\uDFFF]/;
const items = 'items/';
let lastOwn: { readonly path: string; readonly own: Own } | undefined;

function ownOf(path: string): Own {
  if (lastOwn?.path === path) return lastOwn.own;
  const identifier = identifierOf(path);
  const own: Own =
    identifier === undefined
      ? [itemOf(path), '', '']
      : [itemOf(path), encodedIdentifierOf(path), plainEnd(identifier)];
  lastOwn = { path, own };
  return own;
}

/** Of a path within one; empty: it is in none. */
export function itemOf(path: string): string {
  const start = path.indexOf('/') + 1;
  const end = start > 1 && path.startsWith(items, start) ? path.indexOf('/', start + items.length) : -1;
  return end > start + items.length ? path.slice(0, end) : '';
}

/** The identifier of the item that a path of ours is in; undefined: it is in none, or the path has only a part of it. */
export function identifierOf(path: string): string | undefined {
  const segment = segmentOf(path);
  return segment === '' ? undefined : fromSegment(segment);
}

function segmentOf(path: string): string {
  const item = itemOf(path);
  return item.slice(item.lastIndexOf('/') + 1);
}

/** As addresses have it; empty: it has none, or none that could be in an address. */
export function encodedIdentifierOf(path: string): string {
  const segment = segmentOf(path);
  const short = encodeSegment(segment);
  if (short !== undefined) return short;
  const identifier = segment === '' ? undefined : fromSegment(segment);
  return identifier === undefined || surrogate.test(identifier) ? '' : encodeURIComponent(identifier);
}

/** The end of it; empty: it is not plain. */
export function localOf(path: string): string {
  return ownOf(path)[2];
}

/** What comes behind the last colon: a number, or a handle. */
function plainEnd(identifier: string): string {
  const end = identifier.slice(identifier.lastIndexOf(':') + 1);
  return /^[\w./-]+$/.test(end) ? end : '';
}

function hrefForm(href: string, [item, identifier, local]: Own, rest: string[]): string {
  if (item !== '' && href.startsWith(item)) {
    const behind = href.slice(item.length);
    if (behind === '' || /^\/[\w.-]+\.xml$/.test(behind)) return `\u0001${behind}`;
    rest.push(`\u0001${behind}`);
    return '\u0004';
  }
  if (endsWithItsOwn(href, identifier)) return `${href.slice(0, -identifier.length)}\u0002`;
  if (endsWithItsOwn(href, local)) return `${href.slice(0, -local.length)}\u0003`;
  rest.push(href);
  return '\u0004';
}

/** Behind something that is neither a letter nor a digit. */
function endsWithItsOwn(href: string, end: string): boolean {
  return end !== '' && href.endsWith(end) && !isAlnum.test(href[href.length - end.length - 1] ?? 'a');
}

function fill(line: string, [item]: Own): string {
  return line.startsWith('\u0001') ? item + line.slice(1) : line;
}

const keptPieces = 2_000;
const pieces = new Map<string, readonly string[]>();

/** Text, and in between what belongs there. */
function piecesOf(form: string): readonly string[] {
  const known = pieces.get(form);
  if (known) return known;
  const cut = form.split(/\\u000([1-4])/);
  if (pieces.size >= keptPieces) pieces.clear();
  pieces.set(form, cut);
  return cut;
}
