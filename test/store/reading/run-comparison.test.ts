import { expect, test } from 'vitest';
import { writeLog } from '../../../src/store/presence/log-lines.ts';
import { compareRuns } from '../../../src/store/reading/run-comparison.ts';
import { sourceIdOf } from '../../../src/store/rows/one-source.ts';
import { addRequests, endRun, type RunKind, startRun } from '../../../src/store/runs/runs.ts';
import { noteSettings, settingsOfRun } from '../../../src/store/sources/run-settings.ts';
import { ensureSource } from '../../../src/store/sources/sources.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const at = (day: number, time = '10:00:00') => `2026-11-${String(day).padStart(2, '0')}T${time}Z`;
const now = at(23);

describeOnBoth('two runs', (open) => {
  async function source(name: string) {
    const { database } = open();
    await ensureSource(database, name, at(1));
    const id = (await sourceIdOf(database.reader, name)) ?? 0;
    const add = async (mode: RunKind, day: number, counts: object = {}) => {
      const begun = { sourceId: id, mode, selection: '{}', since: undefined, startedAt: at(day) };
      const run = await startRun(database.writer, begun);
      await database
        .writer('run')
        .where({ id: run.id })
        .update({ pages: 1, ...counts });
      await endRun(database.writer, run.id, { state: 'succeeded', at: at(day, '10:01:30') });
      return run.id;
    };
    const compare = (run: number, other?: number) =>
      compareRuns(database.reader, { id, name }, run, { with: other, now });
    return { database, id, add, compare };
  }

  test('are the one that is asked for and the one before of its kind, or any; the earlier one first', async () => {
    const { add, compare, database } = await source('kyoto');
    const first = await add('full', 1, { items: 10 });
    const small = await add('incremental', 2);
    const second = await add('full', 8, { items: 12, stated_total: 13 });
    const ids = async (run: number, other?: number) => {
      const found = await compare(run, other);
      return found && [found.before?.run.id, found.after.run.id];
    };
    expect(await ids(second)).toEqual([first, second]);
    expect(await ids(small)).toEqual([undefined, small]);
    expect(await ids(second, small)).toEqual([small, second]);
    expect(await ids(first, second)).toEqual([first, second]);
    expect(await ids(1_000_000)).toBeUndefined();
    expect(await ids(first, 1_000_000)).toBeUndefined();
    const other = await source('nara');
    expect(await ids(await other.add('full', 3))).toBeUndefined();
    await addRequests(database.writer, second, 5);
    await addRequests(database.writer, second, 7);
    const found = await compare(second);
    expect(found?.before).toMatchObject({ seconds: 90, run: { items: 10, requests: undefined } });
    expect(found?.after).toMatchObject({ seconds: 90, run: { items: 12, statedTotal: 13, requests: 12 } });
  });

  test('have the warnings that were logged of them, as long as the log is kept', async () => {
    const { add, compare, database } = await source('nagoya');
    const old = await add('full', 2);
    const run = await add('full', 22);
    const line = {
      at: at(22),
      process: 'work',
      message: 'm',
      fields: undefined,
      source: 'nagoya',
      run,
    } as const;
    await database.transaction((trx) =>
      writeLog(trx, [
        { ...line, level: 'warn' },
        { ...line, level: 'error' },
        { ...line, level: 'info' },
        { ...line, level: 'warn', run: old },
        { ...line, level: 'warn', source: 'other' },
      ]),
    );
    const found = await compare(run);
    expect([found?.before?.warnings, found?.after.warnings]).toEqual([undefined, 2]);
  });

  test('have the settings that were changed between them, where those of both are known', async () => {
    const { add, compare, database, id } = await source('osaka');
    const note = (run: number, settings: readonly (readonly [string, unknown])[]) =>
      noteSettings(database.writer, { id: run, sourceId: id }, settings);
    const runs = [await add('full', 1), await add('full', 2), await add('full', 3), await add('full', 4)];
    const [unknown = 0, first = 0, same = 0, changed = 0] = runs;
    await note(first, [
      ['url', 'https://a.example.org'],
      ['formats', ['oai_dc']],
      ['pageSize', 5],
    ]);
    // In another order they are the same.
    await note(same, [
      ['pageSize', 5],
      ['url', 'https://a.example.org'],
      ['formats', ['oai_dc']],
    ]);
    expect(await database.reader('run_settings').where({ source_id: id })).toHaveLength(1);
    await note(changed, [
      ['url', 'https://b.example.org'],
      ['formats', ['oai_dc']],
      ['timeZone', 'Asia/Tokyo'],
    ]);
    expect((await compare(first, unknown))?.settings).toBeUndefined();
    expect((await compare(same))?.settings).toEqual([]);
    expect((await compare(changed))?.settings).toEqual([
      { key: 'pageSize', before: 5 },
      { key: 'timeZone', after: 'Asia/Tokyo' },
      { key: 'url', before: 'https://a.example.org', after: 'https://b.example.org' },
    ]);
    // A run that goes on by other settings is done by those.
    await note(changed, [['url', 'https://c.example.org']]);
    expect(await settingsOfRun(database.reader, id, changed)).toEqual([['url', 'https://c.example.org']]);
    for (let more = 1; more <= 60; more += 1) await note(changed + more, [['pageSize', more]]);
    expect(await database.reader('run_settings').where({ source_id: id })).toHaveLength(50);
    expect(await settingsOfRun(database.reader, id, first)).toBeUndefined();
    expect(await settingsOfRun(database.reader, id, changed + 60)).toEqual([['pageSize', 60]]);
  });
});
