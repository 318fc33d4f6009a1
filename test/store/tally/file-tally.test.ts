import { Writable } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLog } from '../../../src/bridge/log.ts';
import { fillBehind } from '../../../src/bridge/work/filling.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { openDatabase } from '../../../src/store/engine/database.ts';
import { databaseNow } from '../../../src/store/engine/database-clock.ts';
import { countFilesOf } from '../../../src/store/files/file-counts.ts';
import { saveRemoteFiles } from '../../../src/store/files/remote-file-writing.ts';
import { isOlderAtWork, leave } from '../../../src/store/presence/processes.ts';
import { fillNext } from '../../../src/store/schema/backfill.ts';
import { migrate, migrations } from '../../../src/store/schema/migrate.ts';
import { noRoomReason, otherBytesReason, readStanding } from '../../../src/store/tally/file-standing.ts';
import {
  areTalliedRight,
  countAll,
  readTally,
  recountFiles,
  settleTally,
  type TalliedFiles,
} from '../../../src/store/tally/file-tally.ts';
import { describeOnBoth, makePostgres, makeSqlite } from '../../house/store/databases.ts';
import { ToldSource } from '../../house/store/told-source.ts';

const url = (name: string) => `https://kyoto.example.org/${name}.pdf`;
const names = ['a', 'b', 'c', 'd'] as const;

/** Without those that are none. */
function told(files: readonly TalliedFiles[] | undefined): readonly string[] | undefined {
  return files
    ?.filter((row) => row.files !== 0 && readStanding(row.standing) !== undefined)
    .map((row) => `${row.source_id}: ${row.files} as ${row.standing}`)
    .sort();
}

const step = fc.oneof(
  fc.record({
    kind: fc.constant('tell' as const),
    item: fc.nat({ max: 2 }),
    files: fc.uniqueArray(fc.constantFrom(...names)),
  }),
  fc.record({
    kind: fc.constant('see' as const),
    file: fc.constantFrom(...names),
    outcome: fc.constantFrom('unchecked', 'confirmed', 'refused', 'gone', 'unreachable'),
    reason: fc.constantFrom(undefined, noRoomReason, otherBytesReason, '10.0.0.1 is not a public address'),
    isKept: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('settle' as const) }),
);

let sources = 0;

describeOnBoth('how many files are in which state', (open) => {
  async function newSource(database: Database): Promise<ToldSource> {
    sources += 1;
    return ToldSource.open(database, `tally-${sources}`);
  }

  test('is told by what is counted where files change, as if all were counted', async () => {
    const { database } = open();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 10 }), async (steps) => {
        const source = await newSource(database);
        for (const one of steps) {
          if (one.kind === 'tell') await source.tell({ [one.item]: { files: one.files.map(url) } });
          else if (one.kind === 'settle') await settleTally(database, source.id);
          else
            await saveRemoteFiles(database, source.id, [
              {
                url: url(one.file),
                ...{ outcome: one.outcome, failures: 0, checkedAt: source.now, reason: one.reason },
                ...(one.isKept && { contentHash: `sha-256:${'a'.repeat(64)}`, contentLength: 1 }),
              },
            ]);
          expect(told(await readTally(database.reader, [source.id]))).toEqual(
            told(await countAll(database.reader, [source.id])),
          );
        }
        await settleTally(database, source.id);
        expect(await database.reader('file_recount').where({ source_id: source.id })).toEqual([]);
        expect(told(await readTally(database.reader, [source.id]))).toEqual(
          told(await countAll(database.reader, [source.id])),
        );
      }),
      { numRuns: 6 },
    );
  });

  test('is right where several settle at once, beside who changes files', async () => {
    const { database } = open();
    const source = await newSource(database);
    const all = Array.from({ length: 60 }, (_, number) => url(String(number)));
    await source.tell(Object.fromEntries(all.map((one, number) => [number, { files: [one] }])));
    const see = (outcome: 'confirmed' | 'gone', some: readonly string[]) =>
      saveRemoteFiles(
        database,
        source.id,
        some.map((one) => ({ url: one, outcome, failures: 0, checkedAt: source.now })),
      );
    await Promise.all([
      settleTally(database, source.id),
      see('confirmed', all.slice(0, 40)),
      settleTally(database, source.id),
      see('gone', all.slice(20)),
      settleTally(database, source.id),
    ]);
    const rows = () => readTally(database.reader, [source.id]);
    expect(told(await rows())).toEqual(told(await countAll(database.reader, [source.id])));
    await settleTally(database, source.id);
    expect(told(await rows())).toEqual(told(await countAll(database.reader, [source.id])));
  });

  test('is found wrong, and counted anew', async () => {
    const { database } = open();
    const source = await newSource(database);
    await source.tell({ 1: { files: names.map(url) } });
    await settleTally(database, source.id);
    expect(await areTalliedRight(database, source.id)).toBe(true);
    const [file] = await database.writer('remote_file').where({ source_id: source.id, url: url('b') });
    await database
      .writer('remote_file')
      .where({ id: file.id, source_id: source.id })
      .update({ outcome: 'gone' });
    await database.writer('file_tally').where({ source_id: source.id }).update({ files: 7 });
    expect(await areTalliedRight(database, source.id)).toBe(false);
    await recountFiles(database, source.id);
    expect(await areTalliedRight(database, source.id)).toBe(true);
    expect(
      await database.reader('file_tally').where({ source_id: source.id }).where('files', '>', 3),
    ).toEqual([]);
  });

  test('is settled without reading what has not changed', async () => {
    const { database } = open();
    const source = await newSource(database);
    await source.tell({ 1: { files: names.map(url) } });
    await settleTally(database, source.id);
    await saveRemoteFiles(database, source.id, [
      { url: url('a'), outcome: 'confirmed', failures: 0, checkedAt: source.now },
    ]);
    // The same files again, and the same answer.
    await source.tell({ 1: { files: names.map(url) } });
    const named = await database.reader('file_recount').where({ source_id: source.id }).distinct('url');
    expect(named).toEqual([{ url: url('a') }]);
  });
});

