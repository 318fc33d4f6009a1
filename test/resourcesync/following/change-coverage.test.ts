import { describe, expect, it } from 'vitest';
import { gapSince } from '../../../src/resourcesync/following/change-coverage.ts';

const day = (number: number) => `2026-11-0${number}T00:00:00Z`;
const document = (from?: number, until?: number, oldest?: number) => ({
  from: from === undefined ? undefined : day(from),
  until: until === undefined ? undefined : day(until),
  oldest: oldest === undefined ? undefined : day(oldest),
});

describe('gapSince', () => {
  it.each([
    ['an open list that begins before', [document(1)]],
    ['one that begins at the very moment', [document(3)]],
    ['closed lists that meet, in whatever order', [document(4), document(1, 2), document(2, 4)]],
    ['lists that overlap', [document(1, 5), document(4)]],
    ['a list that ended before, and one that goes on', [document(1, 2), document(2)]],
    ['one that says nothing, whose changes reach back', [document(undefined, undefined, 2)]],
    ['one that says nothing and has nothing', [document()]],
    ['closed lists that end too early: the Source tells no more', [document(1, 5)]],
  ])('none: %s', (_, documents) => {
    expect(gapSince(day(3), documents)).toBeUndefined();
  });

  it.each([
    ['no list at all', [], 'there is no list'],
    ['a list that begins later', [document(4)], `begins at ${day(4)}`],
    [
      'a hole between lists',
      [document(1, 4), document(5)],
      `up to ${day(4)}, and what comes next begins at ${day(5)}`,
    ],
    [
      'a truncated list that says nothing of its interval',
      [document(undefined, undefined, 5)],
      'oldest change',
    ],
  ])('one: %s', (_, documents, why) => {
    expect(gapSince(day(3), documents)).toContain(why);
  });
});
