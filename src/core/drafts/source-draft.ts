/** What is known of a source before it is one: JSON, kept with its draft. What a repository said is cut to a length. */

/** What somebody has chosen; what is unset is as `rsbridge sources add` would have it. */
export interface DraftChoices {
  /** The first segment of its URIs. */
  readonly name?: string | undefined;
  /** By which protocol; undefined: the one that tells most. */
  readonly adapter?: string | undefined;
  /** Of the configuration, whose settings it has. */
  readonly group?: string | undefined;
  readonly title?: string | undefined;
  /** Undefined: every one that is known. */
  readonly formats?: readonly string[] | undefined;
  /** setSpecs, or collections of a DSpace; undefined: everything. */
  readonly collections?: readonly string[] | undefined;
  readonly files?: 'proxy' | 'link' | 'mirror' | 'none' | undefined;
}

/** What is behind the address. */
export interface DraftFound {
  readonly url: string;
  readonly adapter: string;
  /** What the repository calls itself. */
  readonly repository: string;
  /** `OAI-PMH 2.0`. */
  readonly protocol: string;
  /** Why that was chosen, sentence by sentence, in English. */
  readonly sentences: readonly string[];
  /** A name for it that no source had. */
  readonly name: string;
  readonly formats: readonly { readonly name: string; readonly selected: boolean }[];
  /** Some of its sets or collections. */
  readonly collections: readonly { readonly spec: string; readonly name: string }[];
  readonly hasMoreCollections: boolean;
  /** Why they could not be listed. */
  readonly collectionsTrouble?: string | undefined;
  /** As a source would have them, without what somebody has chosen since. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** What the first page of a harvest brought; nothing of it is stored. */
export interface DraftTrial {
  /** With what it was tried. */
  readonly choices: DraftChoices;
  readonly items: readonly TriedItem[];
  /** Records on that page. */
  readonly records: number;
  /** Of the whole list, as the repository estimates. */
  readonly expectedTotal?: number | undefined;
  /** Records, or the list itself, that could not be read; some of them. */
  readonly problems: readonly { readonly identifier?: string | undefined; readonly message: string }[];
  readonly problemCount: number;
}

export interface TriedItem {
  readonly identifier: string;
  /** Of its metadata; undefined: it has none that says one. */
  readonly title?: string | undefined;
  /** BCP 47, of the title. */
  readonly language?: string | undefined;
  readonly deleted: boolean;
  readonly formats: readonly string[];
  readonly files: number;
}
