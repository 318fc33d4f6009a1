import type { ListLength } from '../verdicts/list-length.ts';

/** How a window is read, by what is known of the others. */
export interface ChainOptions {
  /** How often a request is sent before it counts as failed. */
  readonly patience: number;
  /** Digest of the first page of the list that this one was cut from. */
  readonly parentPage?: string | undefined;
  /** Of a window: what was said of the list that it is a part of. */
  readonly wholeSize?: number | undefined;
  /** Tells from what is known behind a page whether the list had better be cut. */
  readonly isLong: (list: ListLength) => number | undefined;
  /** Headers outside of the window prove that it is ignored, also where the page is another one. */
  readonly strict: boolean;
  /** The next request leaves while the last page is being stored. */
  readonly asksAhead: boolean;
}
