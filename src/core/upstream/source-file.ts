/** Of several origins that know files of an item, the one with the lowest rank is believed. */
export interface FileOrigin {
  /** A format's name, or the adapter's own word. */
  readonly name: string;
  /**
   * 0: the repository's own list of its files, which counts alone even when it is empty, and whose word on `open`
   * files needs no check; 100: guessed from links.
   */
  readonly rank: number;
}

/** A file as its origin states it; nothing of this has been tried yet. */
export interface SourceFile {
  /** Absolute http or https, percent-encoded ASCII, without credentials or fragment. */
  readonly url: string;
  /** For people; may hold anything. */
  readonly name: string;
  /** Position among the item's files, from 1; stable upstream where possible. */
  readonly sequence: number;
  /** `type/subtype` in lower case, without parameters. */
  readonly mediaType?: string | undefined;
  /** Octets, only where stated as such: no rounded sizes for people. */
  readonly length?: number | undefined;
  /** `md5:…`, `sha-1:…` or `sha-256:…` in lower-case hex, as stated upstream. */
  readonly hash?: string | undefined;
  /** Undefined: nothing is said, which is no reason to keep it back. */
  readonly access?: FileAccess | undefined;
  /** Of embargoed ones: from when on everybody may read it, ISO UTC; undefined: not known. */
  readonly availableAt?: string | undefined;
  /** As stated: a COAR version URI, `published`, … */
  readonly version?: string | undefined;
  /** Where the upstream has it from; default: `url`. */
  readonly via?: string | undefined;
  /** When the upstream says that it last changed, ISO UTC. */
  readonly lastModified?: string | undefined;
}

/** `unknown`: the upstream lists what it does not hand out, too; published once its server has handed it out. */
export type FileAccess = 'open' | 'embargoed' | 'restricted' | 'unknown';
