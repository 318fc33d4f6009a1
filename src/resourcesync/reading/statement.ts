import { type Attributes, type DocumentEntry, noAttributes } from '../documents/document-model.ts';
import { readLaterLinks } from '../documents/plain-entry.ts';
import type { Report } from '../documents/report.ts';
import { statedHashes } from './stated-hash.ts';
import { statedTime } from './stated-time.ts';

export type StatedChange = 'created' | 'updated' | 'deleted';

/** What a Source says of a resource, in an entry of whatever list. Times are ISO UTC seconds, lengths octets. */
export interface Statement {
  /** An absolute URI without a fragment. */
  readonly loc: string;
  /** Undefined in lists of what there is. */
  readonly change: StatedChange | undefined;
  /** When it changed, in the Source's time; undefined: it does not say. */
  readonly datetime: string | undefined;
  readonly lastmod: string | undefined;
  /** Those that can be compared: `sha-256:…`. */
  readonly hashes: readonly string[];
  readonly length: number | undefined;
  readonly type: string | undefined;
  /** In a package. */
  readonly path: string | undefined;
  readonly links: readonly StatedLink[];
  /** As they are written, where they are read when somebody asks for `links`. */
  readonly unreadLinks?: string | undefined;
}

export interface StatedLink {
  readonly rel: string;
  /** An absolute URI. */
  readonly href: string;
  readonly type: string | undefined;
  readonly path: string | undefined;
  /** 1 is the best. */
  readonly pri: number;
  /** Of what is linked to, where it is said: those that can be compared. */
  readonly hashes?: readonly string[] | undefined;
  readonly length?: number | undefined;
}

/** Of a link that states none. */
export const lowestPriority = 999_999;

const noLinks: readonly StatedLink[] = [];

/**
 * @param base the address of the document, for what is relative
 * @param withoutLinks they are not asked for
 * @returns undefined where no address can be made of what it says
 */
export function readStatement(
  entry: DocumentEntry,
  base: string,
  report: Report,
  withoutLinks = false,
): Statement | undefined {
  const { locs, lastmods, md } = entry;
  if (locs.length !== 1) report('RS-GEN-07', `an entry has ${locs.length} loc`);
  if (md.length > 1) report('RS-GEN-10', 'an entry has several md; the first is read');
  const loc = absoluteUri(locs[0] ?? '', base, report);
  if (loc === undefined) return undefined;
  const [facts = noAttributes] = md;
  const change = readChange(facts.get('change'), report);
  const { unreadLinks } = entry;
  const statement = {
    loc,
    change,
    datetime: readDatetime(facts, report),
    lastmod: statedTime(lastmods[0], 'lastmod', 'RS-TIME-01', report),
    hashes: statedHashes(facts.get('hash'), report),
    length: readLength(facts.get('length'), report),
    type: facts.get('type')?.split(';')[0]?.trim().toLowerCase() || undefined,
    path: facts.get('path'),
    links:
      withoutLinks || entry.links.length === 0
        ? noLinks
        : entry.links.flatMap((link) => readLink(link, base, report) ?? []),
  };
  return unreadLinks === '' ? statement : new LaterStatement(statement, unreadLinks);
}

/** A statement whose links are read when somebody asks for them. */
class LaterStatement implements Statement {
  readonly loc: string;
  readonly change: StatedChange | undefined;
  readonly datetime: string | undefined;
  readonly lastmod: string | undefined;
  readonly hashes: readonly string[];
  readonly length: number | undefined;
  readonly type: string | undefined;
  readonly path: string | undefined;
  readonly unreadLinks: string;

  constructor(stated: Omit<Statement, 'links'>, unreadLinks: string) {
    this.loc = stated.loc;
    this.change = stated.change;
    this.datetime = stated.datetime;
    this.lastmod = stated.lastmod;
    this.hashes = stated.hashes;
    this.length = stated.length;
    this.type = stated.type;
    this.path = stated.path;
    this.unreadLinks = unreadLinks;
  }

  get links(): readonly StatedLink[] {
    return statedLinks(this.unreadLinks);
  }
}

