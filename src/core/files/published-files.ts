import type { FileOrigin, SourceFile } from '../adapter.ts';
import { isTaggedAsOther } from '../addresses/bitstream-address.ts';
import type { Fuse } from './fuse.ts';

/** The part of a source's configuration that decides about files. */
export interface FileRules {
  readonly mode: 'proxy' | 'link' | 'mirror' | 'none';
  /** Only this origin counts, and landing pages; undefined: any. */
  readonly from?: string | undefined;
  /** So many files of an item are published. */
  readonly perItem: number;
  /** Files are asked for before they are published, as far as that can be done in time. */
  readonly verify: boolean;
  /** Items without files in any format have their landing pages looked at. */
  readonly landingPages: boolean;
  /** Metadata in other formats is on its way out, and describes files no more; undefined: none is. */
  readonly formats?: readonly string[] | undefined;
  /** Origins of an adapter that the source is not read by any more. */
  readonly retired?: readonly string[] | undefined;
  /** When so many servers say no at once, nothing of it is deleted without a person; undefined: never. */
  readonly fuse?: Fuse | undefined;
}

export const noFiles: FileRules = {
  mode: 'none',
  perItem: 0,
  verify: false,
  landingPages: false,
};

/**
 * What the server at a file's URL said. `confirmed`: everybody may read it; `refused`: not everybody may, or a page
 * for people is in its place; `gone`: it is not there; `unreachable`: no word of it.
 */
export type FileOutcome = 'unchecked' | 'confirmed' | 'refused' | 'gone' | 'unreachable';

/** Whether a server said that this file is not for everybody, or not there: nothing of it is handed out. */
export function saysNo(outcome: FileOutcome): outcome is 'refused' | 'gone' {
  return outcome === 'refused' || outcome === 'gone';
}

export interface SeenFile {
  readonly outcome: FileOutcome;
  /** Checks in a row that failed. */
  readonly failures: number;
  readonly mediaType?: string | undefined;
  readonly length?: number | undefined;
  /** Verbatim. */
  readonly etag?: string | undefined;
  /** ISO UTC. */
  readonly lastModified?: string | undefined;
  /** When its bytes were seen to be others than before; what a record says of them is about the former ones. */
  readonly changedAt?: string | undefined;
  /** Mirrored: `sha-256:…` of the complete, verified content. */
  readonly contentHash?: string | undefined;
  readonly contentLength?: number | undefined;
  /**
   * Its server says no since then, and what is published of it waits until it is known whether so many do so at once
   * that it may be an accident: nothing of it is handed out meanwhile. ISO UTC.
   */
  readonly withheldAt?: string | undefined;
}

/** A file as one origin states it. */
export interface StatedFile extends SourceFile {
  readonly origin: FileOrigin;
}

/** A file that belongs among the resources, with what is to be said of it. */
export interface PublishedFile {
  readonly url: string;
  readonly name: string;
  readonly sequence: number;
  readonly mediaType: string | undefined;
  readonly length: number | undefined;
  readonly hash: string | undefined;
  /** When its server says it last changed, ISO UTC. */
  readonly lastModified: string | undefined;
  /** Where the repository has it from. */
  readonly via?: string | undefined;
}

export interface FileChoice {
  readonly published: readonly PublishedFile[];
  /** URLs that everybody may read as far as is stated, whether they are published or not: their servers are asked. */
  readonly candidates: readonly string[];
  /** Files beyond `perItem`. */
  readonly left: number;
}

/** The origin that landing pages are; it counts whatever `from` says. */
export const landingPageOrigin: FileOrigin = { name: 'signposting', rank: 90 };

/** With the waits between checks (an hour to a week) about a month without a word. */
const givenUpAfter = 8;

/**
 * Which files of an item are published. Of several origins the best that has any counts alone: two formats often
 * state the same file in two ways.
 * @param seen what is known of a URL
 * @param now ISO UTC: embargoes end by it
 * @param isPublished whether there is a living resource of this URL
 */
export function chooseFiles(
  stated: readonly StatedFile[],
  seen: (url: string) => SeenFile | undefined,
  rules: FileRules,
  now: string,
  isPublished: (url: string) => boolean = () => false,
): FileChoice {
  if (rules.mode === 'none') return { published: [], candidates: [], left: 0 };
  const open = bestOrigin(stated, rules).filter((file) => isOpen(file, now));
  const distinct = withoutRepetition(open);
  const within = distinct.slice(0, rules.perItem);
  return {
    published: within.flatMap((file) => {
      const known = inOurTime(seen(file.url), now);
      return toPublished(file, isTrusted(file, rules) ? onlyRefusal(known) : known, rules, now, isPublished);
    }),
    candidates: within.map(({ url }) => url),
    left: distinct.length - within.length,
  };
}

/** Whether the repository's own word is enough to publish it as it is stated, until its server says no. */
export function isTrusted({ origin, access }: StatedFile, { mode }: Pick<FileRules, 'mode'>): boolean {
  return mode !== 'mirror' && origin.rank === 0 && access === 'open';
}

