import type { Representation } from '../resource.ts';

/**
 * What a resource was, and when (RFC 7089), from its versions: pure, and the one place where that is decided.
 * Headers, TimeMaps, pages and the command line show it.
 */

/** A state that a resource had from a moment on. */
export interface Memento extends Representation {
  /** `Memento-Datetime`: `lastmod` as it was then. No two mementos of a resource have the same. */
  readonly datetime: string;
  /** Its bytes are not here but there. */
  readonly elsewhere?: string | undefined;
}

export interface Timeline {
  /** Oldest first. */
  readonly mementos: readonly Memento[];
  /** When there was nothing: from a deletion, inclusive, up to the next creation, exclusive. */
  readonly gaps: readonly Gap[];
  /** Moments of mementos that retention has given up. */
  readonly dropped: readonly string[];
}

export interface Gap {
  readonly from: string;
  /** Undefined: it is still deleted. */
  readonly until?: string | undefined;
}

/** One step of a resource's life, in the order of the journal. */
export interface TimelineStep extends Memento {
  /** It was deleted. */
  readonly gone: boolean;
  readonly dropped: boolean;
  /** Neither are its bytes here nor is it known where else they would be. */
  readonly lost: boolean;
}

/**
 * @param steps in the order in which they happened
 * @param prior what it was before the first of them, oldest first, as far as its upstream remembers
 */
export function toTimeline(steps: readonly TimelineStep[], prior: readonly Memento[] = []): Timeline {
  const states = new Map<string, TimelineStep>();
  const gaps: Gap[] = [];
  for (const step of steps) {
    const open = gaps.at(-1);
    if (step.gone) {
      if (!open || open.until !== undefined) gaps.push({ from: step.datetime });
    } else {
      if (open && open.until === undefined) gaps[gaps.length - 1] = { ...open, until: step.datetime };
      // Of several in one second the last is what there was from then on.
      states.set(step.datetime, step);
    }
  }
  const mementos = priorTo(steps[0]?.datetime, prior);
  const dropped: string[] = [];
  for (const step of states.values()) {
    if (step.dropped) dropped.push(step.datetime);
    else if (!step.lost) mementos.push(toMemento(step));
  }
  return {
    mementos: mementos.sort(byDatetime),
    gaps: gaps.filter(({ from, until }) => until === undefined || from < until),
    dropped,
  };
}

/** Of several in one second the last. */
function priorTo(begin: string | undefined, prior: readonly Memento[]): Memento[] {
  if (prior.length === 0) return [];
  const earlier = prior.filter(({ datetime }) => begin === undefined || datetime < begin);
  return [...new Map(earlier.map((one) => [one.datetime, one])).values()];
}

function byDatetime(a: Memento, b: Memento): number {
  return Number(a.datetime > b.datetime) - Number(a.datetime < b.datetime);
}

function toMemento({ datetime, mediaType, length, hash, elsewhere }: TimelineStep): Memento {
  return { datetime, mediaType, length, hash, elsewhere };
}

/** What a resource was at a moment: positions in `mementos`; undefined where there is none. */
export interface Selection {
  /** Undefined: at that moment there was nothing, or nothing is known at all. */
  readonly selected?: number | undefined;
  /** The nearest before and after. */
  readonly prev?: number | undefined;
  readonly next?: number | undefined;
}

/**
 * The state that was valid at a moment (ME-06): the latest memento that is not later; before the first the first
 * (ME-04); where the resource was deleted, none.
 * @param at without it: the latest there is, also of what is deleted (ME-05)
 */
export function selectMemento({ mementos, gaps }: Timeline, at?: string): Selection {
  const last = mementos.length - 1;
  if (last < 0) return {};
  if (at === undefined) return around(last, last);
  const found = lastNotAfter(mementos, at);
  const isGone = gaps.some(({ from, until }) => from <= at && (until === undefined || at < until));
  if (!isGone) return around(Math.max(found, 0), last);
  return { prev: found < 0 ? undefined : found, next: found < last ? found + 1 : undefined };
}

/** The memento of exactly this moment. */
export function exactMemento({ mementos }: Timeline, datetime: string): Selection {
  const found = lastNotAfter(mementos, datetime);
  return found >= 0 && mementos[found]?.datetime === datetime ? around(found, mementos.length - 1) : {};
}

function around(selected: number, last: number): Selection {
  return {
    selected,
    prev: selected > 0 ? selected - 1 : undefined,
    next: selected < last ? selected + 1 : undefined,
  };
}

/** By halves: a resource may have thousands. */
function lastNotAfter(mementos: readonly Memento[], at: string): number {
  let [before, after] = [-1, mementos.length];
  while (after - before > 1) {
    const middle = (before + after) >>> 1;
    if ((mementos[middle]?.datetime ?? '') <= at) before = middle;
    else after = middle;
  }
  return before;
}
