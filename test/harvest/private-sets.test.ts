import { beforeEach, expect, test } from 'vitest';
import type { SourceFile } from '../../src/core/adapter.ts';
import { parseConfig, type SourceConfig } from '../../src/core/config/config.ts';
import { itemPath } from '../../src/core/uris.ts';
import { harvest } from '../../src/harvest/harvest.ts';
import type { HarvestSource } from '../../src/harvest/harvest-source.ts';
import { createLessonBook } from '../../src/harvest/lessons.ts';
import type { Database } from '../../src/store/engine/database.ts';
import { findHistories } from '../../src/store/history/timelines.ts';
import { takePrivateSets } from '../../src/store/removal/private-items.ts';
import { endWithdrawals, withdraw } from '../../src/store/removal/withdrawals.ts';
import { findSource } from '../../src/store/sources/sources.ts';
import { adapterOf, type FakeUpstream, fakeUpstream } from '../house/harvest/fake-upstream.ts';
import { describeOnBoth } from '../house/store/databases.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
let seconds = 0;
const now = () => new Date(Date.parse('2026-11-21T10:00:00Z') + seconds * 1000);
const iso = () => now().toISOString().replace('.000Z', 'Z');
const clock = { now, sleep: async () => undefined };

let names = 0;

describeOnBoth('a source with a private set', (open) => {
  let database: Database;
  let source: HarvestSource;
  let upstream: FakeUpstream;
  /** URLs that were asked for. */
  let asked: string[];

  beforeEach(() => {
    ({ database } = open());
    names += 1;
    upstream = fakeUpstream(3);
    asked = [];
    const { pages, ...others } = adapterOf(upstream);
    const name = `divided-${names}`;
    source = {
      name,
      config: configured(name),
      adapter: {
        ...others,
        async *pages(...request) {
          for await (const page of pages(...request))
            yield { ...page, items: page.items.map((item) => ({ ...item, ...fileOf(item.identifier) })) };
        },
      },
      lessons: createLessonBook(clock),
      fileCheck: {
        check: async (due) => {
          asked.push(...due.map(({ url }) => url));
          const answer = { outcome: 'confirmed', failures: 0, checkedAt: iso(), length: 3 } as const;
          return due.map(({ stated: _, ...file }) => ({ ...file, ...answer }));
        },
      },
    };
  });

  const fileOf = (identifier: string) => {
    const file: SourceFile = { url: urlOf(identifier), name: 'a.pdf', sequence: 1, access: 'unknown' };
    return { files: [file], speaksFor: { formats: ['oai_dc'], files: { name: 'oai_dc', rank: 1 } } };
  };
  const urlOf = (identifier: string) => `https://repo.example.org/${identifier}/a.pdf`;
  function configured(name: string, hidden?: string): SourceConfig {
    const sets = hidden === undefined ? {} : { hidden: { collections: [hidden], access: {} } };
    const { sources } = parseConfig({ sources: { [name]: { url: 'http://127.0.0.1/x', sets } } });
    return sources[name] as SourceConfig;
  }
  /** As the bridge does when it reads its configuration. */
  async function hide(...collections: string[]): Promise<void> {
    source = { ...source, config: configured(source.name, collections[0]) };
    await takePrivateSets(database, new Map([[source.name, collections]]), iso());
  }
  async function run(): Promise<void> {
    seconds += 3600;
    const never = new AbortController().signal;
    await harvest({ database, clock, log: silent }, source, { mode: 'full', stop: never, signal: never });
  }
  async function living(): Promise<string[]> {
    const rows: { path: string }[] = await database
      .reader('resource')
      .where({ source_id: (await findSource(database.reader, source.name))?.id ?? 0 })
      .whereNull('deleted_at')
      .whereNull('withdrawn_at')
      .orderBy('path')
      .select('path');
    return rows.map(({ path }) => path.replace(`${source.name}/items/`, ''));
  }
  const both = (number: number) => [`id:${number}/files/1-a.pdf`, `id:${number}/oai_dc.xml`];
  async function isGoneForGood(identifier: string): Promise<boolean> {
    const path = `${itemPath(source.name, identifier)}/oai_dc.xml`;
    const history = (await findHistories(database.reader, source.name, [path])).get(path);
    return history?.withdrawnAt !== undefined;
  }

  test('publishes nothing of it, and asks nobody for its files', async () => {
    upstream.collections.set('id:0', ['open']).set('id:1', ['theses:phd', 'open']).set('id:2', ['open']);
    await hide('theses');
    await run();
    expect(await living()).toEqual([...both(0), ...both(2)]);
    expect(asked).toEqual([urlOf('id:0'), urlOf('id:2')]);
  });

  test('deletes with its past what is in it since it was published', async () => {
    for (const identifier of upstream.items.keys()) upstream.collections.set(identifier, ['open']);
    await hide('theses');
    await run();
    expect(await living()).toHaveLength(6);
    upstream.collections.set('id:1', ['theses']);
    await run();
    expect(await living()).toEqual([...both(0), ...both(2)]);
    expect(await isGoneForGood('id:1')).toBe(true);
  });

  test('deletes everything with its past where the repository says of nothing what it is in', async () => {
    await run();
    expect(await living()).toHaveLength(6);
    await hide('theses');
    await run();
    expect(await living()).toEqual([]);
    expect(await isGoneForGood('id:1')).toBe(true);
    // And publishes it again as soon as it says so.
    upstream.collections.set('id:0', ['open']).set('id:1', ['theses']);
    await run();
    expect(await living()).toEqual(both(0));
  });

  test('publishes what leaves the set while the operator has withdrawn it when that ends', async () => {
    for (const identifier of upstream.items.keys()) upstream.collections.set(identifier, ['open']);
    upstream.collections.set('id:1', ['theses']);
    await hide('theses');
    await run();
    const target = { source: source.name, identifier: 'id:1', path: undefined };
    await withdraw(database, target, undefined, iso());
    upstream.collections.set('id:1', ['open']);
    await run();
    expect(await living()).toEqual([...both(0), ...both(2)]);
    await endWithdrawals(database, [target]);
    await run();
    expect(await living()).toHaveLength(6);
  });
});
