/** How many records of a source could not be read, over a day. Moments are milliseconds. */
export interface Growth {
  /** So many there were before they began to grow. */
  readonly base: number;
  readonly last: number;
  /** When they grew last; undefined: not within a day. */
  readonly grewAt: number | undefined;
}

/** What has not grown for so long does not grow any more. */
const restMs = 86_400_000;

/** @param before undefined: it was not watched */
export function followGrowth(before: Growth | undefined, count: number, now: number): Growth {
  if (!before) return { base: count, last: count, grewAt: undefined };
  const base = Math.min(before.base, count);
  const grewAt = count > before.last ? now : before.grewAt;
  if (grewAt !== undefined && now - grewAt >= restMs) return { base: count, last: count, grewAt: undefined };
  return base === before.base && count === before.last && grewAt === before.grewAt
    ? before
    : { base, last: count, grewAt };
}

export function hasGrown({ base, last, grewAt }: Growth, atLeast: number): boolean {
  return grewAt !== undefined && last - base >= atLeast;
}