/** @param unread of which there is nothing to report, each with an absolute address */
export function statedLinks(unread: string): readonly StatedLink[] {
  return readLaterLinks(unread).flatMap((link) => readLink(link, link.get('href') ?? '', nobody) ?? []);
}

const nobody: Report = () => undefined;

/** What nearly all of them are, and `URL` would give back as it is: a list has millions. */
const plainUri = /^https?:\/\/[a-z0-9.-]+(?::\d+)?\/[\w~:@!$'()*+,;=/.-]*$/;
const changedByUrl = /\/\.|:(?:80|443)\//;

/** It has neither a query nor a fragment, and `URL` has nothing to change in it. */
export function isPlain(uri: string): boolean {
  return plainUri.test(uri) && !changedByUrl.test(uri);
}

/** Absolute, without its fragment; relative ones are of the document. */
export function absoluteUri(text: string, base: string, report: Report): string | undefined {
  if (isPlain(text)) return text;
  const trimmed = text.trim();
  if (trimmed === '' || !URL.canParse(trimmed, base)) {
    report('RS-GEN-08', trimmed === '' ? 'a loc is empty' : `loc is ${trimmed}, which is no address`);
    return undefined;
  }
  if (!URL.canParse(trimmed)) report('RS-GEN-08', `loc is ${trimmed}, which is relative to the document`);
  const url = new URL(trimmed, base);
  url.hash = '';
  return url.href;
}

function readChange(given: string | undefined, report: Report): StatedChange | undefined {
  if (given === undefined) return undefined;
  const meant = otherChanges[given.trim().toLowerCase()];
  if (meant !== given) {
    const taken = meant === undefined ? 'which says nothing' : `which is taken for ${meant}`;
    report('RS-ATTR-05', `change is ${given}, ${taken}`);
  }
  return meant;
}

const otherChanges: Readonly<Record<string, StatedChange>> = {
  created: 'created',
  updated: 'updated',
  deleted: 'deleted',
  create: 'created',
  update: 'updated',
  modified: 'updated',
  delete: 'deleted',
  removed: 'deleted',
};

/** WEKO3 writes the time of a change as `at`. */
function readDatetime(facts: Attributes, report: Report): string | undefined {
  const given = facts.get('datetime');
  if (given !== undefined || !facts.has('change')) return statedTime(given, 'datetime', 'RS-TIME-01', report);
  const at = facts.get('at');
  if (at !== undefined) report('RS-ATTR-01', 'the time of a change is its at, not its datetime');
  return statedTime(at, 'at', 'RS-TIME-01', report);
}

function readLength(given: string | undefined, report: Report): number | undefined {
  if (given === undefined) return undefined;
  if (/^\d{1,15}$/.test(given.trim())) return Number(given);
  report('RS-ATTR-11', `length is ${given}, which is no number of octets`);
  return undefined;
}

/** Registered types are the same whatever their letters, `describedBy` and `describedby` (RFC 8288 §2.1.1); a URI is as it is. */
export function relationOf(rel: string | undefined): string | undefined {
  const given = rel?.trim();
  return given !== undefined && /[A-Z]/.test(given) && !given.includes(':') ? given.toLowerCase() : given;
}

function readLink(link: Attributes, base: string, report: Report): StatedLink | undefined {
  const [rel, href] = [relationOf(link.get('rel')), link.get('href')?.trim()];
  const isPlainHref = href !== undefined && isPlain(href);
  if (!rel || !href || !(isPlainHref || URL.canParse(href, base))) {
    report('RS-GEN-12', 'a link has no rel, or no href that is an address; it is left out');
    return undefined;
  }
  const pri = Number(link.get('pri') ?? lowestPriority);
  return {
    rel,
    href: isPlainHref ? href : new URL(href, base).href,
    type: link.get('type'),
    path: link.get('path'),
    pri: Number.isInteger(pri) && pri > 0 ? pri : lowestPriority,
    ...(link.has('hash') ? { hashes: statedHashes(link.get('hash'), report) } : {}),
    ...(link.has('length') ? { length: readLength(link.get('length'), report) } : {}),
  };
}
