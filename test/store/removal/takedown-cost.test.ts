import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { DatabaseConfig } from '../../../src/core/config/config.ts';
import { noFiles } from '../../../src/core/files/published-files.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { applyRetention } from '../../../src/store/history/retention.ts';
import { settle } from '../../../src/store/pages/settle.ts';
import { removeUnreferenced } from '../../../src/store/payloads/unreferenced-blobs.ts';
import { purgeSource } from '../../../src/store/removal/removed-sources.ts';
import { withdraw } from '../../../src/store/removal/withdrawals.ts';
import { migratedPostgres, migratedSqlite } from '../../house/store/databases.ts';
import { Lives } from '../../house/store/lives.ts';
import { looked, preferIndexes, saysWhatIsRead, using } from '../../house/store/looked.ts';

const began = '2026-11-20T00:00:00Z';
const never = new AbortController().signal;
const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface Store {
  readonly config: DatabaseConfig;
  readonly directory: string;
}

const large = 'large';
const small = 'small';
const tiny = 'tiny';

/** One large source, of which one record in four was changed and has a patch; a small one, where those were twice, and one of a single record. */
async function stocked(kind: 'sqlite' | 'pg', records: number): Promise<Store> {
  const directory = mkdtempSync(join(tmpdir(), 'rsbridge-cost-'));
  const { config, drop } = kind === 'sqlite' ? migratedSqlite() : await migratedPostgres();
  cleanups.push(drop, async () => rmSync(directory, { recursive: true, force: true }));
  await using(config, async (database) => {
    for (const [name, count] of [
      [large, records],
      [small, 20],
      [tiny, 1],
    ] as const) {
      const lives = await Lives.begin(database, name, began);
      lives.patches = true;
      for (let from = 0; from < count; from += 500) {
        const some = Array.from({ length: Math.min(500, count - from) }, (_, at) => from + at);
        lives.pass(60);
        await lives.store(Object.fromEntries(some.map((record) => [record, record])));
        const changed = some.filter((record) => record % 4 === 1);
        for (const version of name === small ? [1, 2] : [1]) {
          lives.pass(60);
          await lives.store(
            Object.fromEntries(changed.map((record) => [record, record + version * 1_000_000])),
          );
        }
      }
    }
    if (kind === 'sqlite') return;
    await database.writer.raw('analyze');
    await preferIndexes(database);
  });
  return { config, directory };
}

type Work = (database: Database, lives: Lives, directory: string) => Promise<unknown>;

/** What somebody who opens the store, and does this in one of its sources, looks at. */
async function costOf(store: Store, source: string, work: Work): Promise<number> {
  const now = '2026-12-20T00:00:00Z';
  const before = await looked(store.config);
  await using(store.config, async (database) => {
    const lives = await Lives.begin(database, source, now);
    await work(database, lives, store.directory);
    await lives.end();
  });
  return (await looked(store.config)) - before;
}

const removed = (database: Database, directory: string, now: string, urgent: boolean) =>
  removeUnreferenced({ database, directory, followedUpTo: new Map(), now, urgent });

const works: Readonly<Record<string, readonly [source: string, Work]>> = {
  'a takedown': [
    large,
    async (database, lives, directory) => {
      const target = { source: large, identifier: 'oai:x:41', path: undefined };
      await withdraw(database, target, undefined, lives.now);
      await settle(database, lives.lease, noFiles, lives.clock);
      // What it is now and was before, and the patch between them.
      expect((await removed(database, directory, lives.now, true)).contents).toBe(3);
    },
  ],
  'a round of retention': [
    small,
    async (database, lives, directory) => {
      await applyRetention(database, lives.lease, { last: 1 }, lives.clock);
      lives.pass(30 * 86_400);
      // The second ones of three: the last is told as a difference from the first.
      expect((await removed(database, directory, lives.now, false)).contents).toBe(5);
    },
  ],
  'the end of a source': [
    tiny,
    async (database, lives, directory) => {
      await purgeSource(database, lives.lease, lives.clock, never);
      expect((await removed(database, directory, lives.now, true)).contents).toBe(1);
    },
  ],
  'the end of a source of twenty records': [
    small,
    async (database, lives, directory) => {
      await purgeSource(database, lives.lease, lives.clock, never);
      // What they are, the first ones of five, and the patches between.
      expect((await removed(database, directory, lives.now, true)).contents).toBe(30);
    },
  ],
};

test.each(['sqlite', 'pg'] as const)(
  'what is taken down costs as much as it is, and not as the store, on %s',
  async (kind) => {
    if (kind === 'sqlite' && !saysWhatIsRead) return;
    const records = 4000;
    const [few, many] = [await stocked(kind, 500), await stocked(kind, records)];
    for (const [what, [source, work]] of Object.entries(works)) {
      const less = await costOf(few, source, work);
      const more = await costOf(many, source, work);
      // Less than the smallest of what there is once for each record; of sixty look-ups each is one page deeper in the file.
      const deeper = source === small && kind === 'sqlite' ? 500 : 300;
      expect(more, what).toBeLessThan(Math.min(less + deeper, records));
    }
  },
);
