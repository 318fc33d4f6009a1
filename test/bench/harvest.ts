import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../house/postgres/server.ts';
import { firstLine, print, start } from './once/processes.ts';

/**
 * `npm run bench harvest [RECORDS] [sqlite|pg|page|threads|four …]`: a first harvest of oai_dc records from a
 * provider in another process, into SQLite and PostgreSQL, and as one single page of 300 MB, all as configured by
 * default; `threads`: one harvest and four at a time (a quarter of the records each), read in no thread and in two;
 * `four`: of these the last alone, in which the start of the program and what V8 compiles count less the more records there are.
 */
const [count = '100000', ...chosen] = process.argv.slice(2);
const wanted = chosen.length > 0 ? chosen : ['sqlite', 'pg', 'page', 'threads'];
const records = Number(count);

interface Variant {
  readonly name: string;
  readonly pageSize: number;
  readonly records: number;
  readonly workers?: number;
  readonly harvests?: number;
}

async function measure(variant: Variant, database: object): Promise<void> {
  const { name, pageSize, workers = 0, harvests = 1 } = variant;
  const each = Math.ceil(variant.records / harvests);
  const provider = start('upstreams/provider', [each, pageSize]);
  try {
    const url = await firstLine(provider);
    const run = start('once/harvest-once', [url, JSON.stringify(database), 1, workers, harvests]);
    print({ name, ...JSON.parse(await firstLine(run)) });
  } finally {
    provider.kill('SIGKILL');
  }
}

/** @param place runs a measurement on a new database */
async function besideEachOther(
  name: string,
  place: (measured: (database: object) => Promise<void>) => Promise<void>,
  atATime: readonly number[] = [1, 4],
  threads: readonly number[] = [0, 2],
): Promise<void> {
  for (const harvests of atATime) {
    for (const workers of threads) {
      const what = `${name}, harvests at a time: ${harvests}, workers: ${workers}`;
      await place((database) =>
        measure({ name: what, pageSize: 1000, records, workers, harvests }, database),
      );
    }
  }
}

async function onPostgres(measured: (database: object) => Promise<void>): Promise<void> {
  const server = await startPostgres();
  try {
    await measured({ client: 'pg', url: server.url, poolSize: 5 });
  } finally {
    await server.stop();
  }
}

let files = 0;

async function onSqlite(measured: (database: object) => Promise<void>): Promise<void> {
  files += 1;
  await measured({ client: 'sqlite', file: join(directory, `${files}.db`) });
}

const directory = mkdtempSync(join(tmpdir(), 'rsbridge-bench-'));
try {
  if (wanted.includes('sqlite')) {
    await onSqlite((database) => measure({ name: 'sqlite', pageSize: 1000, records }, database));
  }
  if (wanted.includes('page')) {
    const huge = 160_000;
    const page = { name: 'one page of 300 MB', pageSize: huge, records: huge };
    await onSqlite((database) => measure(page, database));
  }
  if (wanted.includes('pg')) {
    await onPostgres((database) => measure({ name: 'pg', pageSize: 1000, records }, database));
  }
  if (wanted.includes('threads')) {
    await besideEachOther('sqlite', onSqlite);
    await besideEachOther('pg', onPostgres);
  }
  if (wanted.includes('four')) {
    await besideEachOther('sqlite', onSqlite, [4], [2]);
    await besideEachOther('pg', onPostgres, [4], [2]);
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}
