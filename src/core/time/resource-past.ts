import type { Representation } from '../resource.ts';
import type { Memento, Timeline } from './timeline.ts';

/** A state that a resource had, as a person counts them. */
export interface PastVersion extends Representation {
  /** From 1, oldest first; one that was given up keeps its number. */
  readonly number: number;
  readonly from: string;
  /** Exclusive; undefined: to this day. */
  readonly until: string | undefined;
  /** What tells of it: our journal, or the upstream's own history of the item. */
  readonly origin: 'journal' | 'upstream';
  /**
   * `kept`: its bytes are here; `elsewhere`: they are at the upstream; `dropped`: retention gave them up;
   * `lost`: nobody is known to have them.
   */
  readonly state: 'kept' | 'elsewhere' | 'dropped' | 'lost';
  readonly elsewhere?: string | undefined;
  /** When the journal took it in, and where. */
  readonly storedAt?: string | undefined;
  readonly seq?: number | undefined;
  readonly droppedAt?: string | undefined;
}

/** When there was nothing. */
export interface PastGap {
  readonly from: string;
  readonly until: string | undefined;
}

export interface ResourcePast {
  /** Oldest first. */
  readonly versions: readonly PastVersion[];
  readonly gaps: readonly PastGap[];
}

/** A version as the journal has it: also what retention gave up, and what nobody has the bytes of. */
export interface JournalStep extends Representation {
  readonly seq: number;
  /** When it happened, by the journal's clock. */
  readonly at: string;
  /** When it begins for the world: `Memento-Datetime`. */
  readonly datetime: string;
  /** It was deleted. */
  readonly gone: boolean;
  /** When retention gave it up. */
  readonly droppedAt: string | undefined;
}

/** The timeline of a resource with what it leaves out: versions that can be had no longer. */
export function toPast(timeline: Timeline, steps: readonly JournalStep[]): ResourcePast {
  // Of several in one second the last is what there was from then on; see `toTimeline`.
  const own = new Map<string, JournalStep>();
  for (const step of steps) if (!step.gone) own.set(step.datetime, step);
  const mementos = new Map(timeline.mementos.map((memento) => [memento.datetime, memento]));
  const prior = timeline.mementos.filter(({ datetime }) => !own.has(datetime));
  const begins = [...prior, ...own.values()].sort((a, b) => order(a.datetime, b.datetime));
  const gapBegins = timeline.gaps.map(({ from }) => from);
  const versions = begins.map((begin, index): PastVersion => {
    const { datetime } = begin;
    const next = begins[index + 1]?.datetime;
    const gap = gapBegins.find((from) => from >= datetime && (next === undefined || from <= next));
    const ends = [next, gap].filter((moment) => moment !== undefined).sort();
    return {
      number: index + 1,
      from: datetime,
      until: ends[0],
      ...factsOf(own.get(datetime), mementos.get(datetime), begin),
    };
  });
  return { versions, gaps: timeline.gaps.map(({ from, until }) => ({ from, until })) };
}

function factsOf(
  step: JournalStep | undefined,
  memento: Memento | undefined,
  { mediaType, length, hash }: Representation,
): Omit<PastVersion, 'number' | 'from' | 'until'> {
  const facts = { mediaType, length, hash, elsewhere: memento?.elsewhere };
  const kept = memento?.elsewhere === undefined ? 'kept' : 'elsewhere';
  if (!step) return { ...facts, origin: 'upstream', state: kept };
  const { seq, at: storedAt, droppedAt } = step;
  const missing = droppedAt === undefined ? 'lost' : 'dropped';
  return { ...facts, origin: 'journal', state: memento ? kept : missing, seq, storedAt, droppedAt };
}

function order(a: string, b: string): number {
  return Number(a > b) - Number(a < b);
}

/** The version that was valid at a moment, whether it can be had or not; undefined: there was none. */
export function versionAt({ versions, gaps }: ResourcePast, at: string): PastVersion | undefined {
  if (gaps.some(({ from, until }) => from <= at && (until === undefined || at < until))) return undefined;
  return versions.findLast(({ from }) => from <= at);
}
