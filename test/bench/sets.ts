import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { systemClock } from '../../src/bridge/system-clock.ts';
import { jointSets } from '../../src/core/config/joint-sets.ts';
import { toIso } from '../../src/core/datetime.ts';
import type { ResourceSet } from '../../src/core/resource-set.ts';
import { createPublisher, type Publisher } from '../../src/publish/publisher.ts';
import { type Database, openDatabase } from '../../src/store/engine/database.ts';
import { migrate } from '../../src/store/schema/migrate.ts';
import { readJournal } from '../../src/store/sources/journal.ts';
import { startPostgres } from '../house/postgres/server.ts';
import { baseUrl, endFirstPass, seedChanges, seedSource, silent } from '../house/publish/seed.ts';
import { print } from './once/processes.ts';

/**
 * A set across sources: `npm run bench sets [SOURCES] [CHANGES_PER_SECOND] [SECONDS]`, on PostgreSQL. How many statements and
 * how much time a publication of 50 changes in 10 sources takes in a set of 10, 100 and all sources; and how long it is
 * from a commit to the Change List while changes come at that rate, anywhere.
 */
const [sources = 800, rate = 200, seconds = 20] = process.argv.slice(2).map(Number);
const resourcesEach = 3;
const ticksInSecond = 10;
/** As `serve` rests between two looks. */
const pauseMs = 400;

const postgres = await startPostgres();
const directory = mkdtempSync(join(tmpdir(), 'rsbridge-bench-'));
const database = openDatabase({ client: 'pg', url: postgres.url, poolSize: 8 });
try {
  await migrate(database);
  const names = Array.from({ length: sources }, (_, number) => `s${String(number).padStart(4, '0')}`);
  await seed(database, names);
  const publisher = createPublisher({ database, directory, baseUrl, clock: systemClock, log: silent });
  for (const size of [10, 100, sources].filter(
    (one, index, all) => one <= sources && all.indexOf(one) === index,
  ))
    print({ what: 'one publication', ...(await countOne(publisher, names, size)) });
  print({ what: 'from commit to Change List', sources, rate, ...(await measureLateness(publisher, names)) });
} finally {
  await database.close();
  await postgres.stop();
  rmSync(directory, { recursive: true, force: true });
}

async function seed({ writer }: Database, names: readonly string[]): Promise<void> {
  const at = toIso(new Date());
  for (const name of names) {
    await seedSource(database, name, at);
    const changes = Array.from({ length: resourcesEach }, (_, number) => ({ name: `n${number}`, at }));
    await seedChanges(database, name, changes);
    await endFirstPass(database, name);
  }
  await writer.raw('analyze');
}

function setOf(name: string, names: readonly string[]): ResourceSet {
  const [set] = jointSets({ [name]: {} }, Object.fromEntries(names.map((source) => [source, {}])));
  if (!set) throw new Error('there is no set');
  return set;
}

async function countOne(publisher: Publisher, names: readonly string[], size: number) {
  const set = setOf(`of-${size}`, names.slice(0, size));
  await publisher.publish(set, { resourceList: 'if-missing' });
  const costs: { statements: number; ms: number; cpu: number }[] = [];
  let statements = 0;
  const count = () => {
    statements += 1;
  };
  const knex: Knex = database.writer;
  for (let round = 0; round < 7; round += 1) {
    for (let times = 0; times < 5; times += 1) await commit(names.slice(0, 10));
    await sleep(1_000);
    statements = 0;
    knex.on('query', count);
    const [started, before] = [performance.now(), process.cpuUsage()];
    await publisher.publish(set, { resourceList: 'never', flat: 'throttled' });
    const { user, system } = process.cpuUsage(before);
    knex.off('query', count);
    costs.push({
      statements,
      ms: Math.round(performance.now() - started),
      cpu: Math.round((user + system) / 1000),
    });
  }
  const median = (of: (cost: (typeof costs)[number]) => number) => costs.map(of).sort((a, b) => a - b)[3];
  return {
    sources: size,
    statements: median((one) => one.statements),
    ms: median((one) => one.ms),
    cpuMs: median((one) => one.cpu),
  };
}

async function measureLateness(publisher: Publisher, names: readonly string[]) {
  const set = setOf('all', names);
  await publisher.publish(set, { resourceList: 'if-missing' });
  const begin = (await readJournal(database.reader, set.source))?.seq ?? 0;
  const commits: { readonly upTo: number; readonly at: number }[] = [];
  const lateness: number[] = [];
  let [committed, published, isOver] = [0, 0, false];
  const writing = (async () => {
    const started = performance.now();
    for (let tick = 0; tick < seconds * ticksInSecond; tick += 1) {
      const wait = started + (tick * 1000) / ticksInSecond - performance.now();
      if (wait > 0) await sleep(wait);
      const some = new Set(
        Array.from(
          { length: rate / ticksInSecond },
          () => names[Math.floor(Math.random() * names.length)] ?? '',
        ),
      );
      await commit([...some]);
      committed += some.size;
      commits.push({ upTo: committed, at: performance.now() });
    }
    isOver = true;
  })();
  const before = process.cpuUsage();
  let publications = 0;
  while (!isOver || published < committed) {
    const looked = performance.now();
    await publisher.publish(set, { resourceList: 'never', flat: 'throttled' });
    publications += 1;
    published = ((await readJournal(database.reader, set.source))?.seq ?? begin) - begin;
    const now = performance.now();
    while (commits[0] && commits[0].upTo <= published) lateness.push(now - (commits.shift()?.at ?? now));
    await sleep(pauseMs - ((performance.now() - looked) % pauseMs));
  }
  await writing;
  const { user, system } = process.cpuUsage(before);
  lateness.sort((a, b) => a - b);
  const at = (share: number) => Math.round(lateness[Math.floor((lateness.length - 1) * share)] ?? 0);
  const cpuMsPerThousand = Math.round((user + system) / committed);
  return {
    changes: committed,
    publications,
    medianMs: at(0.5),
    p95Ms: at(0.95),
    maxMs: at(1),
    cpuMsPerThousand,
  };
}

/** One change in each of these sources; as many harvests would do it, but in one statement: they are not what is measured. */
async function commit(names: readonly string[]): Promise<void> {
  await database.writer.raw(
    `with moved as (
      update source set journal_seq = journal_seq + 1, journal_at = greatest(journal_at, ?) where name = any(?)
      returning id, name, journal_seq, journal_at
    ), made as (
      update resource set last_seq = moved.journal_seq, lastmod = moved.journal_at from moved
      where resource.source_id = moved.id and resource.path = moved.name || '/items/n0/oai_dc.xml'
      returning resource.*
    )
    insert into change (source_id, seq, resource_id, at, kind, lastmod, media_type, length, hash, links)
    select source_id, last_seq, id, lastmod, 'updated', lastmod, media_type, length, hash, links from made`,
    [toIso(new Date()), names as unknown as Knex.Value],
  );
}
