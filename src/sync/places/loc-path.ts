import { createHash } from 'node:crypto';
import { isPlain } from '../../resourcesync/reading/statement.ts';

/** Everything below an address goes into a folder of the copy; of several the longest one counts. */
export interface PlaceRule {
  /** An absolute URI. */
  readonly base: string;
  /** Relative to the copy, with slashes; empty: the copy itself. */
  readonly folder: string;
}

/** Names that we make ourselves begin with it; what others call so is written otherwise. */
const own = '~';
/** For an address that ends with a slash. */
const indexName = `${own}index`;
const longestSegment = 200;
/** Together, with room for the path to the copy. */
const longestPath = 1_500;

/** What is escaped in the address stays so. */
const toEscape = /%(?![0-9A-Fa-f]{2})|[^%A-Za-z0-9._~@!$'()+,;=-]/gu;
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;
/** What stays as it is, as nearly all do. */
const plain = /^[A-Za-z0-9_][A-Za-z0-9._~@!$'()+,;=-]{0,198}(?<!\.)$/;

/** The same but for colons, as in identifiers of OAI: what stands for them has room. */
const plainWithColons = /^[A-Za-z0-9_][A-Za-z0-9._~@!$'()+,;=:-]{0,60}(?<!\.)$/;

/**
 * Where a resource lies in a copy: readable, possible on every file system, never outside. One address has one path;
 * that two have the same (by letter case, or by what has to be escaped) is seen by whoever keeps them.
 * @returns a relative path with slashes
 */
export function locPath(loc: string, rules: readonly PlaceRule[]): string {
  let best: PlaceRule | undefined;
  for (const rule of rules) {
    if (isBelow(loc, rule.base) && rule.base.length > (best?.base.length ?? -1)) best = rule;
  }
  const { host, rest } = best === undefined ? partsOf(loc) : { host: '', rest: loc.slice(best.base.length) };
  const folder = best === undefined ? [segmentOf(host)] : best.folder.split('/').filter(Boolean);
  const segments = rest.replace(/^\//, '').split('/');
  const last = segments.length - 1;
  const names = segments.map((segment, index) =>
    segment === '' ? (index === last ? indexName : own) : segmentOf(segment),
  );
  const path = [...folder, ...names].join('/');
  if (path.length <= longestPath) return path;
  return [...folder, `${own}long`, sha(loc)].join('/');
}

/**
 * The same for many of one copy: those that lie beside each other, or in folders beside each other, have most of their paths in
 * common.
 */
export class LocPaths {
  readonly #rules: readonly PlaceRule[];
  /** Of the last one, all but its last two segments, and what those are in its path. */
  #base: string | undefined;
  #folder = '';

  constructor(rules: readonly PlaceRule[]) {
    this.#rules = rules;
  }

  of(loc: string): string {
    const last = loc.lastIndexOf('/');
    const start = loc.lastIndexOf('/', last - 1) + 1;
    const folder = usualName(loc.slice(start, last));
    const name = usualName(loc.slice(last + 1));
    // A rule may be of one of them alone.
    if (this.#rules.length > 0 || folder === undefined || name === undefined)
      return locPath(loc, this.#rules);
    const base = loc.slice(0, start);
    const names = `${folder}/${name}`;
    if (base === this.#base && this.#folder.length + names.length <= longestPath) return this.#folder + names;
    const path = locPath(loc, this.#rules);
    // The host is none of the two, nor was the path too long.
    if (isPlain(base) && path.endsWith(`/${names}`)) {
      this.#base = base;
      this.#folder = path.slice(0, path.length - names.length);
    }
    return path;
  }
}

function partsOf(loc: string): { readonly host: string; readonly rest: string } {
  if (!isPlain(loc)) {
    const { host, pathname, search } = new URL(loc);
    return { host, rest: pathname + search };
  }
  // Quicker than to take it apart.
  const start = loc.indexOf('//') + 2;
  const end = loc.indexOf('/', start);
  return { host: loc.slice(start, end), rest: loc.slice(end) };
}

/** A folder of ours that a person typed; undefined where it leads outside or into what is ours. */
export function safeFolder(text: string): string | undefined {
  const segments = text.split('/').filter((segment) => segment !== '' && segment !== '.');
  return segments.every((segment) => segmentOf(segment) === segment) ? segments.join('/') : undefined;
}

/** What a path lies in, the nearest first. */
export function* foldersOf(path: string): Generator<string> {
  for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1))
    yield path.slice(0, slash);
}

/** The same file where another has the path: by its address, so that it is the same each time. */
export function withSuffix(path: string, loc: string): string {
  const suffix = `${own}${sha(loc).slice(0, 8)}`;
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  const end = dot > 0 ? path.length - name.length + dot : path.length;
  return path.slice(0, end) + suffix + path.slice(end);
}

/** What is both a file and a folder: the file lies in the folder. */
export function withinFolder(path: string): string {
  return `${path}/${own}self`;
}

function isBelow(loc: string, base: string): boolean {
  return (
    loc.startsWith(base) &&
    (base.endsWith('/') || loc.length === base.length || /[/?]/.test(loc[base.length] ?? ''))
  );
}

function segmentOf(segment: string): string {
  const usual = usualName(segment);
  if (usual !== undefined) return usual;
  let name = segment.replace(toEscape, escaped);
  // `.` and `..` lead elsewhere, `.rsbridge` is ours, and some systems forget dots at the end.
  if (/^\.+$/.test(name) || /^\.rsbridge$/i.test(name) || reserved.test(name) || name.startsWith(own))
    name = escaped(name[0] ?? '') + name.slice(1);
  if (name.endsWith('.')) name = `${name.slice(0, -1)}%2E`;
  return name.length <= longestSegment
    ? name
    : `${name.slice(0, longestSegment - 20)}${own}${sha(segment).slice(0, 16)}`;
}

/** @returns undefined: there is more to it */
function usualName(segment: string): string | undefined {
  if (reserved.test(segment)) return undefined;
  if (plain.test(segment)) return segment;
  return plainWithColons.test(segment) ? segment.replaceAll(':', '%3A') : undefined;
}

function escaped(character: string): string {
  const code = character.charCodeAt(0);
  if (code >= 0x10 && code < 0x80) return `%${code.toString(16).toUpperCase()}`;
  return [...Buffer.from(character)]
    .map((octet) => `%${octet.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('');
}

function sha(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
