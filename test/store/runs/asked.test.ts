import { beforeEach, expect, test } from 'vitest';
import { findAsked, listOpenAsks, noteAsked, recordAsked } from '../../../src/store/runs/asked.ts';
import { askFor, listDue } from '../../../src/store/runs/due.ts';
import { claimNext } from '../../../src/store/runs/due-claims.ts';
import { findRunById, listRecentRuns, listRunsBefore } from '../../../src/store/runs/recent-runs.ts';
import { endRun, startRun } from '../../../src/store/runs/runs.ts';
import { stopWork } from '../../../src/store/runs/stopped-work.ts';
import { listUnreadable } from '../../../src/store/runs/unreadable.ts';
import { findCause, listCauses } from '../../../src/store/runs/unreadable-causes.ts';
import { dismissVanished } from '../../../src/store/runs/vanished.ts';
import { ensureSource, findSource } from '../../../src/store/sources/sources.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const at = '2026-11-23T10:00:00Z';
const later = '2026-11-23T10:00:05Z';

describeOnBoth('what somebody asked for', (open) => {
  let sourceId: number;

  beforeEach(async () => {
    const { database } = open();
    for (const table of ['asked', 'due', 'run']) await database.writer(table).delete();
    await ensureSource(database, 'kyoto', at);
    sourceId = (await findSource(database.reader, 'kyoto'))?.id ?? 0;
  });

  const begin = (mode: 'full' | 'incremental', startedAt: string) =>
    startRun(open().database.writer, { sourceId, mode, selection: '', since: undefined, startedAt });

  test('a harvest is the run that begins after it was asked for', async () => {
    const { database } = open();
    const before = await begin('full', at);
    await endRun(database.writer, before.id, { state: 'succeeded', at });
    const ask = { source: 'kyoto', who: 'admin', at: later } as const;
    const [full = 0, any = 0, elsewhere = 0] = await recordAsked(database, [
      { ...ask, kind: 'full' },
      { ...ask, kind: 'harvest' },
      { ...ask, source: 'nara', kind: 'full' },
    ]);
    const stateOf = async (id: number) => (await findAsked(database.reader, id))?.state;
    expect([await stateOf(full), await stateOf(any), await stateOf(elsewhere)]).toEqual(
      Array(3).fill('waiting'),
    );
    const incremental = await begin('incremental', later);
    expect([await stateOf(full), await stateOf(any)]).toEqual(['waiting', 'running']);
    await endRun(database.writer, incremental.id, { state: 'succeeded', at: later });
    expect(await findAsked(database.reader, any)).toMatchObject({
      state: 'succeeded',
      run: { id: incremental.id },
    });
    expect(await findAsked(database.reader, 99_999)).toBeUndefined();
  });

  test('an interrupted run that goes on is the one, as soon as it goes on', async () => {
    const { database } = open();
    const run = await begin('full', at);
    await endRun(database.writer, run.id, { state: 'interrupted', at });
    const [id = 0] = await recordAsked(database, [
      { source: 'kyoto', kind: 'full', who: 'admin', at: later },
    ]);
    expect((await findAsked(database.reader, id))?.state).toBe('waiting');
    await database.writer('run').where({ id: run.id }).update({ state: 'running', updated_at: later });
    expect(await findAsked(database.reader, id)).toMatchObject({ state: 'running', run: { id: run.id } });
  });

  test('what no harvest does is done in turn, and says how it ended', async () => {
    const { database } = open();
    const ask = { source: 'kyoto', who: 'admin', at } as const;
    const [item = 0, acceptance = 0, problems = 0] = await recordAsked(database, [
      { ...ask, kind: 'item', what: 'oai:x:1' },
      { ...ask, kind: 'acceptance', what: '7' },
      { ...ask, kind: 'problems', what: 'it is cut off' },
    ]);
    await noteAsked(database, item, { state: 'running' });
    expect((await listOpenAsks(database.reader, 'kyoto')).map(({ id }) => id)).toEqual([
      item,
      acceptance,
      problems,
    ]);
    await noteAsked(database, item, { state: 'succeeded', message: 'stored', endedAt: later });
    expect((await listOpenAsks(database.reader, 'kyoto')).map(({ id }) => id)).toEqual([
      acceptance,
      problems,
    ]);
    expect(await findAsked(database.reader, item)).toMatchObject({ state: 'succeeded', message: 'stored' });
    await askFor(database, { sources: ['kyoto'], kind: 'asked' }, 1000);
    const choice = { sources: ['kyoto'], kinds: ['harvest', 'asked'], withLong: true } as const;
    expect(await claimNext(database, 'me', choice, 1000)).toMatchObject({ source: 'kyoto', kind: 'asked' });
  });

  test('work that is stopped is nobody’s, and due at its next turn', async () => {
    const { database } = open();
    await askFor(database, { sources: ['kyoto'], kind: 'harvest' }, 1000);
    const work = { source: 'kyoto', kind: 'harvest', next: 9000 } as const;
    expect(await stopWork(database, work)).toBe(false);
    await claimNext(database, 'me', { sources: ['kyoto'], kinds: ['harvest'], withLong: true }, 1000);
    expect(await stopWork(database, work)).toBe(true);
    expect((await listDue(database.reader, 1000))[0]).toMatchObject({ isHeld: false, dueAt: 9000 });
  });

  test('runs are found by their numbers, and those before one', async () => {
    const { database } = open();
    const ids: number[] = [];
    for (let index = 0; index < 5; index += 1) ids.push((await begin('incremental', at)).id);
    const [newest = 0] = [...ids].reverse();
    expect(
      (await listRunsBefore(database.reader, 'kyoto', { before: newest, limit: 2 })).map(({ id }) => id),
    ).toEqual([newest - 1, newest - 2]);
    expect(await findRunById(database.reader, newest)).toMatchObject({
      source: 'kyoto',
      run: { id: newest },
    });
    expect((await listRecentRuns(database.reader, ['kyoto', 'nara'], 3)).get('kyoto')).toHaveLength(3);
  });

  test('records are gathered by their causes; what is dismissed is suspected no more', async () => {
    const { database } = open();
    await database.writer('unreadable').where({ source_id: sourceId }).delete();
    const row = {
      source_id: sourceId,
      format: '',
      code: 'record-quarantined',
      run_id: 1,
      first_at: at,
      last_at: at,
    };
    // As a process of an earlier release writes them, and as they are written now.
    for (const [place, message] of Object.entries({ a: 'bad', b: 'bad', c: 'worse' }))
      await database.writer('unreadable').insert({ ...row, place, message });
    const named = { ...row, place: 'd', identifier: 'id:4', message: 'id:4 is worse', cause: 'worse' };
    await database.writer('unreadable').insert(named);
    await database.writer('unreadable').insert({ ...named, place: 'e', identifier: 'id:5' });
    const causes = await listCauses(database.reader, sourceId, 10);
    expect(causes.map(({ message, count, named }) => [message, count, named])).toEqual([
      ['worse', 3, 2],
      ['bad', 2, 0],
    ]);
    const [worst] = causes;
    expect(await findCause(database.reader, sourceId, worst?.id ?? '')).toBe('worse');
    expect(await findCause(database.reader, sourceId, 'nothing')).toBeUndefined();
    const of = await listUnreadable(database.reader, sourceId, { after: 0, limit: 10, cause: 'worse' });
    expect(of.map(({ message, cause }) => [message, cause])).toEqual([
      ['worse', 'worse'],
      ['id:4 is worse', 'worse'],
      ['id:4 is worse', 'worse'],
    ]);
    const later = await listUnreadable(database.reader, sourceId, {
      ...{ after: 0, limit: 10, notSince: '2026-11-23T09:59:59Z' },
    });
    expect(later).toEqual([]);
    expect(await dismissVanished(database, sourceId, 7)).toBe(0);
  });
});
