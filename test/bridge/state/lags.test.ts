import { expect, it } from 'vitest';
import { readLags } from '../../../src/bridge/state/measures.ts';
import type { StoredBridge } from '../../../src/bridge/stored-bridge.ts';
import { jointSets } from '../../../src/core/config/joint-sets.ts';
import { takeUp } from '../../../src/store/joint/take-up.ts';
import { jointOf } from '../../../src/store/reading/joint-changes.ts';
import { readJournal } from '../../../src/store/sources/journal.ts';
import { endFirstPass, seedChanges, seedSource } from '../../house/publish/seed.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const [long, early, left] = ['2024-01-01T00:00:00Z', '2024-01-01T00:01:00Z', '2026-11-21T12:00:00Z'];

describeOnBoth('how far the publication of a set across sources lags', (open) => {
  const setOf = (names: readonly string[]) => {
    const [set] = jointSets({ lags: {} }, Object.fromEntries(names.map((name) => [name, {}])));
    if (!set) throw new Error('there is no set');
    return set;
  };

  it('a set that began anew lags since then, not since the oldest of its changes', async () => {
    const { database } = open();
    for (const name of ['here', 'gone']) {
      await seedSource(database, name);
      await seedChanges(database, name, [{ name: 'first', at: long }]);
      await endFirstPass(database, name);
    }
    const whole = setOf(['gone', 'here']);
    await takeUp(database, jointOf(whole), early);
    const before = await readJournal(database.reader, whole.source);
    if (!before) throw new Error('there is no journal');
    const published = [{ path: whole.path, documents: [], journal: { id: before.id, seq: before.seq } }];
    const lags = (set: ReturnType<typeof setOf>) => {
      const bridge = { database, jointSets: () => [set], setsOf: () => [], config: { sources: {} } };
      return readLags(bridge as unknown as StoredBridge, published);
    };
    expect(await lags(whole)).toEqual(new Map());

    const set = setOf(['here']);
    await takeUp(database, jointOf(set), left);
    expect(await lags(set)).toEqual(new Map([[set.source, Date.parse(left)]]));
  });
});
