import { once } from 'node:events';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { openSqliteFile, type SqliteStatement } from '../../../src/store/drivers/sqlite-driver.ts';
import { storedHash } from '../../../src/store/drivers/sqlite-hashes.ts';
import type { Row } from '../../../src/store/engine/bulk.ts';
import { openDatabase } from '../../../src/store/engine/database.ts';
import { migrate } from '../../../src/store/schema/migrate.ts';
import { momentOf, pageSize, planOf } from './time-plan.ts';
import { type PageRows, type PageToMake, sourceId } from './time-rows.ts';

/**
 * A source with a past, as harvests would have left it: `time-seed RESOURCES VERSIONS FILE`. Beside the file
 * `FILE.json` says what each table and index took after each round.
 */
const plan = planOf(process.argv.slice(2));
const { resources, versions } = plan;
const file = process.argv[4] ?? '';
const unfinished = `${file}.unfinished`;
for (const rest of ['', '-wal', '-shm']) rmSync(unfinished + rest, { force: true });
const migrated = openDatabase({ client: 'sqlite', file: unfinished });
await migrate(migrated);
await migrated.close();
const database = openSqliteFile(unfinished);
// A crash leaves nothing of worth, and the index of the hashes is written all over.
for (const pragma of ['synchronous = off', 'cache_size = -2097152', 'wal_autocheckpoint = 100000']) {
  database.exec(`pragma ${pragma}`);
}
const statements = new Map<string, SqliteStatement>();
await seed();
const checkpoint = database.prepare('pragma wal_checkpoint(truncate)').get() as { busy: number };
if (checkpoint.busy !== 0) throw new Error('somebody else reads the database');
database.close();
renameSync(unfinished, file);
for (const rest of ['-wal', '-shm']) rmSync(unfinished + rest, { force: true });
process.stdout.write('seeded\n');

async function seed(): Promise<void> {
  const last = momentOf(resources - 1, versions - 1);
  insert('source', {
    ...{ id: sourceId, name: 'bench', journal_id: 'bench', journal_at: last },
    ...{ journal_seq: resources * versions, first_pass_seq: resources },
    ...{ item_count: resources, published_items: resources, published_seq: resources * versions },
    ...{ resource_count: resources, as_of: last, last_full_at: last },
  });
  insert('collection', { source_id: sourceId, spec: 'theses', name: 'Theses' });
  const script = join(import.meta.dirname, `time-rows${extname(import.meta.filename)}`);
  const workers = [0, 1].map(() => new Worker(script, { workerData: plan }));
  const sizes: object[] = [];
  for (let version = 0; version < versions; version += 1) {
    for await (const rows of pagesOf(workers, version)) insertPage(rows);
    sizes.push(sizesNow());
    process.stderr.write(`version ${version + 1} of ${versions}\n`);
  }
  for (const worker of workers) await worker.terminate();
  writeFileSync(`${file}.json`, JSON.stringify(sizes));
}

/** In their order; each worker makes one while the one before is inserted. */
async function* pagesOf(workers: readonly Worker[], version: number): AsyncGenerator<PageRows> {
  const making: Promise<unknown[]>[] = [];
  for (let from = 0, index = 0; from < resources || making.length > 0; index += 1) {
    const worker = workers[index % workers.length];
    if (worker && from < resources) {
      making.push(once(worker, 'message'));
      worker.postMessage({ version, from } satisfies PageToMake);
      from += pageSize;
    }
    if (making.length < workers.length && from < resources) continue;
    const [rows] = (await making.shift()) ?? [];
    yield rows as PageRows;
  }
}

function insertPage(page: PageRows): void {
  database.exec('begin');
  for (const [table, rows] of Object.entries(page)) for (const row of rows) insert(table, row);
  database.exec('commit');
}

/** Every row of a table comes with the same columns. */
function insert(table: string, row: Row): void {
  const known = statements.get(table);
  const columns = Object.keys(row);
  const values = columns.map(() => '?').join(', ');
  const statement =
    known ?? database.prepare(`insert into "${table}" (${columns.join(', ')}) values (${values})`);
  if (!known) statements.set(table, statement);
  statement.run(
    ...Object.values(row).map((value) => (typeof value === 'string' ? storedHash(value) : value)),
  );
}

/** Bytes of every table and index. */
function sizesNow(): object {
  const rows = database.prepare('select name, sum(pgsize) as bytes from dbstat group by name').all();
  return Object.fromEntries(
    (rows as { name: string; bytes: number }[]).map(({ name, bytes }) => [name, bytes]),
  );
}
