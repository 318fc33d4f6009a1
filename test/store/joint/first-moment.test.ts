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
});
