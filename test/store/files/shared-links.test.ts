import { beforeEach, expect, test } from 'vitest';
import type { FileRules } from '../../../src/core/files/published-files.ts';
import { mapItem } from '../../../src/core/mapping/mapping.ts';
import { resourceSets } from '../../../src/core/resource-set.ts';
import { metadataPath } from '../../../src/core/uris.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { listDueFiles } from '../../../src/store/files/due-files.ts';
import { listWithheldFiles } from '../../../src/store/files/withheld-files.ts';
import { findLivingStates } from '../../../src/store/history/resource-states.ts';
import { findHistories, listHistories } from '../../../src/store/history/timelines.ts';
import { listVersionSteps } from '../../../src/store/history/version-steps.ts';
import { settle } from '../../../src/store/pages/settle.ts';
import { storePage } from '../../../src/store/pages/store-page.ts';
import { listResources } from '../../../src/store/reading/listing.ts';
import {
  endWithdrawals,
  findWithdrawalsAt,
  listWithdrawals,
  withdraw,
} from '../../../src/store/removal/withdrawals.ts';
import { withLinks } from '../../../src/store/rows/link-forms.ts';
import { acquireLease, type Lease } from '../../../src/store/runs/leases.ts';
import { startRun } from '../../../src/store/runs/runs.ts';
import { migrate } from '../../../src/store/schema/migrate.ts';
import { ensureSource } from '../../../src/store/sources/sources.ts';
import { describeOnBoth } from '../../house/store/databases.ts';
import { JournalNews } from '../../house/store/journal-news.ts';

const rules: FileRules = { mode: 'link', perItem: 100, verify: true, landingPages: false };

let nth = 0;
let now: string;

/** A source in mode `link` whose items name files. */
class LinkingSource {
  readonly #database: Database;
  readonly name: string;
  readonly #lease: Lease;
  readonly #journal: JournalNews;

  constructor(database: Database, name: string, lease: Lease) {
    this.#database = database;
    this.name = name;
    this.#lease = lease;
    this.#journal = new JournalNews(database, name);
  }

  static async open(database: Database, name: string): Promise<LinkingSource> {
    await ensureSource(database, name, now);
    return new LinkingSource(database, name, await acquireLease(database, name, Date.parse(now)));
  }

  get id(): number {
    return this.#lease.sourceId;
  }

