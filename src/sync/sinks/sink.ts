import type { ReceivedContent } from './received-content.ts';

/** A resource whose bytes are to be put somewhere. Times are ISO UTC seconds, of the Source but for `fetchedAt`. */
export interface PutResource {
  readonly loc: string;
  readonly asOf: string;
  /** Of the bytes, where anybody says. */
  readonly modifiedAt: string | undefined;
  readonly type: string | undefined;
  readonly fetchedAt: string;
  /** It was deleted before. */
  readonly wasGone: boolean;
  /** What the server answered, where the bytes came from the resource's own address in one piece. */
  readonly answer: ServerAnswer | undefined;
}

export interface ServerAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** A resource that lies there, as the state has it. */
export interface PlacedResource {
  readonly loc: string;
  readonly path: string;
  /** What the sink noted of it. */
  readonly note: string | undefined;
  /** `sha-256:…` first. */
  readonly hashes: readonly string[];
  readonly length: number | undefined;
}

export interface Placed {
  /** Where it lies, in words of the sink; no two resources have the same. */
  readonly path: string;
  /** To be kept with the state, and handed back. */
  readonly note?: string | undefined;
  /** It depends on what else is there: whoever took it writes that down at once, or nobody finds it after a kill. */
  readonly isContested?: boolean;
}

/** Files and, with a slash, folders that are on their way into the copy. */
export type Promised = Pick<ReadonlySet<string>, 'has'>;

export interface FreePlace {
  /** In words of the sink. */
  readonly path: string;
  /** The file, by its whole path. */
  readonly file: string;
}

export interface FoundContent {
  readonly path: string;
  readonly sha256: string;
  readonly length: number;
  /** Undefined: its time says nothing. */
  readonly modifiedMs: number | undefined;
}

/** Where copied resources go. What the state knows of lies there, and perhaps more after a crash. */
export interface Sink {
  /** False: contents are not wanted, only what is said of them. */
  readonly takesContents: boolean;
  /** Bytes that are held already are put once more, for it is noted that they came. */
  readonly recordsAgain?: boolean;
  /**
   * What lies where a resource would lie that the state does not have: from another tool, or from before a crash.
   * @returns undefined, or a promise of it: nothing does
   */
  find(loc: string): Promise<FoundContent | undefined> | undefined;
  /** The bytes that lie there; undefined: they are gone, more than that, or cannot be read back. */
  read(held: PlacedResource, maximumOctets: number): Promise<Uint8Array | undefined>;
  /** After a crash: what lies there now; undefined: nothing does. */
  measure(held: PlacedResource): Promise<Pick<FoundContent, 'sha256' | 'length'> | undefined>;
  /**
   * Puts bytes in the place of what is held, if anything is.
   * @returns at once, where nobody else is to come in between; a promise where it takes time
   */
  put(
    resource: PutResource,
    content: ReceivedContent,
    held: PlacedResource | undefined,
  ): Placed | Promise<Placed>;
  /**
   * For whoever puts files there by itself, many at a time (`NewFiles`): where a resource will lie that is not held.
   * @param promised to others that they put there (`promisesOf`)
   * @returns undefined: it has to be `put`
   */
  freePlace?(loc: string, promised: Promised): FreePlace | undefined;
  /**
   * A copy that has nothing yet is filled from here on: until `show` nobody sees of it what is there by half, and files are made at their
   * places at once (`isHidden`).
   */
  hide?(): void;
  show?(): void;
  readonly isHidden?: boolean;
  /** After a kill: at the place of a resource that is not held lies something that is not what is stated. */
  dropUnfinished?(path: string): void;
  /** It was deleted, in the Source's time. To be called again after a crash it does no harm. */
  remove(held: PlacedResource, at: string): void | Promise<void>;
  /** The end of a run: everything can be read by others. */
  close(): Promise<void>;
}
