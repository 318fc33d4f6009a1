import { expect, it } from 'vitest';
import { type JointChoice, jointSets } from '../../../src/core/config/joint-sets.ts';
import { takeUp } from '../../../src/store/joint/take-up.ts';
import { jointOf, listJointChanges } from '../../../src/store/reading/joint-changes.ts';
import { endFirstPass, seedChanges, seedSource } from '../../house/publish/seed.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 10, 21, 12, minute)).toISOString().replace('.000', '');

describeOnBoth('the changes of a set across sources', (open) => {
  it('are read in pieces, also those that came with one step, and where steps of a source that left are gone', async () => {
    const { database } = open();
    const choice: JointChoice = {};
    const setOf = (names: readonly string[]) => {
      const [set] = jointSets({ all: choice }, Object.fromEntries(names.map((name) => [name, {}])));
      if (!set) throw new Error('there is no set');
      return set;
    };
    for (const [name, count] of [
      ['a', 7],
      ['b', 4],
      ['c', 5],
    ] as const) {
      await seedSource(database, name);
      const names = Array.from({ length: count }, (_, number) => `n${number}`);
      await seedChanges(
        database,
        name,
        names.map((one) => ({ name: one, at: at(0) })),
      );
      await endFirstPass(database, name);
    }
    const all = setOf(['a', 'b', 'c']);
    await takeUp(database, jointOf(all), at(1));
    await seedChanges(database, 'b', [{ name: 'later', at: at(2) }]);
    await takeUp(database, jointOf(all), at(2));
    const read = async (range: { afterSeq: number; upToSeq?: number }, rows?: number) => {
      const pages: (readonly (readonly [number, string])[])[] = [];
      for await (const page of listJointChanges(database.reader, all, range, rows))
        pages.push(page.map(({ seq, path }) => [seq, path] as const));
      return pages;
    };
    for (const range of [{ afterSeq: 0 }, { afterSeq: 5 }, { afterSeq: 3, upToSeq: 13 }]) {
      const whole = (await read(range)).flat();
      const pieces = await read(range, 3);
      expect(pieces.flat()).toEqual(whole);
      expect(Math.max(...pieces.map(({ length }) => length))).toBe(3);
    }
    expect((await read({ afterSeq: 0 }, 3)).flat()).toHaveLength(17);
    await takeUp(database, jointOf(setOf(['a', 'c'])), at(3));
    const whole = (await read({ afterSeq: 0 })).flat();
    expect((await read({ afterSeq: 0 }, 2)).flat()).toEqual(whole);
    expect(whole.length).toBeGreaterThanOrEqual(12);
  });
});
