import type { Checkpoint, PageRequest, Problem } from '../../../src/core/adapter.ts';
import type { AskedWindow } from '../../../src/core/under-way.ts';
import type { Listing } from '../lists/listing.ts';
import {
  fromCheckpoint,
  type PassProgress,
  type Progress,
  passKey,
  toCheckpoint,
} from '../windows/checkpoint.ts';
import type { Pass } from '../windows/passes.ts';
import { type PassPage, walkPass } from './pass-walk.ts';

/** A part of a run that can be stored at once. */
export interface WalkPage<Entry> {
  readonly pass: Pass;
  readonly entries: readonly Entry[];
  readonly problems: readonly Problem[];
  readonly checkpoint: Checkpoint | undefined;
  readonly asOf: string | undefined;
  readonly expectedTotal: number | undefined;
  /** Of all lists, as the repository says it; known behind the last one. */
  readonly statedTotal: number | undefined;
  readonly window: AskedWindow;
}

/** Where a run begins, or goes on. */
export interface WalkStart {
  /** ISO UTC; undefined: with the oldest. */
  readonly from: string | undefined;
  readonly checkpoint: PageRequest['checkpoint'];
}

export function progressAt({ from, checkpoint }: WalkStart): Progress {
  return fromCheckpoint(checkpoint) ?? { done: [], counted: 0, ...(from === undefined ? {} : { from }) };
}

/** One run of ListRecords or ListIdentifiers: pass after pass, each to its end or into an error. */
export async function* walkList<Entry>(
  listing: Listing<Entry>,
  passes: readonly Pass[],
  progress: Progress,
  signal: AbortSignal,
): AsyncGenerator<WalkPage<Entry>> {
  for (const pass of passes) {
    const key = passKey(pass);
    if (progress.done.includes(key)) continue;
    const begun = {
      progress: progress.current?.key === key ? progress.current : undefined,
      base: progress.from === undefined ? {} : { from: progress.from },
    };
    for await (const page of walkPass(listing, pass, begun, signal)) {
      takeOver(progress, page);
      const asOf = listing.clock.asOf;
      if (asOf !== undefined) progress.asOf = asOf;
      if (!listing.dates.allowed) delete progress.from;
      yield {
        pass,
        entries: page.entries,
        problems: page.problems,
        checkpoint: page.progress && toCheckpoint(progress),
        asOf,
        expectedTotal: expectedTotal(progress, page.expected, passes),
        statedTotal: statedTotal(progress, passes),
        window: { list: key, ...page.window },
      };
    }
  }
}

function takeOver<Entry>(progress: Progress, { progress: current }: PassPage<Entry>): void {
  if (current === undefined) return;
  if (current.windows.length > 0) {
    progress.current = current;
    return;
  }
  progress.done.push(current.key);
  progress.counted += current.delivered;
  addStated(progress, current);
  delete progress.current;
}

function addStated(progress: Progress, { stated }: PassProgress): void {
  const before = progress.done.length === 1 ? 0 : progress.stated;
  if (before === undefined || stated === undefined) delete progress.stated;
  else progress.stated = before + stated;
}

/** Sets may share records, which lists of sets count several times. */
function statedTotal({ done, stated }: Progress, passes: readonly Pass[]): number | undefined {
  const sets = new Set(passes.map(({ collection }) => collection));
  return sets.size === 1 && passes.every((pass) => done.includes(passKey(pass))) ? stated : undefined;
}

/** As if every format had as many records as the one that is being read. */
function expectedTotal(
  { counted, done }: Progress,
  expected: number | undefined,
  passes: readonly Pass[],
): number | undefined {
  const left = passes.filter((pass) => !done.includes(passKey(pass))).length;
  if (left === 0 || expected === undefined) {
    return done.length === 0 ? undefined : counted + Math.round((counted / done.length) * left);
  }
  return counted + expected * left;
}
