/** A document as its checks see it. One entry is in memory at a time. */

/** Unprefixed attributes by name. */
export type Attributes = ReadonlyMap<string, string>;

export const noAttributes: Attributes = new Map();

export interface DocumentHead {
  readonly root: string;
  readonly namespace: string;
  readonly md: readonly Attributes[];
  readonly links: readonly Attributes[];
  /** It has an `md` in a namespace that is nearly ours: it is described, in words that nobody reads. */
  readonly misnamed: boolean;
}

/** What is to become of links of entries, which are the most of what a list says; `later` and `left-out` where that saves time. */
export type LinkReading = 'now' | 'later' | 'left-out';

export interface DocumentEntry {
  /** From 1. */
  readonly number: number;
  readonly element: string;
  readonly attributes: readonly string[];
  readonly locs: readonly string[];
  readonly lastmods: readonly string[];
  readonly changefreqs: readonly string[];
  readonly priorities: readonly string[];
  readonly md: readonly Attributes[];
  readonly links: readonly Attributes[];
  /** Those that are read later, as they are written, in place of all `links` (`readLaterLinks`); empty: none. */
  readonly unreadLinks: string;
  /** Names of the children of the Sitemap and ResourceSync namespaces, as they come. */
  readonly order: readonly string[];
}
