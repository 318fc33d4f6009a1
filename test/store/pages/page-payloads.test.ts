import { createHash, randomBytes } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import type { SourceItem, SourceVersion } from '../../../src/core/adapter.ts';
import { mapItem } from '../../../src/core/mapping/mapping.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { storePage } from '../../../src/store/pages/store-page.ts';
import { type BlobRow, packAgainst, packBlob } from '../../../src/store/payloads/blobs.ts';
import { acquireLease, type Lease } from '../../../src/store/runs/leases.ts';
import { startRun } from '../../../src/store/runs/runs.ts';
import { ensureSource } from '../../../src/store/sources/sources.ts';
import { describeOnBoth } from '../../house/store/databases.ts';
import { readBlob } from '../../house/store/read-blob.ts';
import { listProblems } from '../../house/store/told-problems.ts';

const hashOf = (content: string) => `sha-256:${createHash('sha256').update(content).digest('hex')}`;

let sources = 0;

describeOnBoth('the payloads of a page', (open) => {
  let database: Database;
  let source: string;
  let lease: Lease;
  let runId: number;
  let hour: number;

  async function store(
    items: readonly SourceItem[],
    mode: 'full' | 'incremental' = 'incremental',
    into = database,
  ) {
    hour += 1;
    const iso = new Date(Date.parse('2026-11-21T00:00:00Z') + hour * 3_600_000).toISOString();
    const now = { iso: iso.replace('.000', ''), milliseconds: Date.parse(iso) };
    const { sourceId } = lease;
    const selection = { selection: '{}', since: undefined, startedAt: now.iso };
    const run = await startRun(database.writer, { sourceId, mode, ...selection });
    runId = run.id;
    const page = { items: items.map((one) => mapItem(source, one)), problems: [], checkpoint: undefined };
    return storePage(into, lease, run, page, now);
  }

  const row = async (content: string): Promise<BlobRow> => {
    const found: BlobRow | undefined = await database
      .reader('blob')
      .where({ hash: hashOf(content) })
      .first();
    if (!found) throw new Error('it is not kept');
    return found;
  };
  const text = async (content: string) =>
    Buffer.from((await readBlob(database.reader, hashOf(content))) ?? []).toString();
  const spoil = (content: string, columns: object = { data: Buffer.from('rubbish') }) =>
    database
      .writer('blob')
      .where({ hash: hashOf(content) })
      .update(columns);

  /** Statements that read payloads meanwhile. */
  async function readings(work: () => Promise<unknown>): Promise<number> {
    let seen = 0;
    const note = ({ sql }: { sql: string }) => {
      if (/^(?:select.*["`]data["`].*from ["`]blob["`]|with found.*\bdata\b.*from blob\b)/s.test(sql))
        seen += 1;
    };
    database.writer.on('query', note);
    await work();
    database.writer.removeListener('query', note);
    return seen;
  }

  let salt: string;
  /** About 3 kB that are alike within one test, and no others. */
  const record = (title: string, identifier = 'x') =>
    `<dc><identifier>${identifier}</identifier><title>${title}</title>${Array.from({ length: 40 }, (_, index) => `<subject>${hashOf(salt + index)}</subject>`).join('')}</dc>`;

  beforeEach(async () => {
    database = open().database;
    sources += 1;
    source = `packed-${sources}`;
    salt = randomBytes(8).toString('hex');
    hour = 0;
    await ensureSource(database, source, '2026-11-21T00:00:00Z');
    lease = await acquireLease(database, source, Date.parse('2026-11-21T00:00:00Z'));
  });

  test('that are new are whole, and nothing is read for them', async () => {
    const items = ['1', '2', '3'].map((name) => item(name, record('first', name)));
    expect(await readings(() => store(items))).toBe(0);
    expect(await row(record('first', '2'))).toMatchObject({ coding: 'deflate-raw', base: null });
  });

  test('of updates are deltas of what was there first, with one reading for all of them', async () => {
    const names = ['1', '2', '3', '4'];
    const page = (title: string) => names.map((name) => item(name, record(title, name)));
    await store(page('first'));
    for (const title of ['second', 'third', 'fourth']) {
      expect(await readings(() => store(page(title)))).toBe(1);
      for (const name of names) {
        const blob = await row(record(title, name));
        expect(blob).toMatchObject({ coding: 'delta', base: hashOf(record('first', name)) });
        expect(blob.data.byteLength).toBeLessThan(40);
        expect(await text(record(title, name))).toBe(record(title, name));
      }
    }
  });

  test('that have grown apart begin anew with a whole one', async () => {
    const lines = Array.from({ length: 40 }, () => randomBytes(30).toString('hex'));
    let base: string | null = null;
    const bases = new Set<string | null>();
    for (let round = 0; round < 41; round += 1) {
      const content = `<dc>${salt}${lines.join('\n')}</dc>`;
      await store([item('x', content)]);
      expect(await text(content)).toBe(content);
      const blob = await row(content);
      if (blob.coding !== 'delta') base = blob.hash;
      expect(blob.base).toBe(blob.coding === 'delta' ? base : null);
      bases.add(base);
      lines[round] = randomBytes(30).toString('hex');
    }
    expect(bases.size).toBeGreaterThan(1);
    expect(bases.size).toBeLessThan(8);
  });

  test('that are there already, as their own base too, are left as they are', async () => {
    const [first, second] = [record('first'), record('second')];
    await store([item('x', first)]);
    await store([item('x', second)]);
    const before = [await row(first), await row(second)];
    await store([item('x', first)]);
    await store([item('x', second)]);
    expect([await row(first), await row(second)]).toEqual(before);
    await store([item('y', second)]);
    expect(await row(second)).toEqual(before[1]);
  });

  test('from a database that knows of no deltas are what others are told as differences from', async () => {
    await store([item('x', record('first'))]);
    expect(await row(record('first'))).toMatchObject({ base: null });
    await spoil(record('first'), { coding: 'identity', data: Buffer.from(record('first')) });
    await store([item('x', record('second'))]);
    expect(await row(record('second'))).toMatchObject({ coding: 'delta', base: hashOf(record('first')) });
    expect(await text(record('second'))).toBe(record('second'));
  });

  test('are whole where what was before is damaged, missing, a file or given up', async () => {
    const spoilers: (() => Promise<unknown>)[] = [
      () => spoil(record('first')),
      () => spoil(record('first'), { coding: 'file', data: Buffer.alloc(4) }),
      () => spoil(record('first'), { coding: 'delta', base: 'sha-256:none' }),
      async () =>
        database
          .writer('blob')
          .where({ hash: hashOf(record('first')) })
          .delete(),
    ];
    for (const [index, damage] of spoilers.entries()) {
      const name = `x${index}`;
      salt = randomBytes(8).toString('hex');
      await store([item(name, record('first'))]);
      await damage();
      expect(await store([item(name, record('second'))])).toMatchObject({ updated: 1 });
      expect(await row(record('second'))).toMatchObject({ coding: 'deflate-raw', base: null });
      expect(await text(record('second'))).toBe(record('second'));
    }
  });

  test('are whole after a full pass has found them, or their base, damaged', async () => {
    const [first, second] = [record('first'), record('second')];
    const problems = async () => (await listProblems(database.reader, runId, 10)).map(({ code }) => code);
    await store([item('x', first)]);
    await store([item('x', second)]);
    await store([item('x', second)], 'full');
    expect(await problems()).toEqual([]);
    expect(await row(second)).toMatchObject({ coding: 'delta' });

    await spoil(second);
    await store([item('x', second)], 'full');
    expect(await problems()).toEqual(['record-repaired']);
    expect(await row(second)).toMatchObject({ coding: 'deflate-raw', base: null });

    const third = record('third');
    await store([item('x', first)]);
    await store([item('x', third)]);
    expect(await row(third)).toMatchObject({ base: hashOf(first) });
    await spoil(first);
    await expect(text(third)).rejects.toMatchObject({ code: 'content-damaged' });
    await store([item('x', third)], 'full');
    expect(await problems()).toEqual(['record-repaired']);
    expect(await row(third)).toMatchObject({ coding: 'deflate-raw', base: null });
    expect(await text(third)).toBe(third);
  });

  test('of what items were are deltas of what they are, whether that comes with them or is there', async () => {
    await store([item('x', record('now'), [record('once'), record('twice')])]);
    expect(await row(record('now'))).toMatchObject({ coding: 'deflate-raw', base: null });
    for (const title of ['once', 'twice']) {
      expect(await row(record(title))).toMatchObject({ coding: 'delta', base: hashOf(record('now')) });
      expect(await text(record(title))).toBe(record(title));
    }
    const again = ['once', 'twice', 'thrice'].map((title) => record(title));
    await store([item('x', record('now'), again)]);
    expect(await row(record('thrice'))).toMatchObject({ coding: 'delta', base: hashOf(record('now')) });
    await store([item('x', record('new'), [...again, record('now')])]);
    expect(await row(record('new'))).toMatchObject({ coding: 'delta', base: hashOf(record('now')) });
    await store([item('x', record('new'), [...again, record('now'), record('between')])]);
    expect(await row(record('between'))).toMatchObject({ coding: 'delta', base: hashOf(record('now')) });
    expect(await text(record('between'))).toBe(record('between'));
    // What has nothing in common stays as it is.
    const other = randomBytes(2000).toString('hex');
    await store([item('x', record('new'), [other])]);
    expect(await row(other)).toMatchObject({ base: null });
  });

  test('of what items were are put right by a full pass that tells of them', async () => {
    const delivered = item('x', record('now'), [record('once'), record('twice')]);
    await store([delivered]);
    await spoil(record('once'));
    await database
      .writer('blob')
      .where({ hash: hashOf(record('twice')) })
      .delete();
    await store([delivered], 'full');
    for (const title of ['once', 'twice']) {
      expect(await row(record(title))).toMatchObject({ base: null });
      expect(await text(record(title))).toBe(record(title));
    }
    await store([delivered], 'full');
    expect(await listProblems(database.reader, runId, 10)).toEqual([]);
  });

  test('that others need are whole, though another source has just stored them as deltas', async () => {
    const delivered = item('x', record('now'), [record('once')]);
    const other = packBlob(hashOf(record('other')), Buffer.from(record('other')));
    const keyframe = { ...other, content: Buffer.from(record('other')), packedLength: other.data.byteLength };
    const theirs = packAgainst(hashOf(record('now')), Buffer.from(record('now')), keyframe);
    expect(theirs.coding).toBe('delta');
    // Between our reading and our transaction.
    const { transaction } = database;
    const busy: Database = {
      ...database,
      transaction: async (work) => {
        for (const blob of [other, theirs]) await database.writer('blob').insert({ ...blob });
        return transaction(work);
      },
    };
    await store([delivered], 'incremental', busy);
    expect(await row(record('once'))).toMatchObject({ coding: 'delta', base: hashOf(record('now')) });
    expect(await row(record('now'))).toMatchObject({ coding: 'deflate-raw', base: null });
    expect(await text(record('once'))).toBe(record('once'));
  });
});

function item(identifier: string, body: string, past?: readonly string[]): SourceItem {
  return {
    identifier,
    datestamp: '2020-01-01T00:00:00Z',
    collections: [],
    speaksFor: { formats: ['oai_dc'], files: undefined },
    deleted: false,
    metadata: [{ format: 'oai_dc', content: Buffer.from(body) }],
    files: [],
    ...(past ? { versions: past.map(toVersion) } : {}),
  };
}

function toVersion(body: string, index: number): SourceVersion {
  return {
    number: index + 1,
    createdAt: `201${index}-01-01T00:00:00Z`,
    upstreamUrl: `https://repo.example.org/items/${index}`,
    metadata: [{ format: 'oai_dc', content: Buffer.from(body) }],
    files: [],
  };
}