  /** @param urls undefined: the item is deleted */
  async deliver(identifier: string, urls: readonly string[] | undefined): Promise<void> {
    now = new Date(Date.parse(now) + 60_000).toISOString().replace('.000Z', 'Z');
    const item = mapItem(this.name, {
      identifier,
      datestamp: now,
      collections: [],
      speaksFor: { formats: ['oai_dc'], files: { name: 'oai_dc', rank: 20 } },
      deleted: urls === undefined,
      metadata: urls
        ? [{ format: 'oai_dc', content: Buffer.from(`<dc>${identifier}</dc>`), profile: 'x:y' }]
        : [],
      files: (urls ?? []).map((url, index) => ({
        url,
        name: 'a.pdf',
        sequence: index + 1,
        origin: { name: 'oai_dc', rank: 20 },
      })),
    });
    const started = { mode: 'incremental', selection: '{}', since: undefined, startedAt: now } as const;
    const run = await startRun(this.#database.writer, { sourceId: this.id, ...started });
    const page = { items: [item], problems: [], checkpoint: undefined, files: rules };
    await storePage(this.#database, this.#lease, run, page, this.#moment());
    await this.settle();
  }

  settle = () => settle(this.#database, this.#lease, rules, this.#moment);

  #moment = () => ({ iso: now, milliseconds: Date.parse(now) });

  news = () => this.#journal.read();

  /** Paths of what its Resource List has. */
  async listed(): Promise<readonly string[]> {
    const [set] = resourceSets(this.name);
    if (!set) throw new Error('a source has a set');
    const paths: string[] = [];
    for await (const page of listResources(this.#database.reader, set))
      paths.push(...page.map(({ path }) => path));
    return paths.sort();
  }

  record = (identifier: string) => metadataPath(this.name, identifier, 'oai_dc');
}

describeOnBoth('a URL that several sources link to', (open) => {
  /** What the sources have at a URL. */
  async function rowsAt(url: string) {
    const { reader } = open().database;
    const rows: { path: string; links: string; deleted_at: string | null; item_id: number }[] = await reader(
      'resource',
    )
      .where({ path: url })
      .orderBy('source_id');
    return withLinks(reader, rows, ['links']);
  }

  let database: Database;
  let a: LinkingSource;
  let b: LinkingSource;
  let url: string;

  const owners = async () => (await listHistories(database.reader, url)).map(({ source }) => source);

  beforeEach(async () => {
    database = open().database;
    nth += 1;
    now = '2026-11-21T10:00:00Z';
    url = `https://repo.example.org/shared-${nth}.pdf`;
    a = await LinkingSource.open(database, `a-${nth}`);
    b = await LinkingSource.open(database, `b-${nth}`);
  });

  test('is listed, changed and deleted by each as if the others were not there', async () => {
    await a.deliver('x', [url]);
    await b.deliver('y', [url]);
    for (const [source, item] of [
      [a, 'x'],
      [b, 'y'],
    ] as const) {
      expect(await source.listed()).toEqual([source.record(item), url].sort());
      expect(await source.news()).toEqual([`created ${url}`, `created ${item}/oai_dc.xml`]);
    }
    const rows = await rowsAt(url);
    expect(rows.map(({ links }) => JSON.parse(links)[0].href)).toEqual([a.record('x'), b.record('y')]);

    await a.deliver('x', undefined);
    expect(await a.news()).toEqual([`deleted ${url}`, 'deleted x/oai_dc.xml']);
    expect(await a.listed()).toEqual([]);
    await b.deliver('y', [url]);
    await b.settle();
    expect(await b.news()).toEqual([]);
    expect(await b.listed()).toEqual([b.record('y'), url].sort());
    expect(await findLivingStates(database.reader, b.name, 99, [url])).toMatchObject([{ alive: true }]);
    expect(await findLivingStates(database.reader, a.name, 99, [url])).toEqual([]);

    await a.deliver('x', [url]);
    expect(await a.news()).toEqual([`created ${url}`, 'created x/oai_dc.xml']);
    expect(await b.news()).toEqual([]);
  });

  test('is one resource within a source, and passes to another item of that source alone', async () => {
    await a.deliver('x', [url]);
    await a.deliver('z', [url]);
    await b.deliver('y', [url]);
    await Promise.all([a.news(), b.news()]);
    await a.deliver('x', undefined);
    const [own, other] = await rowsAt(url);
    expect(JSON.parse(own?.links ?? '')).toEqual([expect.objectContaining({ href: a.record('z') })]);
    expect([own?.deleted_at, other?.deleted_at]).toEqual([null, null]);
    expect(await b.news()).toEqual([]);
  });

  test('has the past of a source that still has it, else of the first one', async () => {
    await b.deliver('y', [url]);
    await a.deliver('x', [url]);
    expect(await owners()).toEqual([a.name, b.name]);
    await a.deliver('x', undefined);
    expect(await owners()).toEqual([b.name, a.name]);
    const [living] = await listHistories(database.reader, url);
    expect(living).toMatchObject({ deletedAt: undefined, identifier: 'y' });
    expect((await listVersionSteps(database.reader, a.name, url)).map(({ gone }) => gone)).toEqual([
      false,
      true,
    ]);
    expect((await listVersionSteps(database.reader, b.name, url)).map(({ gone }) => gone)).toEqual([false]);
    const ofA = await findHistories(database.reader, a.name, [url, b.record('y')]);
    expect([...ofA.values()].map(({ source, deletedAt }) => [source, deletedAt])).toEqual([
      [a.name, expect.any(String)],
    ]);
    await b.deliver('y', undefined);
    expect(await owners()).toEqual([a.name, b.name]);
  });

  test('is withheld where its server refused that source, and nowhere else', async () => {
    await a.deliver('x', [url]);
    await b.deliver('y', [url]);
    await database
      .writer('remote_file')
      .where({ source_id: a.id, url })
      .update({ outcome: 'refused', withheld_at: now });
    expect(await listWithheldFiles(database.reader, a.id)).toMatchObject([{ url }]);
    expect(await listWithheldFiles(database.reader, b.id)).toEqual([]);
  });

  test('is withdrawn in all of them, from those that come to name it as well, and restored in all', async () => {
    await a.deliver('x', [url]);
    await a.deliver('z', [url]);
    await b.deliver('y', [url]);
    await Promise.all([a.news(), b.news()]);

    const target = { source: b.name, identifier: 'y', path: url };
    expect(await withdraw(database, target, 'a court says so', now)).toEqual([a.name, b.name]);
    // At once, before anybody has worked on the sources.
    for (const source of [a, b]) expect(await source.listed()).not.toContain(url);
    expect((await listHistories(database.reader, url)).map(({ withdrawnAt }) => withdrawnAt)).toEqual([
      now,
      now,
    ]);
    for (const source of [a, b]) {
      await source.settle();
      expect(await source.news()).toContain(`deleted ${url}`);
      expect(await listWithdrawals(database.reader, [source.name])).toMatchObject([
        { path: url, reason: 'a court says so' },
      ]);
    }

    await database.writer('remote_file').where({ url }).update({ due_at: now });
    for (const { id } of [a, b]) expect(await listDueFiles(database.reader, id, now, 10)).toEqual([]);

    const c = await LinkingSource.open(database, `c-${nth}`);
    await c.deliver('w', [url]);
    await a.deliver('v', [url]);
    await a.deliver('z', [url]);
    await a.deliver('x', undefined);
    await b.deliver('y', [url]);
    for (const source of [a, b, c]) {
      await source.settle();
      expect(await source.listed()).not.toContain(url);
      expect(await source.news()).not.toContain(`created ${url}`);
    }
    expect(await listDueFiles(database.reader, c.id, now, 10)).toEqual([]);
    const links = await database
      .reader('resource')
      .where({ kind: 'metadata' })
      .whereNull('deleted_at')
      .select('links');
    expect(links.filter(({ links: json }) => json.includes(url))).toEqual([]);

    await endWithdrawals(database, [target]);
    expect(await findWithdrawalsAt(database.reader, url)).toEqual([]);
    await b.deliver('y', [url]);
    for (const source of [a, b, c]) {
      await source.settle();
      expect(await source.listed()).toContain(url);
    }
    expect(await a.news()).toContain(`created ${url}`);
  });

  test('is not handed to another item of a source by one that is withdrawn as a whole', async () => {
    await a.deliver('x', [url]);
    await a.deliver('z', [url]);
    await b.deliver('y', [url]);
    await Promise.all([a.news(), b.news()]);
    const target = { source: a.name, identifier: 'x', path: undefined };
    expect(await withdraw(database, target, undefined, now)).toEqual([a.name]);
    await a.settle();
    await a.deliver('z', [url]);
    expect(await a.listed()).toEqual([a.record('z')]);
    expect(await a.news()).not.toContain(`created ${url}`);
    // It is an item that was taken down, not the URL.
    expect(await b.listed()).toContain(url);
    await endWithdrawals(database, [target]);
    await a.settle();
    expect(await a.listed()).toEqual([a.record('z'), url].sort());
  });

  test('is found by its path through an index', async () => {
    const sql = 'select * from resource where path = ?';
    const plan = await database.transaction(async (trx) => {
      if (database.client === 'sqlite')
        return JSON.stringify(await trx.raw(`explain query plan ${sql}`, [url]));
      // Of a small table an index is no use.
      await trx.raw('set local enable_seqscan = off');
      return JSON.stringify(await trx.raw(`explain ${sql}`, [url]));
    });
    expect(plan).toMatch(/resource(_p\d+)?_path_source_id_/);
  });

  test('comes with the next harvest where a database of before had it in one source only', async (context) => {
    // `takeover.test.ts` takes over a database of then.
    if (database.client === 'pg') context.skip('a table that is divided has no key that could be changed');
    await a.deliver('x', [url]);
    await b.deliver('y', [url]);
    // As it was: one row for a path, whoever came second had none.
    await database.transaction(async (trx) => {
      await trx('change')
        .whereIn('resource_id', trx('resource').select('id').where({ path: url, source_id: b.id }))
        .delete();
      await trx('resource').where({ path: url, source_id: b.id }).delete();
      await trx('source').where({ id: b.id }).decrement('resource_count', 1);
      await trx('resource')
        .whereIn('path', trx('resource').groupBy('path').havingRaw('count(*) > 1').select('path'))
        .delete();
      await trx.schema.alterTable('resource', (table) => {
        table.dropUnique(['path', 'source_id']);
        table.unique(['path']);
      });
      await trx.schema.alterTable('withdrawal', (table) => table.dropIndex(['path']));
      await trx('schema_migration').where({ name: '0025-shared-links' }).delete();
    });
    const before = await database.reader('resource').orderBy('id');
    const items = await database.reader('item').orderBy('id').select('id', 'identifier', 'source_id');
    await migrate(database);
    await migrate(database);

    expect(await database.reader('resource').orderBy('id')).toEqual(before);
    expect(await database.reader('item').orderBy('id').select('id', 'identifier', 'source_id')).toEqual(
      items,
    );
    const names: { name: string }[] =
      database.client === 'pg'
        ? await database.reader('pg_indexes').where({ tablename: 'resource' }).select('indexname as name')
        : await database
            .reader('sqlite_master')
            .where({ type: 'index', tbl_name: 'resource' })
            .select('name');
    expect(names.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'resource_path_source_id_unique',
        'resource_source_id_id_index',
        'resource_item_id_index',
        'resource_withdrawn',
      ]),
    );
    expect(names.map(({ name }) => name)).not.toContain('resource_path_unique');

    const seen = await b.news();
    await Promise.all([a.settle(), b.settle()]);
    expect(await b.news()).toEqual([`created ${url}`]);
    expect(seen).toEqual(['created y/oai_dc.xml']);
    expect(await b.listed()).toEqual([b.record('y'), url].sort());
    const { id } = b;
    const twice = {
      ...(await database.reader('resource').where({ path: url, source_id: id }).first()),
      id: 1_000_000,
    };
    await expect(database.writer('resource').insert(twice)).rejects.toThrow();
  });
});