/** Facts come from the repository's own list; but who may read a file, its server knows best. */
function onlyRefusal(seen: SeenFile | undefined): SeenFile | undefined {
  if (seen === undefined || !saysNo(seen.outcome)) return undefined;
  const { outcome, failures, withheldAt } = seen;
  return { outcome, failures, withheldAt };
}

/** The formats state nothing at all: what is on the landing page is worth knowing. */
export function hasNoFormatWithFiles(stated: readonly StatedFile[], rules: FileRules): boolean {
  return !stated.some(({ origin }) => counts(origin, rules) && origin.name !== landingPageOrigin.name);
}

function bestOrigin(stated: readonly StatedFile[], rules: FileRules): readonly StatedFile[] {
  const eligible = stated.filter(({ origin }) => counts(origin, rules));
  const best = eligible.reduce<FileOrigin | undefined>(
    (found, { origin }) => (found === undefined || isBetter(origin, found) ? origin : found),
    undefined,
  );
  return eligible.filter(({ origin }) => origin.name === best?.name);
}

/** Whether what an origin states is of any account. */
export function counts(origin: FileOrigin, { from, retired }: Pick<FileRules, 'from' | 'retired'>): boolean {
  if (retired?.includes(origin.name)) return false;
  return from === undefined || origin.name === from || origin.name === landingPageOrigin.name;
}

function isBetter(a: FileOrigin, b: FileOrigin): boolean {
  return a.rank === b.rank ? a.name < b.name : a.rank < b.rank;
}

function isOpen({ access, availableAt }: SourceFile, now: string): boolean {
  if (access === 'restricted') return false;
  return access !== 'embargoed' || (availableAt !== undefined && availableAt <= now);
}

function withoutRepetition(files: readonly StatedFile[]): readonly StatedFile[] {
  const urls = new Set<string>();
  return files.filter(({ url }) => !urls.has(url) && urls.add(url));
}

function toPublished(
  file: StatedFile,
  seen: SeenFile | undefined,
  { mode, verify }: FileRules,
  now: string,
  isPublished: (url: string) => boolean,
): readonly PublishedFile[] {
  const isWithheld = seen?.withheldAt !== undefined && isPublished(file.url);
  if (seen !== undefined && saysNo(seen.outcome) && !isWithheld) return [];
  // Embargoes are prolonged, and lifted late: the day alone is no proof.
  if (verify && file.access === 'embargoed' && seen?.outcome !== 'confirmed' && !isWithheld) return [];
  // The repository lists it, but only its server knows for whom.
  if (file.access === 'unknown' && !isWithheld && !wasConfirmed(seen)) return [];
  if (mode === 'mirror') return seen?.contentHash === undefined ? [] : [toMirrored(file, seen, now)];
  if (seen?.outcome === 'unreachable' && seen.failures >= givenUpAfter) return [];
  const { url, name, sequence, via } = file;
  return [
    {
      url,
      name,
      sequence,
      ...(via !== undefined && { via }),
      mediaType: mediaTypeOf(file, seen),
      // The server delivers what it announces, whatever the record says.
      length: seen?.length ?? file.length,
      hash: isContradicted(file, seen) ? undefined : file.hash,
      lastModified: seen?.lastModified ?? seen?.changedAt ?? statedTime(file, now),
    },
  ];
}

/** Now, or before its server fell silent: what was learnt of a file, it said when it handed it out. */
function wasConfirmed(seen: SeenFile | undefined): boolean {
  if (seen?.outcome !== 'unreachable') return seen?.outcome === 'confirmed';
  return [seen.mediaType, seen.length, seen.etag, seen.lastModified].some((fact) => fact !== undefined);
}

/** The same of what is stated. */
function statedTime({ lastModified }: SourceFile, now: string): string | undefined {
  return lastModified !== undefined && lastModified > now ? undefined : lastModified;
}

function toMirrored(file: StatedFile, seen: SeenFile, now: string): PublishedFile {
  const { url, name, sequence, via } = file;
  return {
    url,
    name,
    sequence,
    ...(via !== undefined && { via }),
    mediaType: mediaTypeOf(file, seen),
    length: seen.contentLength,
    hash: seen.contentHash,
    lastModified: seen.lastModified ?? statedTime(file, now),
  };
}

/** A server whose clock is ahead would make a file new at every look. */
function inOurTime(seen: SeenFile | undefined, now: string): SeenFile | undefined {
  return seen?.lastModified !== undefined && seen.lastModified > now
    ? { ...seen, lastModified: undefined }
    : seen;
}

/** Servers that do not know say `application/octet-stream`. */
function mediaTypeOf(file: StatedFile, seen: SeenFile | undefined): string | undefined {
  const vague = seen?.mediaType === undefined || seen.mediaType === 'application/octet-stream';
  return vague ? (file.mediaType ?? seen?.mediaType) : seen.mediaType;
}

/** A cover page put in front changes the length, and the tag: then the stated hash is that of other bytes. */
function isContradicted(file: StatedFile, seen: SeenFile | undefined): boolean {
  if (seen?.changedAt !== undefined || isTaggedAsOther(file, seen?.etag)) return true;
  return seen?.length !== undefined && file.length !== undefined && seen.length !== file.length;
}
