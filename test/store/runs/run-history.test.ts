import { expect, test } from 'vitest';
import { sourceIdOf } from '../../../src/store/rows/one-source.ts';
import { pruneRuns } from '../../../src/store/runs/run-history.ts';
import { ensureSource } from '../../../src/store/sources/sources.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const day = (number: number) => `2026-11-${String(number).padStart(2, '0')}T10:00:00Z`;
const limits = { before: day(10), idleBefore: day(18) };

describeOnBoth('the history of runs', (open) => {
  test('old runs go with their problems, idle ones sooner; what something refers to stays', async () => {
    const { database } = open();
    await ensureSource(database, 'kyoto', day(1));
    const source_id = await sourceIdOf(database.reader, 'kyoto');
    const add = async (mode: string, at: number, more: object = {}) => {
      const times = { started_at: day(at), updated_at: day(at), ended_at: day(at) };
      const made = { source_id, mode, state: 'succeeded', selection: '{}', ...times, ...more };
      const [row] = await database.writer('run').insert(made).returning<{ id: number }[]>('id');
      await database.writer('problem').insert({ run_id: row?.id, code: 'list-doubtful', message: 'm' });
      return row?.id;
    };
    const named = await add('incremental', 1, { state: 'failed' });
    await add('incremental', 2, { created: 3 });
    const full = await add('full', 3);
    await add('incremental', 11);
    const busy = await add('incremental', 12, { updated: 1 });
    const failed = await add('incremental', 13, { state: 'failed' });
    const idle = await add('incremental', 19);
    const latest = await add('incremental', 20);
    await database.writer('unread_part').insert({ source_id, run_id: named });
    expect(await pruneRuns(database, limits, new AbortController().signal)).toBe(2);
    const runs: { id: number }[] = await database.reader('run').select('id').orderBy('id');
    expect(runs.map(({ id }) => id)).toEqual([named, full, busy, failed, idle, latest]);
    const problems = await database.reader('problem').distinct('run_id').orderBy('run_id');
    expect(problems.map(({ run_id }) => run_id)).toEqual([named, full, busy, failed, idle, latest]);
    expect(await pruneRuns(database, limits, new AbortController().signal)).toBe(0);
  });
});
