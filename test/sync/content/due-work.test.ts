import { expect, test } from 'vitest';
import { workThroughDue } from '../../../src/sync/content/due-work.ts';
import { CopyDatabase } from '../../../src/sync/state/copy-database.ts';
import { DueResources } from '../../../src/sync/state/due-resources.ts';

const now = () => '2026-11-27T10:00:00Z';
const nothing = { change: undefined, lastmod: undefined, hashes: [], type: undefined, links: [] };

test('of what is small more is under way than of all else, and each comes once', async () => {
  const database = CopyDatabase.open(undefined);
  const due = new DueResources(database);
  const expected: string[] = [];
  for (let number = 0; number < 1000; number += 1) {
    const loc = `${number % 3 === 0 || number < 150 ? 'large' : 'small'} ${number}`;
    due.add({ ...nothing, loc, length: undefined }, now());
    expected.push(loc);
  }
  const done: string[] = [];
  const under = { large: 0, small: 0 };
  const most = { large: 0, small: 0 };
  const work = async ({ loc }: { loc: string }) => {
    const kind = loc.startsWith('large') ? 'large' : 'small';
    under[kind] += 1;
    most[kind] = Math.max(most[kind], under[kind]);
    await new Promise(setImmediate);
    under[kind] -= 1;
    done.push(loc);
  };
  const isSmall = ({ loc }: { loc: string }) => loc.startsWith('small');
  const { signal: stop } = new AbortController();
  await workThroughDue(due, work, { atOnce: 2, smallAtOnce: 8, isSmall, stop, now });
  database.close();
  expect(done.toSorted()).toEqual(expected.toSorted());
  expect(most.large).toBe(2);
  expect(most.small).toBeGreaterThan(2);
});
