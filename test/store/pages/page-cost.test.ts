import { expect, test } from 'vitest';
import type { DatabaseConfig } from '../../../src/core/config/config.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { isTimeToLook, refreshStatistics } from '../../../src/store/schema/statistics.ts';
import { migratedPostgres, migratedSqlite } from '../../house/store/databases.ts';
import { Lives } from '../../house/store/lives.ts';
import { looked, preferIndexes, saysWhatIsRead, using } from '../../house/store/looked.ts';

const pageOf = 250;
const pages = 16;

/** What each record of a page is in its turn, and so its costs. */
const turns: readonly (readonly [what: string, content: (record: number) => number])[] = [
  ['new', (record) => record],
  ['unchanged', (record) => record],
  ['changed', (record) => record + 1_000_000],
];

class Costs {
  readonly #config: DatabaseConfig;
  #now = '2026-11-20T00:00:00Z';

  constructor(config: DatabaseConfig) {
    this.#config = config;
  }

  /** What the second page and the last one cost, each stored by somebody who does nothing else. */
  async of(source: string, content: (record: number) => number): Promise<readonly [number, number]> {
    await this.#store(source, content, 0, 1);
    const second = await this.#costOf(() => this.#store(source, content, 1, 2));
    await this.#store(source, content, 2, pages - 1);
    return [second, await this.#costOf(() => this.#store(source, content, pages - 1, pages))];
  }

  async #costOf(work: () => Promise<unknown>): Promise<number> {
    const before = await looked(this.#config);
    await work();
    return (await looked(this.#config)) - before;
  }

  #store(source: string, content: (record: number) => number, from: number, to: number): Promise<void> {
    return using(this.#config, async (database) => {
      const lives = await Lives.begin(database, source, this.#now);
      for (let page = from; page < to; page += 1) {
        lives.pass(60);
        const records = Array.from({ length: pageOf }, (_, index) => page * pageOf + index);
        await lives.store(Object.fromEntries(records.map((record) => [record, content(record)])));
        // As a harvest does.
        if (isTimeToLook(page * pageOf, (page + 1) * pageOf))
          await refreshStatistics(database, lives.lease.sourceId);
      }
      this.#now = lives.now;
      await lives.end();
    });
  }
}

async function majorVersion({ reader }: Database): Promise<number> {
  const { rows } = await reader.raw<{ rows: { version: number }[] }>(
    "select current_setting('server_version_num')::int / 10000 as version",
  );
  return rows[0]?.version ?? 0;
}

/** Every table but those that have partitions. */
async function asAutovacuumDoes({ writer }: Database): Promise<void> {
  const { rows } = await writer.raw<{ rows: { name: string }[] }>(
    "select oid::regclass::text as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace",
  );
  await writer.raw(`analyze ${rows.map(({ name }) => name).join(', ')}`);
}

/** Tables of which PostgreSQL knows more than what is in each partition. */
async function knownAsAWhole({ reader }: Database): Promise<readonly string[]> {
  const { rows } = await reader.raw<{ rows: { tablename: string }[] }>(
    'select distinct tablename from pg_stats where inherited',
  );
  return rows.map(({ tablename }) => tablename);
}

async function sharePartition(database: Database, ...sources: readonly string[]): Promise<boolean> {
  const { rows } = await database.reader.raw<{ rows: unknown[] }>(
    'select distinct item.tableoid from item join source on source.id = source_id where name = any(?)',
    [sources as unknown as string],
  );
  return rows.length === 1;
}

test.for(['sqlite', 'pg'] as const)(
  'a page costs as much as it is, however many came before it, on %s',
  async (kind, { skip, onTestFinished }) => {
    skip(kind === 'sqlite' && !saysWhatIsRead, 'only Linux says what a process has read');
    const { config, drop } = kind === 'sqlite' ? migratedSqlite() : await migratedPostgres();
    onTestFinished(drop);
    if (kind === 'pg') {
      const isOld = (await using(config, majorVersion)) < 17;
      skip(
        isOld,
        'PostgreSQL before 17 reads some thousands of rows before it takes a list of look-ups for less',
      );
      await using(config, preferIndexes);
    }
    const costs = new Costs(config);
    const all = pages * pageOf;
    const look = async (source: string) => {
      for (const [what, content] of turns) {
        const [second, last] = await costs.of(source, content);
        // Less than one look at all that are there would be.
        expect(last - second, `${source}, ${what}`).toBeLessThan(all / 4);
        if (kind === 'pg') expect(last, `${source}, ${what}`).toBeLessThan(all / 2);
      }
    };
    await look('first');
    if (kind === 'pg') {
      // All that PostgreSQL knows by itself when another source comes, which has the same partition.
      await using(config, asAutovacuumDoes);
      await using(config, (database) => Lives.begin(database, 'between', '2026-11-20T00:00:00Z'));
      await look('another');
      expect(await using(config, (database) => sharePartition(database, 'first', 'another'))).toBe(true);
      // Or one of its resources is looked for among all of its source.
      expect(await using(config, knownAsAWhole)).toEqual(
        expect.arrayContaining(['change', 'item', 'resource', 'version']),
      );
    }
  },
);
