import { beforeEach, expect, test } from 'vitest';
import type { Problem } from '../../../src/core/adapter.ts';
import type { Run } from '../../../src/store/runs/runs.ts';
import {
  countVanished,
  listVanished,
  recordUnreadParts,
  recordVanished,
  unreadBy,
} from '../../../src/store/runs/vanished.ts';
import { describeOnBoth } from '../../house/store/databases.ts';
import { ToldSource } from '../../house/store/told-source.ts';

let names = 0;

function doubtful(more: Partial<Problem> = {}): Problem {
  return {
    code: 'list-doubtful',
    message: 'it could not be read',
    identifier: undefined,
    format: 'oai_dc',
    ...more,
  };
}

describeOnBoth('what a complete pass did not meet', (open) => {
  let source: ToldSource;
  beforeEach(async () => {
    names += 1;
    source = await ToldSource.open(open().database, `vanished-${names}`);
    await source.tell({
      1: { formats: { oai_dc: 'one', mods: 'one' }, collections: ['a'] },
      2: { collections: ['a:b'] },
      3: { collections: ['ab'] },
      4: {},
    });
  });

  const end = async (run: Pick<Run, 'id' | 'mode'>): Promise<void> =>
    recordVanished(source.database, source.lease, run, source.moment());
  const suspected = async () =>
    (await listVanished(source.database.reader, source.id, 0, 10)).map(({ identifier }) => identifier);
  /** A full pass that met these, and could not read those parts. */
  async function pass(met: readonly string[], problems: readonly Problem[] = []): Promise<Run> {
    const collections: Record<string, string[]> = { 1: ['a'], 2: ['a:b'], 3: ['ab'], 4: [] };
    const formats = { oai_dc: 'one', mods: 'one' };
    const items = met.map((id) => [
      id,
      { collections: collections[id] ?? [], ...(id === '1' && { formats }) },
    ]);
    const run = await source.tell(Object.fromEntries(items), 'full', problems);
    await end(run);
    return run;
  }

  test('is written down some at a time, and in a small source at once', async () => {
    const { database, id } = source;
    const statements: string[] = [];
    const hear = ({ sql }: { readonly sql: string }) => {
      if (sql.includes('insert into vanished')) statements.push(sql);
    };
    database.writer.on('query', hear);
    await pass(['2']);
    expect(statements).toHaveLength(1);
    const many = Array.from({ length: 5100 }, (_, number) => [`n${number}`, {}]);
    await source.tell(Object.fromEntries(many));
    await pass(['1', '2', '3', '4', 'n7']);
    expect(statements).toHaveLength(3);
    database.writer.off('query', hear);
    expect(await countVanished(database.reader, id)).toMatchObject({ items: 5099 });
    await pass(['1', '2', '3', ...many.map(([name]) => String(name))]);
    expect(await suspected()).toEqual(['4']);
  });

  test('is suspected since the first pass in a row that did not meet it', async () => {
    const first = await pass(['2']);
    const since = source.now;
    expect(await suspected()).toEqual(['1', '3', '4']);
    const { database, id } = source;
    expect(await countVanished(database.reader, id)).toEqual({ items: 3, resources: 4, runId: first.id });
    const second = await pass(['2', '3']);
    const [one, four] = await listVanished(database.reader, id, 0, 10);
    expect(one).toEqual({
      itemId: expect.any(Number),
      identifier: '1',
      formats: ['mods', 'oai_dc'],
      since,
      runId: second.id,
      pass: 'full',
      at: source.now,
      isUnclear: false,
    });
    expect(four).toMatchObject({ identifier: '4', formats: ['oai_dc'] });
    expect(await listVanished(database.reader, id, one?.itemId ?? 0, 10)).toEqual([four]);
    expect(await listVanished(database.reader, id, 0, 1)).toEqual([one]);
    expect(await listVanished(database.reader, id, four?.itemId ?? 0, 1)).toEqual([]);
    // Met by a later page, it is suspected no more, and what is deleted has not vanished.
    await source.tell({ 1: { formats: { oai_dc: 'one' } }, 4: { deleted: true } });
    expect(await listVanished(database.reader, id, 0, 10)).toMatchObject([
      { identifier: '1', formats: ['mods'] },
    ]);
    await pass(['1', '2', '3']);
    expect(await countVanished(database.reader, id)).toEqual({ items: 0, resources: 0, runId: undefined });
    // Begun anew, the row of what was met once is as long as if it had never been away.
    await pass(['2', '3']);
    expect(await listVanished(database.reader, id, 0, 10)).toMatchObject([
      { identifier: '1', since: source.now, formats: ['mods', 'oai_dc'] },
    ]);
  });

  test('is not suspected where it may be in a part that could not be read', async () => {
    const { database, id } = source;
    await database.writer('item').where({ source_id: id }).update({ datestamp: '2026-11-10T00:00:00Z' });
    const left = async (...problems: Problem[]) => {
      await pass([], problems);
      return suspected();
    };
    expect(await left(doubtful())).toEqual(['1']);
    expect(await unreadBy(database.reader, id)).toBeDefined();
    expect(await left()).toEqual(['1', '2', '3', '4']);
    expect(await unreadBy(database.reader, id)).toBeUndefined();
    expect(await left(doubtful({ format: undefined }))).toEqual([]);
    // Nobody knows in which collection the fourth is.
    expect(await left(doubtful({ format: undefined, part: { collection: 'a' } }))).toEqual(['3']);
    expect(await left(doubtful({ part: { collection: 'a' } }))).toEqual(['1', '3']);
    const part = (from: string | undefined, until: string | undefined) =>
      left(doubtful({ format: undefined, part: { ...(from && { from }), ...(until && { until }) } }));
    // With a day more on either side.
    expect(await part('2026-11-11T00:00:00Z', undefined)).toEqual([]);
    expect(await part('2026-11-11T00:00:01Z', undefined)).toHaveLength(4);
    expect(await part(undefined, '2026-11-08T00:00:00Z')).toEqual([]);
    expect(await part(undefined, '2026-11-07T23:59:59Z')).toHaveLength(4);
    expect(await left({ ...doubtful(), code: 'endpoint-quirk' })).toHaveLength(4);
    expect(await unreadBy(database.reader, id)).toBeUndefined();
  });

  test('is not suspected at all after a pass with too many such parts', async () => {
    const { database, id } = source;
    const pass = async (...counts: number[]) => {
      const run = await source.begin('full');
      for (const count of counts)
        await database.transaction((trx) =>
          recordUnreadParts(
            trx,
            id,
            run.id,
            Array.from({ length: count }, (_, at) =>
              doubtful({ format: 'x', part: { collection: `c${at}` } }),
            ),
          ),
        );
      await end(run);
      return suspected();
    };
    expect(await pass(150, 50)).toHaveLength(4);
    expect(await pass(200, 1)).toEqual([]);
    expect(await pass(201)).toEqual([]);
    const rows = await database.reader('unread_part').where({ source_id: id });
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ format: null, spec: null, from_at: null, until_at: null });
  });

  test('lets a run wait for a person only as long as anything is suspected', async () => {
    const { database } = source;
    const wait = async (unidentified: number) => {
      const run = await source.begin('full');
      const waiting = { state: 'needs-attention', error_code: 'deletions-refused', error_message: 'm' };
      await database
        .writer('run')
        .where({ id: run.id })
        .update({ ...waiting, unidentified });
      return run.id;
    };
    const state = (run: number) =>
      database.reader('run').where({ id: run }).first('state', 'error_code', 'error_message');
    const [certain, doubted] = [await wait(0), await wait(2)];
    const other = await wait(0);
    await database.writer('run').where({ id: other }).update({ error_code: 'lease-lost' });
    await pass(['1', '2', '3']);
    expect(await state(certain)).toMatchObject({ state: 'needs-attention' });
    await source.tell({ 4: {} });
    expect(await suspected()).toEqual([]);
    expect(await state(certain)).toEqual({ state: 'succeeded', error_code: null, error_message: null });
    expect(await state(doubted)).toMatchObject({
      state: 'needs-attention',
      error_code: 'oai-list-incomplete',
      error_message: 'parts of the list could not be read, and what is in there may be missing',
    });
    expect(await state(other)).toMatchObject({ error_code: 'lease-lost' });
  });
});
