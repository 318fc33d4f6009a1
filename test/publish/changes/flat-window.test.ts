import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addSeconds } from '../../../src/core/datetime.ts';
import { flatWindow, markChange, noMarks, pruneMarks } from '../../../src/publish/changes/flat-window.ts';
import { runs } from '../../house/runs.ts';

const limits = { entries: 20, bytes: 400 };
const start = '2026-01-01T00:00:00Z';

const journal = fc
  .array(
    fc.record({
      wait: fc.constantFrom(0, 0, 1, 3600, 86_400),
      bytes: fc.integer({ min: 1, max: 30 }),
      skip: fc.integer({ min: 1, max: 3 }),
    }),
    { minLength: 1, maxLength: 80 },
  )
  .map((gaps) => {
    let datetime = start;
    let seq = 0;
    return gaps.map(({ wait, bytes, skip }) => {
      datetime = addSeconds(datetime, wait);
      seq += skip;
      return { datetime, bytes, seq };
    });
  });

it('RS-TIME-08: the window holds every change since its from, is within the limits, and is never empty', () => {
  fc.assert(
    fc.property(journal, fc.nat(200), fc.nat(90), fc.boolean(), (changes, firstPass, days, prune) => {
      const oldest = addSeconds(start, days * 43_200);
      let marks = noMarks;
      for (const change of changes) {
        marks = markChange(marks, change, firstPass, limits);
        if (prune) marks = pruneMarks(marks, oldest, limits);
      }
      const window = flatWindow(marks, oldest, limits);
      if (!window) throw new Error('there are changes, so there is a window');
      const read = changes.filter(({ seq }) => seq > window.afterSeq);
      const shown = read.filter(({ datetime }) => datetime >= window.from);
      expect(shown).toEqual(changes.filter(({ datetime }) => datetime >= window.from));
      expect(shown.length).toBeGreaterThan(0);

      const latest = changes.at(-1)?.datetime ?? '';
      const oneMoment = shown.every(({ datetime }) => datetime === latest);
      const bytes = shown.reduce((sum, change) => sum + change.bytes, 0);
      expect(oneMoment || (shown.length <= limits.entries && bytes <= limits.bytes)).toBe(true);

      const lastOfFirstPass = changes.findLast(({ seq }) => seq <= firstPass) ?? changes[0];
      expect(window.from >= (lastOfFirstPass?.datetime ?? '')).toBe(true);
      expect(window.from >= oldest || window.from === latest).toBe(true);
    }),
    { numRuns: runs(300) },
  );
});

it('where nothing restricts it, the window begins with the last moment of the first complete pass', () => {
  const changes = ['00', '00', '01', '01', '02'].map((second, index) => ({
    datetime: `2026-01-01T00:00:${second}Z`,
    seq: index + 1,
    bytes: 1,
  }));
  const marks = changes.reduce((state, change) => markChange(state, change, 4, limits), noMarks);
  expect(flatWindow(marks, '2025-01-01T00:00:00Z', limits)).toEqual({
    from: '2026-01-01T00:00:01Z',
    afterSeq: 2,
  });
});
