import fc from 'fast-check';
import { expect, test } from 'vitest';
import { duration, progressLine } from '../../../src/cli/terminal/progress-line.ts';
import { runs } from '../../house/runs.ts';

const plain = (_: string, text: string) => text;
const demo = { label: 'demo', done: 1200, total: 2400, noun: 'record', startedAt: 1000 };

test('a known total gives a bar, percentage, counts, rate and time left', () => {
  expect(progressLine(demo, 7000, 100, plain)).toBe(
    'demo ████████████░░░░░░░░░░░░  50 % 1200 of 2400 records, 200/s, 6 s left',
  );
  expect(progressLine({ ...demo, done: 2400 }, 7000, 100, plain)).toBe(
    'demo ████████████████████████ 100 % 2400 of 2400 records, 400/s',
  );
});

test('from the first moment there is a line', () => {
  expect(progressLine({ ...demo, done: 0 }, 1000, 100, plain)).toBe(
    'demo ░░░░░░░░░░░░░░░░░░░░░░░░   0 % 0 of 2400 records',
  );
  expect(progressLine({ ...demo, done: 0, total: undefined }, 1000, 100, plain)).toBe('demo 0 records, 0 s');
});

test('what an earlier run did counts, but says nothing about the pace', () => {
  expect(progressLine({ ...demo, before: 1140 }, 7000, 100, plain)).toMatch(/ 50 % .*, 10\/s, 2 min left$/);
});

test.each([[undefined], [0], [1199]])('a total of %s is none: no bar, no percentage', (total) => {
  expect(progressLine({ ...demo, total, note: '3 deleted' }, 7000, 100, plain)).toBe(
    'demo 1200 records, 200/s, 6 s (3 deleted)',
  );
});

test('octets are shown in MB', () => {
  const read = { ...demo, done: 1_500_000, total: 300_000_000, noun: 'byte', deed: 'read' };
  expect(progressLine(read, 7000, 100, plain)).toMatch(
    / {2}0 % 1\.5 of 300 MB read, 0\.3 MB\/s, 20 min left$/,
  );
  expect(progressLine({ ...read, total: undefined }, 7000, 100, plain)).toBe(
    'demo 1.5 MB read, 0.3 MB/s, 6 s',
  );
});

test('99.9 % is not 100 %', () => {
  expect(progressLine({ ...demo, done: 9999, total: 10_000 }, 7000, 100, plain)).toContain(' 99 % ');
});

test('the note goes first, then the bar, then the end of the line', () => {
  const stage = { ...demo, note: 'much more that could be said' };
  expect(progressLine(stage, 7000, 110, plain)).toMatch(/█░.*\(much more that could be said\)$/);
  expect(progressLine(stage, 7000, 80, plain)).toMatch(/█░.*6 s left$/);
  expect(progressLine(stage, 7000, 50, plain)).toBe('demo 50 % 1200 of 2400 records, 200/s, 6 s left');
  expect(progressLine(stage, 7000, 20, plain)).toBe('demo 50 % 1200 of 2…');
});

test('no line is wider than asked for', () => {
  const stages = fc.record({
    label: fc.constantFrom('a', 'a-long-name-of-a-source'),
    done: fc.nat(),
    total: fc.option(fc.nat(), { nil: undefined }),
    noun: fc.constantFrom('record', 'byte'),
    before: fc.nat(),
    note: fc.option(fc.constant('5 created, 6 deleted'), { nil: undefined }),
    startedAt: fc.nat(10_000),
  });
  fc.assert(
    fc.property(stages, fc.nat(1_000_000), fc.integer({ min: 1, max: 200 }), (stage, now, width) => {
      const line = progressLine(stage, now, width, plain);
      expect(line.length).toBeLessThanOrEqual(width);
      expect(line).not.toMatch(/NaN|Infinity|undefined/);
    }),
    { numRuns: runs(200) },
  );
});

test.each([
  [0, '0 s'],
  [41.2, '42 s'],
  [200, '3 min'],
  [3599, '1 h 0 min'],
  [7800, '2 h 10 min'],
  [100 * 3600, '4 d 4 h'],
])('%d seconds are %s', (seconds, text) => {
  expect(duration(seconds)).toBe(text);
});
