import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openBridge } from '../../../src/bridge/bridge.ts';
import { createLog } from '../../../src/bridge/log.ts';
import { systemClock } from '../../../src/bridge/system-clock.ts';
import { fillBehind } from '../../../src/bridge/work/filling.ts';
import { parseConfig } from '../../../src/core/config/config.ts';
import { createSampleRepository } from '../../../src/demo/sample-repository.ts';
import { harvest } from '../../../src/harvest/harvest.ts';
import { type Database, openDatabase } from '../../../src/store/engine/database.ts';
import { checkSchema, migrate, migrations } from '../../../src/store/schema/migrate.ts';
import type { Migration } from '../../../src/store/schema/migration.ts';
import { makePostgres, makeSqlite, migratedPostgres, migratedSqlite } from '../../house/store/databases.ts';

const ours = migrations.at(-1)?.name ?? '';
const atATime = 7;

/** The release after ours: a column that is filled in behind the work. */
function next(onFill: (after: string | undefined) => void = () => undefined): Migration {
  return {
    name: '9001-next',
    worksWith: ours,
    up: async (knex) => {
      await knex.raw('alter table resource add column shout text');
    },
    fill: async (trx, after) => {
      onFill(after);
      const rows: { id: number }[] = await trx('resource')
        .where('id', '>', Number(after ?? 0))
        .orderBy('id')
        .limit(atATime)
        .select('id');
      const ids = rows.map(({ id }) => id);
      await trx('resource')
        .whereIn('id', ids)
        .update({ shout: trx.raw('upper(path)') });
      return ids.length < atATime ? undefined : String(ids.at(-1));
    },
  };
}

/** The release after the next takes away what was before. */
const afterNext: Migration = {
  name: '9002-after-next',
  contracts: '9001-next',
  up: async (knex) => {
    if (await knex('resource').whereNull('shout').first('id')) throw new Error('not all was filled in');
  },
};

const silent = () => createLog('silent', new Writable({ write: (_chunk, _coding, done) => done() }));

