import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addSeconds, endOfSlot } from '../../../src/core/datetime.ts';
import {
  closeByTime,
  emptyPartition,
  placeChange,
  type Step,
} from '../../../src/publish/changes/change-partition.ts';
import type { Partition } from '../../../src/publish/disk/change-state.ts';

const limits = { entries: 5, bytes: 100 };

interface Change {
  readonly datetime: string;
  readonly bytes: number;
}

interface List {
  readonly from: string;
  readonly ordinal: number;
  until: string | undefined;
  changes: Change[];
}

/** A journal whose clock sometimes stands still, sometimes jumps days. */
const journal = fc
  .array(
    fc.record({
      wait: fc.constantFrom(0, 0, 0, 1, 3600, 86_400, 200_000),
      bytes: fc.integer({ min: 1, max: 60 }),
    }),
    {
      maxLength: 60,
    },
  )
  .map((gaps) => {
    let datetime = '2026-01-01T22:00:00Z';
    return gaps.map(({ wait, bytes }): Change => {
      datetime = addSeconds(datetime, wait);
      return { datetime, bytes };
    });
  });

/** Carries the steps out, as the writer does with files. */
class Lists {
  readonly lists: List[] = [];
  partition: Partition = emptyPartition;
  readonly #slotMinutes: number;
  #rest: Change[] = [];

  constructor(slotMinutes: number) {
    this.#slotMinutes = slotMinutes;
  }

  add(change: Change): void {
    const { partition, steps } = placeChange(this.partition, change, limits, this.#slotMinutes);
    this.#take(steps);
    this.partition = partition;
    this.lists.at(-1)?.changes.push(change);
  }

  advance(now: string): void {
    const { partition, steps } = closeByTime(this.partition, now, this.#slotMinutes);
    this.#take(steps);
    this.partition = partition;
  }

  #take(steps: readonly Step[]): void {
    for (const step of steps) {
      const last = this.lists.at(-1);
      if (step.kind === 'open') {
        this.lists.push({ from: step.from, ordinal: step.ordinal, until: undefined, changes: this.#rest });
        this.#rest = [];
      } else if (last) {
        last.until = step.until;
        this.#rest = last.changes.splice(step.kept.entries);
        expect(last.changes.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(step.kept.bytes);
      }
    }
  }
}

function partitioned(
  slotMinutes: number,
  changes: readonly Change[],
  advance: (change: Change) => string | undefined = () => undefined,
) {
  const lists = new Lists(slotMinutes);
  for (const change of changes) {
    lists.add(change);
    const now = advance(change);
    if (now !== undefined) lists.advance(now);
  }
  return lists.lists;
}

describe.each([1440, 60, 7])('slots of %i minutes', (slotMinutes) => {
  it('every change is in exactly one list, in order, and no list is empty (RS-TIME-08, RS-CL-04, E-13)', () => {
    fc.assert(
      fc.property(journal, (changes) => {
        const lists = partitioned(slotMinutes, changes);
        expect(lists.flatMap((list) => list.changes)).toEqual(changes);
        for (const list of lists) expect(list.changes.length).toBeGreaterThan(0);
      }),
    );
  });

  it('RS-CL-16, E-12: intervals are half-open, follow each other without a gap, and have URIs of their own', () => {
    fc.assert(
      fc.property(journal, (changes) => {
        const lists = partitioned(slotMinutes, changes);
        for (const [index, list] of lists.entries()) {
          const next = lists[index + 1];
          expect(next?.from).toBe(next && list.until);
          expect(list.until === undefined).toBe(next === undefined);
          const oneMoment = list.changes.every(({ datetime }) => datetime === list.changes[0]?.datetime);
          for (const { datetime } of list.changes) {
            expect(datetime >= list.from).toBe(true);
            // Changes of one moment that exceed the limits by themselves have to be cut somewhere.
            const cut = oneMoment && list.until === datetime;
            if (list.until !== undefined && !cut) expect(datetime < list.until).toBe(true);
          }
        }
        expect(new Set(lists.map(({ from, ordinal }) => `${from}-${ordinal}`)).size).toBe(lists.length);
        expect(lists[0]?.from).toBe(changes[0]?.datetime);
      }),
    );
  });

  it('RS-GEN-17: no list exceeds the limits, and none outlives the slot of its last entry', () => {
    fc.assert(
      fc.property(journal, (changes) => {
        for (const { changes: kept, until } of partitioned(slotMinutes, changes)) {
          expect(kept.length).toBeLessThanOrEqual(limits.entries);
          expect(kept.length === 1 || kept.reduce((sum, { bytes }) => sum + bytes, 0) <= limits.bytes).toBe(
            true,
          );
          const last = kept.at(-1);
          if (until !== undefined && last) expect(until <= endOfSlot(last.datetime, slotMinutes)).toBe(true);
          for (const change of kept) {
            const day = endOfSlot(change.datetime, slotMinutes);
            expect(last && (last.datetime < day || change === last)).toBe(true);
          }
        }
      }),
    );
  });

  it('RS-TIME-09: whenever the ends of slots are noticed, the closed lists are the same', () => {
    fc.assert(
      fc.property(journal, fc.infiniteStream(fc.boolean()), (changes, noticed) => {
        const next = noticed[Symbol.iterator]();
        const eager = partitioned(slotMinutes, changes, ({ datetime }) => {
          // The journal's clock is advanced at most to where the next change is dated.
          const following = changes.find((change) => change.datetime > datetime)?.datetime;
          return next.next().value && changes.filter((change) => change.datetime === datetime).length === 1
            ? following
            : undefined;
        });
        expect(eager).toEqual(partitioned(slotMinutes, changes));
      }),
    );
  });
});

it('a list that is closed at once ends now, and only behind its last entry', () => {
  const { partition } = placeChange(
    emptyPartition,
    { datetime: '2026-01-01T22:00:00Z', bytes: 1 },
    limits,
    1440,
  );
  expect(closeByTime(partition, '2026-01-01T22:00:00Z', 1440, true).steps).toEqual([]);
  expect(closeByTime(partition, '2026-01-01T22:00:01Z', 1440, true).steps).toMatchObject([
    { kind: 'close', until: '2026-01-01T22:00:01Z' },
  ]);
});
