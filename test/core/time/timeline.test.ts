import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addSeconds } from '../../../src/core/datetime.ts';
import {
  exactMemento,
  type Memento,
  selectMemento,
  type Timeline,
  type TimelineStep,
  toTimeline,
} from '../../../src/core/time/timeline.ts';

const begin = '2026-01-01T00:00:00Z';
const at = (seconds: number) => addSeconds(begin, seconds);

function step(seconds: number, facts: Partial<TimelineStep> = {}): TimelineStep {
  return {
    datetime: at(seconds),
    hash: `sha-256:${seconds}`,
    gone: false,
    dropped: false,
    lost: false,
    ...facts,
  };
}

const gone = (seconds: number) => step(seconds, { gone: true, hash: undefined });
const datetimes = ({ mementos }: Timeline) => mementos.map(({ datetime }) => datetime);

function selected(timeline: Timeline, moment?: string): string | undefined {
  return timeline.mementos[selectMemento(timeline, moment).selected ?? -1]?.datetime;
}

/** A journal: each step some seconds after the one before, often none. */
const journals = fc
  .array(fc.record({ after: fc.constantFrom(0, 0, 1, 2, 5), kind: fc.constantFrom('new', 'new', 'gone') }), {
    maxLength: 30,
  })
  .map((drawn) => {
    let seconds = 10;
    let living = false;
    const steps: TimelineStep[] = [];
    for (const [index, { after, kind }] of drawn.entries()) {
      seconds += after;
      // Only what is there can be deleted.
      const isGone: boolean = kind === 'gone' && living;
      living = !isGone;
      steps.push(isGone ? gone(seconds) : step(seconds, { hash: `sha-256:${index}` }));
    }
    return steps;
  });

/** What was there after the last step up to a moment. */
function replay(steps: readonly TimelineStep[], moment: string): TimelineStep | undefined {
  const last = steps.filter(({ datetime }) => datetime <= moment).at(-1);
  return last?.gone ? undefined : last;
}

describe('what a resource was', () => {
  test('at any moment is what the journal says, and before it was created the first (ME-04, ME-06)', () => {
    fc.assert(
      fc.property(journals, fc.integer({ min: 0, max: 120 }), (steps, seconds) => {
        const timeline = toTimeline(steps);
        const moment = at(seconds);
        const { selected: index, prev, next } = selectMemento(timeline, moment);
        const isBefore = steps[0] === undefined || moment < steps[0].datetime;
        if (isBefore) expect(index).toBe(steps.length === 0 ? undefined : 0);
        else expect(timeline.mementos[index ?? -1]?.hash).toBe(replay(steps, moment)?.hash);
        // The neighbours are the nearest on either side, whatever was found.
        const all = datetimes(timeline);
        const here = index === undefined ? moment : (all[index] ?? '');
        const before = all.filter((one) => (index === undefined ? one <= here : one < here)).at(-1);
        const after = all.find((one) => one > here);
        expect([all[prev ?? -1], all[next ?? -1]]).toEqual([before, after]);
      }),
    );
  });

  test('has one memento a moment, oldest first, and each is found by its own', () => {
    fc.assert(
      fc.property(journals, (steps) => {
        const timeline = toTimeline(steps);
        const all = datetimes(timeline);
        expect(all).toEqual([...new Set(all)].sort());
        for (const [index, datetime] of all.entries()) {
          expect(exactMemento(timeline, datetime)).toEqual({
            selected: index,
            prev: index > 0 ? index - 1 : undefined,
            next: index < all.length - 1 ? index + 1 : undefined,
          });
        }
        expect(exactMemento(timeline, '2025-12-31T00:00:00Z')).toEqual({});
      }),
    );
  });

  test('without a moment is the latest, also of what is deleted (ME-05)', () => {
    expect(selected(toTimeline([step(1), step(2)]))).toBe(at(2));
    expect(selected(toTimeline([step(1), step(2), gone(3)]))).toBe(at(2));
    expect(selected(toTimeline([]))).toBeUndefined();
    expect(selectMemento(toTimeline([gone(1)]), at(2))).toEqual({});
  });
});

describe('a deletion', () => {
  test('lasts until the next creation', () => {
    const timeline = toTimeline([step(1), gone(3), step(5), gone(7)]);
    expect(timeline.gaps).toEqual([{ from: at(3), until: at(5) }, { from: at(7) }]);
    // In a gap nothing is selected, but what was before it and came after it is known.
    expect(selectMemento(timeline, at(3))).toEqual({ prev: 0, next: 1 });
    expect(selectMemento(timeline, at(8))).toEqual({ prev: 1, next: undefined });
    expect([2, 3, 4, 5, 6, 7, 99].map((seconds) => selected(timeline, at(seconds)))).toEqual([
      at(1),
      undefined,
      undefined,
      at(5),
      at(5),
      undefined,
      undefined,
    ]);
  });

  test('in the second of its creation leaves a memento of no duration, and one taken back at once no gap', () => {
    const brief = toTimeline([step(1), gone(1)]);
    expect([datetimes(brief), selected(brief, at(1))]).toEqual([[at(1)], undefined]);
    const restored = toTimeline([step(1), gone(2), step(2)]);
    expect([restored.gaps, selected(restored, at(2))]).toEqual([[], at(2)]);
  });

  test('said twice is one', () => {
    const timeline = toTimeline([step(1), gone(2), gone(3), step(4)]);
    expect(timeline.gaps).toEqual([{ from: at(2), until: at(4) }]);
    expect(selected(timeline, at(5))).toBe(at(4));
  });

  test('before all that is kept is one all the same', () => {
    const timeline = toTimeline([step(1, { lost: true }), gone(2), step(5)]);
    expect(selectMemento(timeline, at(3))).toEqual({ next: 0 });
    expect(selected(timeline, at(1))).toBe(at(5));
  });
});

describe('what is not there any more', () => {
  test('is no memento; for its time stands what was before, else the first', () => {
    const timeline = toTimeline([step(1), step(3, { dropped: true }), step(5)]);
    expect([datetimes(timeline), timeline.dropped]).toEqual([[at(1), at(5)], [at(3)]]);
    expect(selected(timeline, at(4))).toBe(at(1));
    expect(exactMemento(timeline, at(3))).toEqual({});
    const lost = toTimeline([step(1, { lost: true }), step(3)]);
    expect([datetimes(lost), lost.dropped]).toEqual([[at(3)], []]);
  });
});

describe('what an upstream remembers', () => {
  const prior = (seconds: number): Memento => ({ datetime: at(seconds), hash: `md5:${seconds}` });

  test('comes before what was met here, in the order of its moments', () => {
    const timeline = toTimeline([step(10), step(20)], [prior(5), prior(2), prior(10), prior(15)]);
    expect(datetimes(timeline)).toEqual([at(2), at(5), at(10), at(20)]);
    expect([selected(timeline, at(1)), selected(timeline, at(7))]).toEqual([at(2), at(5)]);
    expect(timeline.mementos[2]?.hash).toBe('sha-256:10');
  });
});

test('a time of an upstream that goes back does not break the order', () => {
  const timeline = toTimeline([step(10), step(5), step(20)]);
  expect(datetimes(timeline)).toEqual([at(5), at(10), at(20)]);
  expect(selected(timeline, at(7))).toBe(at(5));
});

test('of thousands of versions one is found at once', () => {
  const timeline = toTimeline(Array.from({ length: 5000 }, (_, index) => step(index * 2)));
  expect(selected(timeline, at(7001))).toBe(at(7000));
  expect(exactMemento(timeline, at(9998))).toEqual({ selected: 4999, prev: 4998, next: undefined });
});
