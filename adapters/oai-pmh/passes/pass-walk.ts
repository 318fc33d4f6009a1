import type { Problem } from '../../../src/core/adapter.ts';
import { eitherOf } from '../../../src/core/either-signal.ts';
import { Chain } from '../lists/chain.ts';
import type { ChainOutcome } from '../lists/chain-page.ts';
import { ChainRace } from '../lists/chain-race.ts';
import type { Listing } from '../lists/listing.ts';
import { RecordByRecord } from '../lists/record-by-record.ts';
import type { PassProgress } from '../windows/checkpoint.ts';
import type { Pass } from '../windows/passes.ts';
import type { Window } from '../windows/window.ts';
import type { PlannedWindow } from '../windows/window-plan.ts';
import { BadSpots } from './bad-spots.ts';
import { planAround } from './pass-around.ts';
import { PassCourse } from './pass-course.ts';

/** A part of a pass that can be stored at once. */
export interface PassPage<Entry> {
  readonly entries: readonly Entry[];
  readonly problems: readonly Problem[];
  /** Where the pass stands behind it; undefined: in the middle of a response. */
  readonly progress: PassProgress | undefined;
  /** Records that are expected of it. */
  readonly expected: number | undefined;
  readonly window: Window;
}

/**
 * One pass to its end, in one list or in several windows, some of them at a time where that is allowed. It is
 * over when a page's progress has no windows left.
 * @throws BridgeError what ended it early, behind what it brought
 */
export async function* walkPass<Entry>(
  listing: Listing<Entry>,
  pass: Pass,
  begun: { readonly progress: PassProgress | undefined; readonly base: Window },
  outer: AbortSignal,
): AsyncGenerator<PassPage<Entry>> {
  const leaving = new AbortController();
  const signal = eitherOf(outer, leaving.signal);
  const spots = new BadSpots(listing, pass);
  const { progress, failing } = await planAround(listing, pass, begun, spots, signal);
  const course = new PassCourse(listing, pass, progress, begun.base, signal);
  const race = new ChainRace<Entry, Chain<Entry> | RecordByRecord<Entry>>();
  const bad = new Set<string>();
  const readerOf = (planned: PlannedWindow) =>
    planned.state.single === true
      ? new RecordByRecord(
          listing,
          pass,
          planned.state,
          {
            known: course.knownOf(planned),
            bad,
            failing,
            remembered: planned.remembered === true,
            wide: planned.wide === true,
          },
          signal,
        )
      : new Chain(listing, pass, planned.state, course.optionsFor(planned), signal);
  const fill = () => {
    while (race.size < course.places) {
      const planned = course.plan.next();
      if (planned === undefined) return;
      planned.active = true;
      if (planned.state.narrowed === true) planned.remembered ??= spots.covers(planned.state.window);
      race.start(planned, readerOf(planned));
    }
  };
  try {
    while (!course.plan.empty) {
      fill();
      const { planned, reader, page } = await race.next();
      const { entries, after, outcome } = page;
      if (after !== undefined) planned.state = after;
      let failure: { readonly error: unknown } | undefined;
      if (outcome === undefined) course.answered(entries.length);
      else {
        planned.active = false;
        const chain = reader instanceof Chain ? reader : undefined;
        if (reader instanceof RecordByRecord) planned.found = reader.found;
        note(spots, planned, reader, outcome);
        await course.settle(planned, chain, outcome, entries.length).catch((error: unknown) => {
          failure = { error };
        });
        race.keepOnly((one) => course.plan.has(one));
      }
      const problems = [...page.problems, ...course.takeProblems()];
      // The next window is asked for while the end of this one is stored.
      if (outcome !== undefined && failure === undefined) fill();
      // Nothing, and no place to go on from, is not worth storing.
      if (failure === undefined || entries.length > 0 || problems.length > 0) {
        yield {
          entries,
          problems,
          progress: after === undefined || failure !== undefined ? undefined : course.progress,
          expected: course.expected,
          window: planned.state.window,
        };
      }
      if (failure !== undefined) throw failure.error;
    }
  } finally {
    leaving.abort();
    await race.end();
  }
}

/** What the end of a window tells the passes to come. */
function note<Entry>(
  spots: BadSpots,
  { state: { window }, wide }: PlannedWindow,
  reader: Chain<Entry> | RecordByRecord<Entry>,
  { kind }: ChainOutcome,
): void {
  if (reader instanceof Chain) {
    if (kind === 'ended') spots.forget(window);
  } else if (wide !== true && (kind === 'ended' || kind === 'doubtful')) {
    spots.remember(window, reader.missed);
  }
}
