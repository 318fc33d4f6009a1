import { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLog } from '../../../src/bridge/log.ts';
import { fillBehind } from '../../../src/bridge/work/filling.ts';
import { parseConfig, type SourceConfig } from '../../../src/core/config/config.ts';
import { harvest } from '../../../src/harvest/harvest.ts';
import { createLessonBook } from '../../../src/harvest/lessons.ts';
import { type Database, openDatabase } from '../../../src/store/engine/database.ts';
import { databaseNow } from '../../../src/store/engine/database-clock.ts';
import { countItems, readItemCount } from '../../../src/store/pages/sweep.ts';
import { leave } from '../../../src/store/presence/processes.ts';
import { readSourceFacts } from '../../../src/store/reading/source-facts.ts';
import { endFilling, fillNext } from '../../../src/store/schema/backfill.ts';
import { migrate, migrations } from '../../../src/store/schema/migrate.ts';
import { countSource } from '../../../src/store/sources/sources.ts';
import { adapterOf, fakeUpstream } from '../../house/harvest/fake-upstream.ts';
import { makePostgres, makeSqlite } from '../../house/store/databases.ts';
import { ToldSource } from '../../house/store/told-source.ts';

const name = '0098-published-items';
const log = createLog('silent', new Writable({ write: (_chunk, _coding, done) => done() }));
const old = {
  ...{ holder: 'mill x/7/y', role: 'work', version: '0.0.9', knows: '0097-refused-metadata' },
  ...{ started_at: '', memory: 1, held_up: 0 },
};

describe.each(['sqlite', 'pg'] as const)('items of a database of before, on %s', (kind) => {
  let database: Database;
  let drop: () => Promise<void>;
  const stop = new AbortController();

  beforeEach(async () => {
    const made = kind === 'sqlite' ? makeSqlite() : await makePostgres();
    drop = made.drop;
    database = openDatabase(made.config);
    await migrate(database);
  });
  afterEach(async () => {
    await database.close();
    await drop();
  });

  /** As if it had just been migrated: nothing has been counted. */
  async function asBefore(): Promise<void> {
    await database.writer('source').update({ published_items: 0, published_seq: 0, published_to: null });
    await database.writer('backfill').where({ name }).update({ ended_at: null, after: null });
  }
  const items = async ({ id, now }: ToldSource) => (await countSource(database.reader, id, now)).items;
  const many = (from: number, count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`id:${from + index}`, {}]));
  const deleted = { deleted: true };
  async function begin(source = 'kyoto'): Promise<ToldSource> {
    const told = await ToldSource.open(database, source);
    await told.tell({ 'id:1': {}, 'id:2': {}, 'id:3': {} });
    await told.tell({ 'id:3': deleted });
    return told;
  }
  const giveOldSign = async () => {
    const seen = database.writer.raw(databaseNow(database.writer));
    await database.writer('process').insert({ ...old, seen });
  };

  test('are counted behind the work, some at a time, while it goes on', async () => {
    const [kyoto, osaka] = [await begin(), await begin('osaka')];
    await kyoto.tell(many(10, 900));
    await kyoto.tell(many(1_000, 1_500));
    await asBefore();
    const facts = async () => {
      const known = await readSourceFacts(database.reader, kyoto.now);
      return ['kyoto', 'osaka'].map((source) => known.get(source)?.counts.items);
    };
    expect(await facts()).toEqual([2_403, 3]);
    const migration = migrations.find((one) => one.name === name);
    if (!migration) throw new Error('there is no such migration');
    expect(await fillNext(database, migration)).toBe(true);
    // One of those that are counted, one that is not yet, and one that is new.
    await kyoto.tell({ 'id:1': deleted, 'id:2499': deleted, 'id:5000': {} });
    expect(await facts()).toEqual([2_404, 3]);
    // What decides whether items are looked for is never a guess.
    expect(await readItemCount(database.reader, kyoto.id)).toBe(await countItems(database.reader, kyoto.id));
    await endFilling(database, migrations, name);
    expect(await facts()).toEqual([2_401, 2]);
    expect(await countItems(database.reader, kyoto.id)).toBe(2_401);
    expect(await readItemCount(database.reader, kyoto.id)).toBe(2_401);
    await osaka.tell({ 'id:3': {} });
    expect(await facts()).toEqual([2_401, 3]);
  });

  test('are counted once nobody is at work who does not count them', async () => {
    const source = await begin();
    await asBefore();
    await giveOldSign();
    const filled = fillBehind({ database, log }, stop.signal);
    await source.tell({ 'id:4': {} });
    expect(await items(source)).toBe(4);
    await leave(database.writer, old.holder);
    await filled;
    expect(await items(source)).toBe(3);
  });

  test('are counted by a harvest, too, also where somebody of before has come back', async () => {
    const upstream = fakeUpstream(3);
    const { sources } = parseConfig({ sources: { nara: { url: 'http://127.0.0.1/x' } } });
    let seconds = 0;
    const now = () => new Date(Date.parse('2026-11-21T10:00:00Z') + seconds * 1000);
    const clock = { now, sleep: async () => undefined };
    const source = {
      name: 'nara',
      config: sources.nara as SourceConfig,
      adapter: adapterOf(upstream),
      lessons: createLessonBook(clock),
    };
    const run = () => {
      seconds += 3600;
      const quiet = { debug() {}, info() {}, warn() {}, error() {} };
      const { signal } = stop;
      return harvest({ database, clock, log: quiet }, source, { mode: 'full', stop: signal, signal });
    };
    await run();
    upstream.items.delete('id:1');
    upstream.tombstones.add('id:1');
    const [{ id }] = await database.reader('source').select('id');
    const published = async () => (await countSource(database.reader, id, '')).items;
    await run();
    expect(await published()).toBe(2);
    // All has been counted; then somebody of before changes something.
    await endFilling(database, migrations, name);
    await database.writer('source').update({ published_items: 3, published_seq: 1 });
    expect(await published()).toBe(3);
    await giveOldSign();
    await run();
    expect(await published()).toBe(3);
    await leave(database.writer, old.holder);
    await run();
    expect(await published()).toBe(2);
  });
});
