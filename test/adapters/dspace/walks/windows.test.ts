import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  allUuids,
  clusterOf,
  fromMark,
  holds,
  roundedEnd,
  toMark,
  toPosition,
  toPrefixes,
  toUuid as uuidAt,
} from '../../../../adapters/dspace/search/uuid-range.ts';
import { sweep } from '../../../../adapters/dspace/walks/sweep.ts';
import { collect, restOf, scriptOf, toUuid } from '../../../house/adapters/search-script.ts';
import { SearchDouble } from '../../../house/adapters/search-server.ts';
import { runs } from '../../../house/runs.ts';

const { signal } = new AbortController();

const position = fc.bigInt({ min: 0n, max: allUuids.high });
const range = fc
  .tuple(position, position)
  .filter(([a, b]) => a !== b)
  .map(([a, b]) => (a < b ? { low: a, high: b } : { low: b, high: a }));

const hex = (length: number) =>
  fc
    .array(fc.integer({ min: 0, max: 15 }), { minLength: length, maxLength: length })
    .map((digits) => digits.map((digit) => digit.toString(16)).join(''));

/** Of random ones, ones that share their beginning, and neighbours. */
const uuids = fc
  .tuple(
    fc.array(hex(32), { maxLength: 120 }),
    fc.tuple(hex(8), fc.array(hex(24), { maxLength: 60 })),
    fc.tuple(hex(30), fc.array(hex(2), { maxLength: 60 })),
  )
  .map(([random, [beginning, rests], [most, ends]]) => [
    ...new Set([
      ...random.map(toUuid),
      ...rests.map((rest) => toUuid(beginning + rest)),
      ...ends.map((end) => toUuid(most + end)),
    ]),
  ]);

test('prefixes make up exactly their range', () => {
  fc.assert(
    fc.property(range, fc.integer({ min: 1, max: 40 }), position, (whole, most, somewhere) => {
      const part = toPrefixes(whole, most);
      expect(part.low).toBe(whole.low);
      expect(part.high).toBeGreaterThan(whole.low);
      expect(part.high).toBeLessThanOrEqual(whole.high);
      expect(part.prefixes.length).toBeLessThanOrEqual(most);
      for (const at of [part.low, part.high - 1n, part.high % allUuids.high, somewhere % allUuids.high]) {
        const uuid = uuidAt(at);
        expect(part.prefixes.filter((prefix) => uuid.startsWith(prefix)).length).toBe(
          holds(part, uuid) ? 1 : 0,
        );
      }
    }),
  );
});

test('everything is one prefix, the empty one', () => {
  expect(toPrefixes(allUuids, 30)).toEqual({ ...allUuids, prefixes: [''] });
});

test('dashes stand where UUIDs have them', () => {
  const low = toPosition('01234567-89ab-cdef-0123-456789abcdef');
  expect(toPrefixes({ low, high: low + 1n }, 1).prefixes).toEqual(['01234567-89ab-cdef-0123-456789abcdef']);
  const block = {
    low: toPosition('01234567-8000-0000-0000-000000000000'),
    high: toPosition('01234567-9000-0000-0000-000000000000'),
  };
  expect(toPrefixes(block, 1).prefixes).toEqual(['01234567-8']);
});

test('positions are kept as marks', () => {
  fc.assert(fc.property(position, (at) => fromMark(toMark(at)) === at));
  expect(toMark(0n)).toBe('');
  for (const mark of [undefined, 3, 'x', 'A', '0'.repeat(33)]) expect(fromMark(mark)).toBeUndefined();
});

test('an end with few digits is in the range and about where it was wanted', () => {
  fc.assert(
    fc.property(range, position, (whole, width) => {
      const end = roundedEnd(whole, width);
      expect(end).toBeGreaterThan(whole.low);
      expect(end).toBeLessThanOrEqual(whole.high);
      if (end < whole.high && width >= 16n) {
        expect(end - whole.low).toBeGreaterThanOrEqual((width * 7n) / 8n);
        expect(end - whole.low).toBeLessThanOrEqual((width * 9n) / 8n);
      }
    }),
  );
});

test('what lies together is in a cluster', () => {
  expect(clusterOf([toUuid('0'.repeat(32))])).toBeUndefined();
  const near = ['1', '2', '3', '4'].map((end) => toUuid(end.padStart(32, '0')));
  expect(clusterOf(near)).toEqual({ low: 1n, high: 5n });
});

test('any items, any limits, any interruption: every item comes exactly once', async () => {
  const sizes = fc.record({
    cap: fc.integer({ min: 1, max: 100 }),
    heavy: fc.option(
      fc.record({ rows: fc.integer({ min: 2, max: 60 }), status: fc.constantFrom(500, 504) }),
      {
        nil: undefined,
      },
    ),
    or: fc.option(fc.constantFrom('all' as const, 'refused' as const), { nil: undefined }),
  });
  await fc.assert(
    fc.asyncProperty(
      uuids,
      sizes,
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 5, max: 100 }),
      fc.integer({ min: 1, max: 4 }),
      async (all, { cap, heavy, or }, pages, size, parallel) => {
        const double = new SearchDouble(all.map((uuid) => ({ uuid })));
        double.faults = { cap, ...(heavy && { heavy }), ...(or && { or }) };
        const script = scriptOf(restOf(double), { requestsPerHost: parallel });
        const before = await collect(sweep(script, { mode: 'full' }, signal), pages);
        const checkpoint = JSON.parse(JSON.stringify(before.checkpoint));
        const again = scriptOf(restOf(double), { requestsPerHost: parallel });
        again.context.lessons.learn('page-size', String(size), 'as it happened');
        const after = await collect(sweep(again, { mode: 'full', checkpoint }, signal));
        expect([...before.identifiers, ...after.identifiers].sort()).toEqual([...all].sort());
        expect([...before.problems, ...after.problems]).toEqual([]);
        // Single prefixes have to go down digit by digit where UUIDs are not as random as they should be.
        const perItem = Math.max(1, 3 / Math.min(cap, heavy?.rows ?? 100, 20));
        const depth = or === undefined ? 400 : 3000;
        expect(double.asked.length).toBeLessThan(depth + all.length * (heavy || cap < 5 ? 6 : 2) * perItem);
      },
    ),
    { numRuns: runs(25) },
  );
});
