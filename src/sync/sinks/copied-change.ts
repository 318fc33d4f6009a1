/** What happened to a resource of the copy, for whoever goes on with it. Times are ISO UTC seconds, of the Source. */
export interface CopiedChange {
  readonly op: 'created' | 'updated' | 'deleted';
  readonly loc: string;
  /** In the copy, with slashes. */
  readonly path: string;
  readonly datetime: string;
  readonly lastmod: string | undefined;
  readonly type: string | undefined;
  /** `sha-256:…` */
  readonly hash: string | undefined;
  readonly length: number | undefined;
}

/** Somebody was told of a change, and did not take it. */
export class NotTaken extends Error {}

/**
 * Is told of every change once it is in the copy, and perhaps once more after a crash; of one resource in order.
 * @throws NotTaken: it is told again in a later run; anything else ends the run
 */
export type TellChange = (change: CopiedChange) => Promise<void>;
