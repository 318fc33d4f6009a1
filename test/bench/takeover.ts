import { createHash } from 'node:crypto';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { DatabaseConfig } from '../../src/core/config/config.ts';
import { resourceSets } from '../../src/core/resource-set.ts';
import { createPublisher } from '../../src/publish/publisher.ts';
import { type Database, openDatabase } from '../../src/store/engine/database.ts';
import { listHistories } from '../../src/store/history/timelines.ts';
import { startPostgres } from '../house/postgres/server.ts';
import { fillOfBefore } from '../house/store/before/of-before.ts';
import { sourcesOfBefore, stages } from '../house/store/before/stages.ts';
import { takeOverInProcess } from '../house/store/before/takeover.ts';
import { readBlob } from '../house/store/read-blob.ts';
import { columnsTold, told } from '../house/store/rows-told.ts';
import { print } from './once/processes.ts';

/**
 * Databases of before are taken over: `npm run bench takeover [RESOURCES] [DATABASE] [SCHEMA…]`, by default 1,000,000
 * resources in `sqlite` and in `pg`, of the first and the last schema; `all` means each. Of each there are two copies. One
 * is taken over without an interruption; whoever takes over the other is killed (SIGKILL) after a third and after two
 * thirds. The rows of before, read by SQL, have to be those of after; and both copies have to make the same documents,
 * byte for byte: all lists, the pasts of a thousand resources, and the bytes that they had. A line for each.
 */
const [resources = '1000000', which = 'both', ...names] = process.argv.slice(2);
const chosen =
  names[0] === 'all' ? stages : names.length > 0 ? names : [stages.at(0) ?? '', stages.at(-1) ?? ''];
const unknown = [
  ...(['both', 'sqlite', 'pg'].includes(which) ? [] : [which]),
  ...chosen.filter((name) => !stages.includes(name)),
];
if (unknown.length > 0)
  throw new Error(`${unknown.join(', ')}: write [RESOURCES] [both|sqlite|pg] [all|${stages.join('|')} …]`);
const script = join(
  import.meta.dirname,
  '..',
  'house',
  'store',
  'before',
  `takeover-process${extname(import.meta.filename)}`,
);
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const clock = { now: () => new Date('2026-02-01T00:00:00Z'), sleep: () => Promise.resolve() };

/** A database that can be had twice. */
interface Place {
  readonly config: DatabaseConfig;
  copy(): Promise<Place>;
  bytes(): Promise<number>;
  drop(): Promise<void>;
}

function sqlitePlace(file: string): Place {
  return {
    config: { client: 'sqlite', file },
    copy: async () => {
      copyFileSync(file, `${file}.copy`);
      return sqlitePlace(`${file}.copy`);
    },
    bytes: async () =>
      ['', '-wal'].reduce(
        (sum, end) => sum + (statSync(file + end, { throwIfNoEntry: false })?.size ?? 0),
        0,
      ),
    drop: async () => {
      for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
    },
  };
}

async function postgresPlace(server: string, name: string, template?: string): Promise<Place> {
  const url = new URL(server);
  const admin = openDatabase({ client: 'pg', url: server, poolSize: 1 });
  const like = template === undefined ? '' : ` template ${template}`;
  await admin.writer.raw(`create database ${name}${like}`);
  url.pathname = `/${name}`;
  return {
    config: { client: 'pg', url: url.href, poolSize: 4 },
    copy: () => postgresPlace(server, `${name}_copy`, name),
    bytes: async () =>
      Number((await admin.writer.raw('select pg_database_size(?) as bytes', [name])).rows[0].bytes),
    drop: async () => {
      await admin.writer.raw(`drop database ${name} with (force)`);
      await admin.close();
    },
  };
}

