import { expect, test } from 'vitest';
import type { Problem } from '../../../src/core/adapter.ts';
import { BridgeError } from '../../../src/core/errors.ts';
import { sourceIdOf } from '../../../src/store/rows/one-source.ts';
import {
  endRun,
  endStale,
  findRun,
  findRuns,
  firstProblems,
  keptProblems,
  latestCompleteBefore,
  latestFullPass,
  latestIdentifierRun,
  latestRun,
  listProblemsOf,
  listRuns,
  type RunKind,
  recordProblems,
  resumeRun,
  startRun,
} from '../../../src/store/runs/runs.ts';
import { ensureSource } from '../../../src/store/sources/sources.ts';
import { describeOnBoth } from '../../house/store/databases.ts';
import { listProblems } from '../../house/store/told-problems.ts';

const at = (hour: number) => `2026-11-21T${hour}:00:00Z`;

describeOnBoth('runs', (open) => {
  async function source(name: string) {
    const { database } = open();
    await ensureSource(database, name, at(10));
    const sourceId = (await sourceIdOf(database.reader, name)) ?? 0;
    const start = <Kind extends RunKind>(mode: Kind, since?: string) =>
      startRun(database.writer, { sourceId, mode, selection: '{"a":1}', since, startedAt: at(10) });
    const end = (id: number, state: 'succeeded' | 'needs-attention' | 'failed', error?: BridgeError) =>
      endRun(database.writer, id, { state, at: at(11), error });
    return { db: database.writer, sourceId, start, end };
  }

  test('tell how they began, how often they were taken up again, and how they ended', async () => {
    const { db, start } = await source('kyoto');
    const run = await start('incremental', at(9));
    expect(run).toEqual({
      ...{ id: run.id, sourceId: run.sourceId, mode: 'incremental', state: 'running', selection: '{"a":1}' },
      ...{ since: at(9), asOf: undefined, startedAt: at(10), updatedAt: at(10), endedAt: undefined },
      ...{ checkpoint: undefined, pages: 0, items: 0, created: 0, updated: 0, deleted: 0, unchanged: 0 },
      ...{ problems: 0, unidentified: 0, stalled: 0, expectedTotal: undefined, error: undefined },
    });
    expect(await findRun(db, run)).toEqual(run);
    const message = `https://me:secret@repo.example.org/ answered ${'x'.repeat(3000)}`;
    await endRun(db, run.id, {
      state: 'failed',
      at: at(11),
      error: new BridgeError('oai-list-incomplete', message),
    });
    const failed = await findRun(db, run);
    expect(failed).toMatchObject({ state: 'failed', endedAt: at(11), updatedAt: at(11) });
    expect(failed.error).toMatchObject({ code: 'oai-list-incomplete' });
    expect(failed.error?.message).toHaveLength(2000);
    expect(failed.error?.message).not.toContain('secret');
    const resumed = await resumeRun(db, failed, at(12));
    expect(resumed).toMatchObject({ state: 'running', stalled: 1, endedAt: undefined });
    expect(await findRun(db, run)).toMatchObject({
      state: 'running',
      stalled: 1,
      endedAt: undefined,
      updatedAt: at(12),
    });
    await db('run')
      .where({ id: run.id })
      .update({ checkpoint: '{"token":"t"}', as_of: at(9), expected_total: 7 });
    await endRun(db, run.id, { state: 'succeeded', at: at(13) });
    expect(await findRun(db, run)).toMatchObject({
      error: undefined,
      checkpoint: { token: 't' },
      asOf: at(9),
      expectedTotal: 7,
    });
    await expect(findRun(db, { id: 1_000_000, mode: 'full' })).rejects.toThrow('run 1000000 has vanished');
  });

  test('are found by what they looked at and how far they came', async () => {
    const { db, sourceId, start, end } = await source('nara');
    expect(await latestRun(db, sourceId)).toBeUndefined();
    expect(await latestIdentifierRun(db, sourceId)).toBeUndefined();
    expect(await latestFullPass(db, sourceId)).toBeUndefined();
    const full = await start('full');
    expect(await latestCompleteBefore(db, full)).toBeUndefined();
    await end(full.id, 'needs-attention');
    const identifiers = await start('identifiers');
    await end(identifiers.id, 'succeeded');
    const doubtful = await start('full');
    await end(doubtful.id, 'succeeded');
    await db('run').where({ id: doubtful.id }).update({ unidentified: 1 });
    const failed = await start('full');
    await end(failed.id, 'failed');
    const harvest = await start('incremental');
    const item = await start('item');
    expect((await latestRun(db, sourceId))?.id).toBe(harvest.id);
    expect((await latestIdentifierRun(db, sourceId))?.id).toBe(identifiers.id);
    expect((await latestFullPass(db, sourceId))?.id).toBe(doubtful.id);
    expect((await latestCompleteBefore(db, item))?.id).toBe(identifiers.id);
    expect((await latestCompleteBefore(db, identifiers))?.id).toBe(full.id);
    expect((await listRuns(db, sourceId, 2)).map(({ id }) => id)).toEqual([item.id, harvest.id]);
    const found = await findRuns(db, [full.id, item.id, 1_000_000]);
    expect([...found.keys()].sort((a, b) => a - b)).toEqual([full.id, item.id]);
    expect(found.get(full.id)).toMatchObject({ mode: 'full', state: 'needs-attention' });
  });

  test('that a killed process left open are ended, those of one kind', async () => {
    const { db, sourceId, start, end } = await source('osaka');
    const [open, done, other] = [await start('item'), await start('item'), await start('acceptance')];
    await end(done.id, 'succeeded');
    await endStale(db, sourceId, 'item', at(14));
    expect(await findRun(db, open)).toMatchObject({ state: 'interrupted', endedAt: at(14) });
    expect(await findRun(db, done)).toMatchObject({ state: 'succeeded', endedAt: at(11) });
    expect(await findRun(db, other)).toMatchObject({ state: 'running' });
  });

  test('keep their first problems in words, without secrets', async () => {
    const { db, start } = await source('kobe');
    const runs = [await start('full'), await start('full'), await start('full')] as const;
    const [first, second, none] = runs.map(({ id }) => id);
    const record = (id: number | undefined, problems: number, messages: readonly string[]) =>
      open().database.transaction((trx) =>
        recordProblems(
          trx,
          { id: id ?? 0, problems },
          messages.map((message) => ({ code: 'list-doubtful', message, identifier: undefined })),
        ),
      );
    await record(first, keptProblems - 2, ['one', 'two', 'three']);
    await record(first, keptProblems, ['four']);
    await record(first, keptProblems + 1, ['five']);
    await record(second, 0, [`https://me:secret@repo.example.org/ ${'x'.repeat(2000)}`, 'b', 'c']);
    const problem = (message: string): Problem => ({
      code: 'list-doubtful',
      message,
      identifier: undefined,
      format: undefined,
    });
    expect(await listProblems(db, first ?? 0, 10)).toEqual([problem('one'), problem('two')]);
    const [long] = await listProblems(db, second ?? 0, 1);
    expect(long?.message).toHaveLength(1000);
    expect(long?.message).not.toContain('secret');
    const ids = runs.map(({ id }) => id);
    expect(await listProblemsOf(db, ids, 2)).toEqual(
      new Map([
        [first, [problem('one'), problem('two')]],
        [second, [long, problem('b')]],
        [none, []],
      ]),
    );
    expect(await firstProblems(db, ids)).toEqual(
      new Map([
        [first, problem('one')],
        [second, long],
      ]),
    );
    expect([(await listProblemsOf(db, [], 2)).size, (await firstProblems(db, [])).size]).toEqual([0, 0]);
  });
});
