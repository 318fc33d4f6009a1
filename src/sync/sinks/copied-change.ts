import type { StatedLink } from '../../resourcesync/reading/statement.ts';

/** What happened to a resource of the copy, for whoever goes on with it. Times are ISO UTC seconds, of the Source. */
export interface CopiedChange {
  readonly op: 'created' | 'updated' | 'deleted';
  readonly loc: string;
  /** In the copy, in words of its sink: of a directory with slashes. Undefined: contents are not copied. */
  readonly path: string | undefined;
  readonly datetime: string;
  readonly lastmod: string | undefined;
  readonly type: string | undefined;
  /** `sha-256:…` where contents are copied; else as the Source states it. */
  readonly hash: string | undefined;
  readonly length: number | undefined;
  /** As the Source states them; of what is deleted none. */
  readonly links: readonly StatedLink[];
}

/** Somebody was told of a change, and did not take it. */
export class NotTaken extends Error {}

/** Whoever wants to know of every change once it is in the copy; after a crash some come once more. */
export interface Telling {
  /**
   * @returns when it was taken
   * @throws NotTaken: it is told again in a later run; anything else ends the run
   */
  tell(change: CopiedChange): Promise<void>;
  /** So many may be told before the first of them is taken; of one resource in order. */
  readonly atOnce: number;
  /** Everything has been told for now: whoever takes several at once takes them now. */
  quiet?(): Promise<void>;
  /** The end. */
  close?(): void;
}
