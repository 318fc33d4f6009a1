import { expect, test } from 'vitest';
import type { JournalState } from '../../../src/store/sources/journal.ts';
import { JournalWatch } from '../../../src/store/sources/journals-gone-back.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

describeOnBoth('journals that are followed', (open) => {
  const journal = (more: Partial<JournalState>): JournalState => ({
    ...{ sourceId: 1, id: 'one', seq: 10, at: '2026-11-26T10:00:00Z', firstPassSeq: 5, ...more },
  });
  const looks = async (...states: JournalState[]) => {
    const watch = new JournalWatch(open().database);
    let gone: readonly JournalState[] = [];
    for (const state of states) gone = await watch.look(new Map([['one', state]]));
    return gone;
  };

  test('have lost something where they are shorter under the same name', async () => {
    expect(await looks(journal({}), journal({ seq: 12 }))).toEqual([]);
    expect(await looks(journal({}), journal({ seq: 9 }))).toEqual([journal({})]);
    expect(await looks(journal({}), journal({ seq: 9, id: 'another' }))).toEqual([]);
    expect(await looks(journal({}), journal({ seq: 9 }), journal({ seq: 11 }))).toEqual([]);
  });
});
