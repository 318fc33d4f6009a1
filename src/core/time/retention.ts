import type { MementosConfig } from '../config/config.ts';
import { addSeconds } from '../datetime.ts';

/** Which of the versions of a resource stay: pure, and the one place where that is decided. */

export type Keep = MementosConfig['keep'];

/** A version as the journal has it, or a deletion. */
export interface Step {
  readonly seq: number;
  /** By the journal's clock. */
  readonly at: string;
  readonly lastmod: string;
  /** A deletion, which is no version. */
  readonly gone: boolean;
}

export interface Surplus<Version extends Step> {
  readonly version: Version;
  /** Of the version after it. */
  readonly endSeq: number;
}

/** All versions of one second: the last of them is the memento of that second, the others are never seen. */
interface Memento<Version extends Step> {
  readonly versions: readonly Version[];
  /** The version after it; undefined for the last one. */
  readonly end: Version | undefined;
}

/**
 * The first and the current version always stay; of a deleted resource its last state is what the current version is
 * of a living one, until it is created again. Of the others `last` keeps the newest, so that with the current one
 * there are that many, and `days` those that were current so many days before `now`, or later.
 * @param steps everything that happened to one resource, in the order of the journal
 * @param now a time that is not later than the journal's
 * @returns what is to be given up, be it given up already
 */
export function surplusVersions<Version extends Step>(
  steps: readonly Version[],
  keep: Keep,
  now: string,
): readonly Surplus<Version>[] {
  if (keep === 'all') return [];
  const mementos = toMementos(steps);
  const between = mementos.slice(1, -1);
  const surplus =
    'last' in keep
      ? between.slice(0, Math.max(0, mementos.length - 1 - keep.last))
      : between.filter(({ end }) => end !== undefined && end.at < beginOfDays(keep.days, now));
  return surplus.flatMap(({ versions, end }) =>
    end ? versions.map((version) => ({ version, endSeq: end.seq })) : [],
  );
}

/** Longer than a repository has been there. */
const daysAtMost = 36_500;

/** What ended before this was not current within so many days. */
export function beginOfDays(days: number, now: string): string {
  return addSeconds(now, -Math.min(days, daysAtMost) * 86_400);
}

export function isSameKeep(a: Keep, b: Keep): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function toMementos<Version extends Step>(steps: readonly Version[]): readonly Memento<Version>[] {
  const versions = steps.filter(({ gone }) => !gone);
  const mementos = new Map<string, Memento<Version>>();
  for (const [index, version] of versions.entries()) {
    const earlier = mementos.get(version.lastmod)?.versions ?? [];
    mementos.delete(version.lastmod);
    mementos.set(version.lastmod, { versions: [...earlier, version], end: versions[index + 1] });
  }
  return [...mementos.values()];
}