async function opened<Result>(
  { config }: Place,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const database = openDatabase(config);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Takes over, and looks meanwhile how much room that takes. */
async function timed(place: Place, work: () => Promise<{ readonly peak: number | undefined }>) {
  let most = await place.bytes();
  const timer = setInterval(() => {
    void place.bytes().then((bytes) => {
      most = Math.max(most, bytes);
    });
  }, 250);
  const started = performance.now();
  const { peak } = await work();
  clearInterval(timer);
  return { seconds: Math.round((performance.now() - started) / 100) / 10, most, peak };
}

/** Of all documents that are published, of pasts, and of bytes of then. */
async function documentsOf(place: Place, directory: string): Promise<string> {
  return opened(place, async (database) => {
    const hash = createHash('sha256');
    const made = mkdtempSync(join(directory, 'published-'));
    const baseUrl = 'https://example.org/rs';
    const publisher = createPublisher({ database, directory: made, baseUrl, clock, log: silent });
    const sets = sourcesOfBefore.flatMap((source) => resourceSets(source));
    for (const set of sets) await publisher.publish(set, { resourceList: 'always' });
    const files = readdirSync(made, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.xml'),
    );
    if (files.length < 2 * sets.length) throw new Error('too little was published');
    // A snapshot has a name of its own each time.
    const sums = files.map((name) =>
      createHash('sha256')
        .update(readFileSync(join(made, name)))
        .digest('hex'),
    );
    hash.update(sums.sort().join());
    rmSync(made, { recursive: true, force: true });
    const step = Math.max(5, Math.floor(Number(resources) / 1_000));
    let mementos = 0;
    for (let n = step; n <= Number(resources); n += step) {
      const path = `${n % 4 === 0 ? 'beta' : 'alpha'}/items/oai:repo.example.org:${n}/oai_dc.xml`;
      for (const history of await listHistories(database.reader, path)) {
        hash.update(JSON.stringify(history));
        if (n % 1_000 !== 0) continue;
        for (const { hash: own = '' } of history.timeline.mementos) {
          hash.update((await readBlob(database.reader, own)) ?? '');
          mementos += 1;
        }
      }
    }
    if (Number(resources) >= 1_000 && mementos === 0) throw new Error('no memento was read');
    return hash.digest('hex');
  });
}

async function measure(kind: 'sqlite' | 'pg', stage: string, whole: Place, directory: string): Promise<void> {
  const columns = await opened(whole, async (database) => {
    await fillOfBefore(database, stage, Number(resources));
    return columnsTold(database);
  });
  const before = await opened(whole, (database) => told(database, columns));
  const killed = await whole.copy();
  try {
    const bytesBefore = await whole.bytes();
    const undisturbed = await timed(whole, () => takeOverInProcess(script, whole.config));
    let kills = 0;
    const disturbed = await timed(killed, async () => {
      for (const share of [1 / 3, 2 / 3]) {
        const run = await takeOverInProcess(
          script,
          killed.config,
          (steps, part) => steps > 1 && part >= share,
        );
        if (run.isKilled) kills += 1;
      }
      return takeOverInProcess(script, killed.config);
    });
    const only: Record<string, string> = stage < '0005' ? { version: 'gone = 0' } : {};
    const after = await opened(killed, (database) => told(database, columns, only));
    const documents = await documentsOf(whole, directory);
    const isSame = documents === (await documentsOf(killed, directory));
    const megabytes = (bytes: number) => Math.round(bytes / 1e6);
    print({
      database: kind,
      schema: stage,
      resources: Number(resources),
      rows: Object.values(before).reduce((sum, { rows }) => sum + rows, 0),
      seconds: undisturbed.seconds,
      secondsWithKills: disturbed.seconds,
      kills,
      megabytes: {
        before: megabytes(bytesBefore),
        during: megabytes(undisturbed.most),
        after: megabytes(await whole.bytes()),
      },
      peakRssMegabytes: Math.round((undisturbed.peak ?? 0) / 1024),
      sameRows: JSON.stringify(before) === JSON.stringify(after),
      sameDocuments: isSame,
    });
  } finally {
    await killed.drop();
  }
}

const directory = mkdtempSync(join(tmpdir(), 'rsbridge-bench-'));
try {
  for (const stage of which === 'pg' ? [] : chosen) {
    const place = sqlitePlace(join(directory, 'before.db'));
    await measure('sqlite', stage, place, directory);
    await place.drop();
  }
  const server =
    which === 'sqlite' ? undefined : await startPostgres({ shared_buffers: '256MB', max_wal_size: '4GB' });
  for (const stage of server ? chosen : []) {
    const place = await postgresPlace(server?.url ?? '', 'before');
    await measure('pg', stage, place, directory);
    await place.drop();
  }
  await server?.stop();
} finally {
  rmSync(directory, { recursive: true, force: true });
}