test.each(['sqlite', 'pg'] as const)(
  'files of before are counted one by one until all are named, on %s',
  async (kind) => {
    const own = kind === 'sqlite' ? makeSqlite() : await makePostgres();
    const database = openDatabase(own.config);
    try {
      const before = migrations.filter(({ name }) => name < '0094');
      await migrate(database, undefined, { list: before });
      const source = await ToldSource.open(database, 'kyoto');
      const count = 4_100;
      await database.transaction(async (trx) => {
        for (let from = 0; from < count; from += 100) {
          const some = Array.from({ length: 100 }, (_, index) => from + index);
          await trx('remote_file').insert(
            some.map((number) => ({
              ...{ source_id: source.id, url: url(String(number)), failures: 0 },
              outcome: number % 3 === 0 ? 'gone' : 'confirmed',
            })),
          );
          await trx('item_file').insert(
            some.slice(0, 50).map((number) => ({
              ...{ source_id: source.id, item_id: number, origin: 'oai_dc', rank: 1, sequence: 1 },
              ...{ url: url(String(number)), name: 'a.pdf' },
            })),
          );
        }
      });
      await migrate(database);
      const tally = migrations.find(({ name }) => name.startsWith('0094'));
      if (!tally) throw new Error('there is no such migration');
      const all = told(await countAll(database.reader, [source.id]));
      expect(all).toHaveLength(2);
      let turns = 0;
      do {
        // Whoever is killed between two of these leaves it to the next.
        expect(await readTally(database.reader, [source.id])).toBeUndefined();
        turns += 1;
      } while (await fillNext(database, tally));
      expect(turns).toBe(3);
      expect(told(await readTally(database.reader, [source.id]))).toEqual(all);
      await settleTally(database, source.id);
      expect(told(await readTally(database.reader, [source.id]))).toEqual(all);
      expect(await database.reader('file_recount').first('id')).toBeUndefined();
    } finally {
      await database.close();
      await own.drop();
    }
  },
);

test.each(['sqlite', 'pg'] as const)(
  'as long as a process of before is at work, all are counted, on %s',
  async (kind) => {
    const own = kind === 'sqlite' ? makeSqlite() : await makePostgres();
    const database = openDatabase(own.config);
    const stop = new AbortController();
    try {
      await migrate(database, undefined, { list: migrations.filter(({ name }) => name < '0094') });
      const old = {
        holder: 'mill x/7/y',
        role: 'work',
        version: '0.0.9',
        started_at: '',
        memory: 1,
        held_up: 0,
      };
      await database
        .writer('process')
        .insert({ ...old, seen: database.writer.raw(databaseNow(database.writer)) });
      await migrate(database);
      const source = await ToldSource.open(database, 'kyoto');
      await source.tell({ 1: { files: names.map(url) } });
      await settleTally(database, source.id);
      const log = createLog('silent', new Writable({ write: (_chunk, _coding, done) => done() }));
      const filled = fillBehind({ database, log }, stop.signal);
      // It does not say which files it changes.
      await database
        .writer('remote_file')
        .where({ source_id: source.id, url: url('a') })
        .update({ outcome: 'gone' });
      await database
        .writer('remote_file')
        .where({ source_id: source.id, url: url('b') })
        .delete();
      const counts = async () => (await countFilesOf(database.reader, [source.id]))(source.id);
      expect(await isOlderAtWork(database.reader, '0094-file-tally')).toBe(true);
      expect(await readTally(database.reader, [source.id])).toBeUndefined();
      expect(await counts()).toMatchObject({ unchecked: 2, gone: 1 });
      await leave(database.writer, old.holder);
      await filled;
      await settleTally(database, source.id);
      expect(told(await readTally(database.reader, [source.id]))).toHaveLength(2);
      expect(await areTalliedRight(database, source.id)).toBe(true);
      expect(await counts()).toMatchObject({ unchecked: 2, gone: 1 });
    } finally {
      stop.abort();
      await database.close();
      await own.drop();
    }
  },
);
