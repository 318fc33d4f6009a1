/** Of one document (RS-GEN-17). */
export const smallList = 50_000;
/** A list of one document is renewed after every change, but not for more than this share of the time, */
const smallShare = 0.02;
/** unless it would be further behind its Change List than this: clients compare the two. */
const longestLagMs = 60_000;
/** For looking, and for waiting until there is room to render it. */
const marginMs = 10_000;
/**
 * A longer list keeps to its schedule. Only when something in it is not public any more it is renewed at once, for at most
 * this share of the time.
 */
const largeShare = 0.1;
const largeRestMs = 60_000;

/** A Resource List that has been rendered. */
export interface RenderedList {
  /** Resources in it. */
  readonly entries: number;
  /** What rendering it took; under load that is long. */
  readonly ms: number;
}

/** How long a list rests from the moment on at which its rendering began, in milliseconds. */
export function restAfterList({ entries, ms }: RenderedList): number {
  if (entries > smallList) return Math.max(largeRestMs, ms / largeShare);
  // What changes right after it began is in the next one, whose rendering takes as long again.
  return Math.max(0, Math.min(ms / smallShare, longestLagMs - marginMs - ms));
}
