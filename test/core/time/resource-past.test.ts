import { expect, test } from 'vitest';
import { type JournalStep, toPast, versionAt } from '../../../src/core/time/resource-past.ts';
import { type Memento, toTimeline } from '../../../src/core/time/timeline.ts';

const day = (number: number) => `2026-11-${String(number).padStart(2, '0')}T00:00:00Z`;
const facts = (name: string) => ({ mediaType: 'text/plain', length: name.length, hash: `sha-256:${name}` });

interface Told {
  readonly gone?: boolean;
  readonly dropped?: boolean;
  readonly lost?: boolean;
  readonly elsewhere?: string;
  readonly datetime?: string;
}

/** A resource to which something happened each day, and what it was before by its upstream. */
function past(life: readonly (readonly [string, Told?])[], prior: readonly Memento[] = []) {
  const steps = life.map(([name, told = {}], index): JournalStep & Told => ({
    ...facts(name),
    ...told,
    seq: index + 1,
    at: `${day(index + 10).slice(0, 10)}T12:00:00Z`,
    datetime: told.datetime ?? day(index + 10),
    gone: told.gone ?? false,
    droppedAt: told.dropped ? day(28) : undefined,
  }));
  const timeline = toTimeline(
    steps.map((step) => ({ ...step, dropped: step.dropped ?? false, lost: step.lost ?? false })),
    prior,
  );
  return toPast(timeline, steps);
}

/** `1 10–12 kept`: number, days, state. */
function told({ versions }: ReturnType<typeof past>): readonly string[] {
  return versions.map(
    ({ number, from, until, state }) =>
      `${number} ${from.slice(8, 10)}–${until?.slice(8, 10) ?? ''} ${state}`,
  );
}

test('each version ends where the next one begins, and the current one does not', () => {
  const { versions, gaps } = past([['a'], ['bb']]);
  expect(gaps).toEqual([]);
  expect(versions).toEqual([
    {
      ...facts('a'),
      number: 1,
      from: day(10),
      until: day(11),
      origin: 'journal',
      state: 'kept',
      elsewhere: undefined,
      seq: 1,
      storedAt: '2026-11-10T12:00:00Z',
      droppedAt: undefined,
    },
    {
      ...facts('bb'),
      number: 2,
      from: day(11),
      until: undefined,
      origin: 'journal',
      state: 'kept',
      elsewhere: undefined,
      seq: 2,
      storedAt: '2026-11-11T12:00:00Z',
      droppedAt: undefined,
    },
  ]);
});

test('a version that cannot be had keeps its number and its days', () => {
  const lives = past([
    ['a'],
    ['b', { dropped: true }],
    ['c', { lost: true }],
    ['d', { elsewhere: 'https://x/' }],
  ]);
  expect(told(lives)).toEqual(['1 10–11 kept', '2 11–12 dropped', '3 12–13 lost', '4 13– elsewhere']);
  expect(lives.versions.map(({ droppedAt }) => droppedAt)).toEqual([
    undefined,
    day(28),
    undefined,
    undefined,
  ]);
  expect(lives.versions.at(-1)?.elsewhere).toBe('https://x/');
});

test('a deletion ends a version, and a creation ends the gap', () => {
  const lives = past([['a'], ['', { gone: true }], ['b'], ['c'], ['', { gone: true }]]);
  expect(told(lives)).toEqual(['1 10–11 kept', '2 12–13 kept', '3 13–14 kept']);
  expect(lives.gaps).toEqual([
    { from: day(11), until: day(12) },
    { from: day(14), until: undefined },
  ]);
});

test('what the upstream tells of the time before comes first, without a place in the journal', () => {
  const before = [
    { ...facts('x'), datetime: day(1), elsewhere: 'https://repo.example.org/x' },
    { ...facts('y'), datetime: day(2) },
  ];
  const lives = past([['a']], before);
  expect(told(lives)).toEqual(['1 01–02 elsewhere', '2 02–10 kept', '3 10– kept']);
  expect(lives.versions.slice(0, 2)).toEqual([
    {
      ...facts('x'),
      number: 1,
      from: day(1),
      until: day(2),
      origin: 'upstream',
      state: 'elsewhere',
      elsewhere: 'https://repo.example.org/x',
    },
    {
      ...facts('y'),
      number: 2,
      from: day(2),
      until: day(10),
      origin: 'upstream',
      state: 'kept',
      elsewhere: undefined,
    },
  ]);
});

test('of several versions in one second the last counts', () => {
  const lives = past([['a'], ['b', { datetime: day(10) }], ['c']]);
  expect(told(lives)).toEqual(['1 10–12 kept', '2 12– kept']);
  expect(lives.versions[0]).toMatchObject({ seq: 2, hash: 'sha-256:b' });
});

test('the version of a moment is the one that began last, and in a gap there is none', () => {
  const lives = past([['a'], ['', { gone: true }], ['b', { dropped: true }], ['', { gone: true }]]);
  const at = (moment: string) => versionAt(lives, moment)?.hash;
  expect(at(day(9))).toBeUndefined();
  expect(at(day(10))).toBe('sha-256:a');
  expect(at('2026-11-10T23:59:59Z')).toBe('sha-256:a');
  expect(at(day(11))).toBeUndefined();
  expect(at('2026-11-11T23:59:59Z')).toBeUndefined();
  expect(at(day(12)), 'whether it can be had or not').toBe('sha-256:b');
  expect(at(day(13))).toBeUndefined();
  expect(at(day(28))).toBeUndefined();
});