describe.each(['sqlite', 'pg'] as const)('two releases at one database on %s', (kind) => {
  const closing: (() => Promise<unknown>)[] = [];
  const repository = createSampleRepository({ clock: systemClock, records: 60 });
  const never = new AbortController().signal;
  let directory: string;
  let raw: object;
  let later: Database;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'rsbridge-rolling-'));
    const { config, drop } = kind === 'sqlite' ? migratedSqlite() : await migratedPostgres();
    closing.push(drop, async () => rmSync(directory, { recursive: true, force: true }));
    const { url } = await repository.listen(0);
    closing.push(() => repository.close());
    const source = { url, schedule: false, files: { mode: 'none' } };
    raw = { database: config, directory, sources: { repo: source } };
    later = openDatabase(config);
    closing.push(() => later.close());
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  test('who brings the schema up to date is told what that was, and nobody else', async () => {
    const told: (readonly string[])[] = [];
    const onMigrated = (names: readonly string[]) => told.push(names);
    const list = [...migrations, next()];
    await migrate(later, undefined, { onMigrated });
    await migrate(later, undefined, { list, onMigrated });
    await migrate(later, undefined, { list, onMigrated });
    expect(told).toEqual([['9001-next']]);
    const { config, drop } = kind === 'sqlite' ? makeSqlite() : await makePostgres();
    const fresh = openDatabase(config);
    closing.push(drop, () => fresh.close());
    await migrate(fresh, undefined, { onMigrated });
    expect(told).toHaveLength(1);
  });

  async function ourBridge() {
    const bridge = await openBridge(parseConfig(raw), silent(), 'migrate');
    closing.push(() => bridge.close());
    return bridge;
  }
  const run = (bridge: Awaited<ReturnType<typeof ourBridge>>) =>
    harvest(bridge, bridge.source('repo'), { mode: 'full', stop: never, signal: never });

  /**
   * A run of ours, and what the next release does beside it: at the same time on PostgreSQL. On SQLite who writes waits for
   * the other without giving way, which would be for ever inside of one process: there ours has ended before.
   */
  async function beside(...others: (() => Promise<unknown>)[]) {
    const bridge = await openBridge(parseConfig(raw), silent(), 'migrate');
    try {
      if (kind === 'pg') return (await Promise.all([run(bridge), ...others.map((other) => other())]))[0];
      return await run(bridge);
    } finally {
      await bridge.close();
      if (kind === 'sqlite') for (const other of others) await other();
    }
  }

  test('ours goes on while the next one changes and fills the tables', async () => {
    const places: (string | undefined)[] = [];
    const list = [...migrations, next((after) => places.push(after))];
    const change = () => migrate(later, undefined, { list });
    const fill = () => fillBehind({ database: later, log: silent() }, never, list);
    const report = await beside(change, change);
    expect(report).toMatchObject({ state: 'succeeded', items: 180 });
    await checkSchema(later, list);
    await beside(fill);
    expect(places.length).toBeGreaterThan(8);
    expect(new Set(places).size).toBe(places.length);
    // One of ours that starts now works, too.
    const bridge = await ourBridge();
    await checkSchema(bridge.database);
    await bridge.database.reader('resource').first('shout');
    expect((await run(bridge)).updated).toBe(0);
    expect(await later.reader('resource').whereNull('shout').select('path')).toEqual([]);
  });

  test('what was stopped in the middle goes on there, and is whole before anything is taken away', async () => {
    await run(await ourBridge());
    let calls = 0;
    const failing = next(() => {
      calls += 1;
      if (calls === 4) throw new Error('killed');
    });
    await migrate(later, undefined, { list: [...migrations, failing] });
    const stop = new AbortController();
    const log = { ...silent(), warn: () => stop.abort() } as never;
    await fillBehind({ database: later, log }, stop.signal, [failing]);
    const filled = await later.reader('resource').whereNotNull('shout').count({ count: '*' });
    expect(filled).toEqual([{ count: 3 * atATime }]);
    const places: (string | undefined)[] = [];
    await migrate(later, undefined, {
      list: [...migrations, next((after) => places.push(after)), afterNext],
    });
    expect(places[0]).not.toBe(undefined);
    await checkSchema(later, [...migrations, next(), afterNext]);
    await expect(checkSchema(later)).rejects.toMatchObject({
      code: 'database-newer',
      message: expect.stringMatching(/it knows 9002-after-next\)/),
    });
  });
});

describe('a change of a table', () => {
  const closing: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  test('is tried again where somebody holds it for long, and nobody waits behind it meanwhile, on pg', async () => {
    const { config, drop } = await migratedPostgres();
    closing.push(drop);
    const [holder, changing, reading] = [config, config, config].map(openDatabase) as [
      Database,
      Database,
      Database,
    ];
    closing.push(...[holder, changing, reading].map((one) => () => one.close()));
    const held = await holder.writer.transaction();
    await held('resource').first('id');
    let isDone = false;
    const done = migrate(changing, undefined, { list: [...migrations, next()], lockTimeout: 50 }).then(() => {
      isDone = true;
    });
    const waits = () =>
      reading
        .reader('pg_locks')
        .whereRaw(`not granted and relation = 'resource'::regclass`)
        .first('pid') as Promise<unknown>;
    await expect.poll(waits, { interval: 2, timeout: 20_000 }).not.toBe(undefined);
    // Without an end to its waiting, this would wait for the one who waits.
    await reading.reader('resource').first('id');
    expect(isDone).toBe(false);
    await held.rollback();
    await done;
    await checkSchema(changing, [...migrations, next()]);
  });

  test.each(['sqlite', 'pg'] as const)(
    'of a database of before is said to have been, on %s',
    async (kind) => {
      const { config, drop } = kind === 'sqlite' ? makeSqlite() : await makePostgres();
      closing.push(drop);
      const database = openDatabase(config);
      closing.push(() => database.close());
      await migrate(database);
      await database.writer.raw('alter table schema_migration drop column works_with');
      await checkSchema(database);
      await migrate(database, undefined, { list: [...migrations, next()] });
      await checkSchema(database);
    },
  );
});
