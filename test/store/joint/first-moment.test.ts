import { expect, it } from 'vitest';
import { jointSets } from '../../../src/core/config/joint-sets.ts';
import { takeUp } from '../../../src/store/joint/take-up.ts';
import { jointOf } from '../../../src/store/reading/joint-changes.ts';
import { settledMoments } from '../../../src/store/sources/moments.ts';
import { endFirstPass, seedChanges, seedSource } from '../../house/publish/seed.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

describeOnBoth('the first moment of a set across sources', (open) => {
  it('is the second in which it began, whatever else was taken up in it', async () => {
    const { database } = open();
    const [began, later] = ['2026-11-21T12:01:00Z', '2026-11-21T12:05:00Z'];
    await seedSource(database, 'alone');
    await seedChanges(database, 'alone', [{ name: 'first', at: '2026-11-21T12:00:00Z' }]);
    await endFirstPass(database, 'alone');
    const [set] = jointSets({ moments: {} }, { alone: {} });
    if (!set) throw new Error('there is no set');
    await takeUp(database, jointOf(set), began);
    await seedChanges(database, 'alone', [{ name: 'second', at: began }]);
    expect((await takeUp(database, jointOf(set), began)).changes).toBe(1);
    expect(await settledMoments(database, set.source, later)).toMatchObject({ from: began, before: later });
    await seedChanges(database, 'alone', [{ name: 'third', at: later }]);
    await takeUp(database, jointOf(set), later);
    expect(await settledMoments(database, set.source, '2026-11-21T12:06:00Z')).toMatchObject({ from: began });
  });

  it('is the second in which it began anew, too, as a source left it', async () => {
    const { database } = open();
    const [began, last, left] = ['2026-11-21T12:01:00Z', '2026-11-21T12:02:00Z', '2026-11-21T12:05:00Z'];
    for (const name of ['stays', 'leaves']) {
      await seedSource(database, name);
      await seedChanges(database, name, [{ name: 'first', at: '2026-11-21T12:00:00Z' }]);
      await endFirstPass(database, name);
    }
    const setOf = (names: readonly string[]) => {
      const [set] = jointSets({ left: {} }, Object.fromEntries(names.map((name) => [name, {}])));
      if (!set) throw new Error('there is no set');
      return set;
    };
    await takeUp(database, jointOf(setOf(['leaves', 'stays'])), began);
    await seedChanges(database, 'stays', [{ name: 'second', at: last }]);
    await takeUp(database, jointOf(setOf(['leaves', 'stays'])), last);
    // Before it leaves, and in the same second.
    await seedChanges(database, 'stays', [{ name: 'third', at: left }]);
    const set = setOf(['stays']);
    expect(await takeUp(database, jointOf(set), left)).toMatchObject({ changes: 1, isAnew: true });
    expect(await settledMoments(database, set.source, '2026-11-21T12:06:00Z')).toMatchObject({ from: left });
  });
});
