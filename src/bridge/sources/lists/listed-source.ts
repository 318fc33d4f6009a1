/** A repository as a list of repositories names it: somebody else's, or one of ours that was exported. */
export interface ListedSource {
  /** Where it is in the list, for a person: `line 12`, `entry 3`. */
  readonly place: string;
  /** Its endpoint, or any page of it; with `https:` where the list has no scheme. */
  readonly url: string;
  /** The same without a scheme, if the list has none: then `http:` is meant as well. */
  readonly address?: string;
  /** What it is to be called in our addresses. */
  readonly name?: string | undefined;
  /** Any other setting of a source, as the configuration has it. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** What could not be read of a list: the rest can. */
export interface ListProblem {
  readonly place: string;
  readonly message: string;
}

export interface SourceList {
  /** How it was read, in words: `CSV, separated by ;`. */
  readonly kind: string;
  readonly sources: readonly ListedSource[];
  readonly problems: readonly ListProblem[];
  /** Columns or keys that say nothing about a source of ours. */
  readonly unused: readonly string[];
}
