import { beforeEach, expect, test } from 'vitest';
import type { FileOrigin, SourceFile, SourceItem } from '../../../src/core/adapter.ts';
import type { FileRules } from '../../../src/core/files/published-files.ts';
import { mapItem } from '../../../src/core/mapping/mapping.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { listDueFiles } from '../../../src/store/files/due-files.ts';
import { countMirroredBytes } from '../../../src/store/files/file-counts.ts';
import { listDueLandingPages, storeFoundFiles } from '../../../src/store/files/item-files.ts';
import { saveRemoteFiles } from '../../../src/store/files/remote-file-writing.ts';
import { findRemoteFiles, type RemoteFile } from '../../../src/store/files/remote-files.ts';
import { type Settled, settle } from '../../../src/store/pages/settle.ts';
import { storePage } from '../../../src/store/pages/store-page.ts';
import { sweep } from '../../../src/store/pages/sweep.ts';
import { findWithMetadata, type StoredResource } from '../../../src/store/reading/resources.ts';
import { acquireLease, type Lease } from '../../../src/store/runs/leases.ts';
import { type Run, startRun } from '../../../src/store/runs/runs.ts';
import { ensureSource } from '../../../src/store/sources/sources.ts';
import { describeOnBoth } from '../../house/store/databases.ts';
import { JournalNews } from '../../house/store/journal-news.ts';
import { listProblems } from '../../house/store/told-problems.ts';

let sources = 0;

const xoai: FileOrigin = { name: 'xoai', rank: 10 };

describeOnBoth('the files of items', (open) => {
  let database: Database;
  let source: string;
  let lease: Lease;
  let run: Run;
  let now: string;
  let rules: FileRules;
  let journal: JournalNews;

  const moment = () => ({ iso: now, milliseconds: Date.parse(now) });

  /** An hour later, another run. */
  async function begin(): Promise<void> {
    now = new Date(Date.parse(now) + 3_600_000).toISOString().replace('.000Z', 'Z');
    const { sourceId } = lease;
    run = await startRun(database.writer, {
      sourceId,
      mode: 'full',
      selection: '{}',
      since: undefined,
      startedAt: now,
    });
  }

  async function store(items: SourceItem[], awaited: string[] = []): Promise<void> {
    const mapped = items.map((entry) => mapItem(source, entry));
    const page = { items: mapped, problems: [], checkpoint: {}, awaited, files: rules };
    await storePage(database, lease, run, page, moment());
  }

  const settleAll = (): Promise<Settled> => settle(database, lease, rules, moment);

  const news = () => journal.read();

  async function resource(path: string): Promise<StoredResource> {
    const full = `${source}/items/${path}`;
    const found = await findWithMetadata(database.reader, full);
    if (!found) throw new Error(`${path} is not there`);
    return found.resource;
  }

  const linksOf = async (path: string, rel: string) =>
    (await resource(path)).links
      .filter((link) => link.rel === rel)
      .map(({ href }) => href.replace(`${source}/items/`, ''));

  const see = (url: string, facts: Partial<RemoteFile>) =>
    saveRemoteFiles(database, lease.sourceId, [
      { url, outcome: 'confirmed', failures: 0, checkedAt: now, ...facts },
    ]);

  beforeEach(async () => {
    database = open().database;
    sources += 1;
    source = `files-${sources}`;
    now = '2026-11-21T10:00:00Z';
    journal = new JournalNews(database, source);
    rules = { mode: 'proxy', perItem: 100, verify: true, landingPages: false };
    await ensureSource(database, source, now);
    lease = await acquireLease(database, source, Date.parse(now));
    await begin();
  });

  test('a record with a file is two resources, linked both ways, and nothing else', async () => {
    await store([item('x', 'oai_dc', [file('a.pdf', { length: 3 })])]);
    expect(await news()).toEqual(['created x/files/1-a.pdf', 'created x/oai_dc.xml']);
    expect(await linksOf('x/oai_dc.xml', 'describes')).toEqual(['x/files/1-a.pdf']);
    expect(await linksOf('x/files/1-a.pdf', 'describedby')).toEqual(['x/oai_dc.xml']);
    expect(await resource('x/files/1-a.pdf')).toMatchObject({
      kind: 'file',
      format: 'file',
      length: 3,
      upstreamUrl: 'https://repo.example.org/a.pdf',
    });

    await begin();
    await store([item('x', 'oai_dc', [file('a.pdf', { length: 3 })])]);
    expect(await settleAll()).toEqual({ created: 0, updated: 0, deleted: 0 });
    expect(await news()).toEqual([]);
  });

  test('formats that come one after the other make no updates of what came before', async () => {
    const pass = async (format: string, awaited: string[], files?: SourceFile[]) =>
      store([item('x', format, files, format === 'xoai' ? { metadata: [] } : {})], awaited);
    await pass('xoai', ['mods', 'oai_dc'], [file('a.pdf')]);
    await pass('mods', ['oai_dc']);
    await pass('oai_dc', []);
    expect(await settleAll()).toEqual({ created: 0, updated: 0, deleted: 0 });
    expect(await news()).toEqual(['created x/files/1-a.pdf', 'created x/mods.xml', 'created x/oai_dc.xml']);
    expect(await linksOf('x/files/1-a.pdf', 'describedby')).toEqual(['x/mods.xml', 'x/oai_dc.xml']);
    expect(await linksOf('x/mods.xml', 'describes')).toEqual(['x/files/1-a.pdf']);

    await begin();
    await pass('xoai', ['mods', 'oai_dc'], [file('a.pdf'), file('b.pdf', { sequence: 2 })]);
    await pass('mods', ['oai_dc']);
    await pass('oai_dc', []);
    await settleAll();
    expect(await news()).toEqual(['created x/files/2-b.pdf', 'updated x/mods.xml', 'updated x/oai_dc.xml']);
  });

  test('a format that does not come after all is not linked in the end', async () => {
    await store([item('x', 'mods', [file('a.pdf')]), item('y', 'mods', [file('b.pdf')])], ['oai_dc']);
    await store([item('y', 'oai_dc')]);
    await settleAll();
    expect(await linksOf('x/files/1-a.pdf', 'describedby')).toEqual(['x/mods.xml']);
    expect(await linksOf('y/files/1-b.pdf', 'describedby')).toEqual(['y/mods.xml', 'y/oai_dc.xml']);
    expect(await news()).toEqual([
      'created x/files/1-a.pdf',
      'created x/mods.xml',
      'created y/files/1-b.pdf',
      'created y/mods.xml',
      'created y/oai_dc.xml',
    ]);
  });

  test('with its last file the record leads to the landing page again', async () => {
    await store([item('x', 'oai_dc', [file('a.pdf')])]);
    await begin();
    await store([item('x', 'oai_dc', [])]);
    expect((await news()).slice(2)).toEqual(['deleted x/files/1-a.pdf', 'updated x/oai_dc.xml']);
    expect(await linksOf('x/oai_dc.xml', 'describes')).toEqual(['https://repo.example.org/page/x']);
  });

  test('a tombstone in every format takes all of an item, and updates none of it first', async () => {
    await store([item('x', 'mods', [file('a.pdf')])], ['oai_dc']);
    await store([item('x', 'oai_dc')]);
    await news();
    await begin();
    await store([item('x', 'mods', [], { deleted: true, metadata: [] })], ['oai_dc']);
    await store([item('x', 'oai_dc', undefined, { deleted: true, metadata: [] })]);
    await settleAll();
    expect(await news()).toEqual(['deleted x/files/1-a.pdf', 'deleted x/mods.xml', 'deleted x/oai_dc.xml']);
  });

  test('a record that comes back brings its files back to where they were', async () => {
    const whole = () => item('x', 'oai_dc', [file('a.pdf'), file('b.pdf', { sequence: 2 })]);
    await store([whole()]);
    await store([item('x', 'oai_dc', [], { deleted: true, metadata: [] })]);
    await news();
    await begin();
    await store([whole()]);
    expect(await news()).toEqual([
      'created x/files/1-a.pdf',
      'created x/files/2-b.pdf',
      'created x/oai_dc.xml',
    ]);
  });

  test('a file that moved up in the list keeps its address', async () => {
    await store([item('x', 'oai_dc', [file('a.pdf'), file('b.pdf', { sequence: 2 })])]);
    await news();
    await begin();
    await store([item('x', 'oai_dc', [file('b.pdf', { sequence: 1 }), file('c.pdf', { sequence: 2 })])]);
    expect(await news()).toEqual([
      'created x/files/3-c.pdf',
      'deleted x/files/1-a.pdf',
      'updated x/oai_dc.xml',
    ]);
  });

  test('what the server said before counts, and what it says later is followed', async () => {
    const url = 'https://repo.example.org/a.pdf';
    await see(url, { length: 7, mediaType: 'application/pdf', lastModified: '2020-02-02T00:00:00Z' });
    await store([item('x', 'oai_dc', [file('a.pdf')])]);
    expect(await resource('x/files/1-a.pdf')).toMatchObject({
      length: 7,
      mediaType: 'application/pdf',
      lastmod: '2020-02-02T00:00:00Z',
    });
    await news();

    await see(url, { length: 7, mediaType: 'application/pdf', lastModified: '2026-11-21T09:00:00Z' });
    expect(await settleAll()).toEqual({ created: 0, updated: 1, deleted: 0 });
    expect((await resource('x/files/1-a.pdf')).lastmod).toBe('2026-11-21T09:00:00Z');

    await see(url, { outcome: 'refused', reason: 'it asks for a login' });
    expect(await settleAll()).toEqual({ created: 0, updated: 0, deleted: 1 });
    expect(await linksOf('x/oai_dc.xml', 'describes')).toEqual(['https://repo.example.org/page/x']);

    await see(url, { length: 7 });
    expect(await settleAll()).toEqual({ created: 1, updated: 0, deleted: 0 });
    expect(await settleAll()).toEqual({ created: 0, updated: 0, deleted: 0 });
  });

  test('what becomes known of the same bytes makes them no others', async () => {
    await store([item('x', 'oai_dc', [file('a.pdf')])]);
    const url = 'https://repo.example.org/a.pdf';
    const facts = { length: 7, mediaType: 'application/pdf', lastModified: '2019-01-01T00:00:00Z' };
    await see(url, facts);
    expect(await settleAll()).toEqual({ created: 0, updated: 0, deleted: 0 });
    expect(await resource('x/files/1-a.pdf')).toMatchObject({ length: 7, lastmod: '2020-01-01T00:00:00Z' });
    await see(url, { ...facts, length: 8 });
    await settleAll();
    expect((await resource('x/files/1-a.pdf')).lastmod).toBe(now);
  });

  test('other bytes of the same length are noticed, and the hash of the former ones is not kept', async () => {
    const url = 'https://repo.example.org/a.pdf';
    await store([item('x', 'oai_dc', [file('a.pdf', { length: 7, hash: 'md5:00' })])]);
    await see(url, { length: 7, etag: '"a"' });
    await settleAll();
    expect(await resource('x/files/1-a.pdf')).toMatchObject({ length: 7, hash: 'md5:00' });
    await begin();
    await see(url, { length: 7, etag: '"b"' });
    expect(await settleAll()).toEqual({ created: 0, updated: 1, deleted: 0 });
    expect(await resource('x/files/1-a.pdf')).toMatchObject({ hash: undefined, lastmod: now });
    await begin();
    await see(url, { length: 7, etag: '"b"' });
    expect(await settleAll()).toEqual({ created: 0, updated: 0, deleted: 0 });

    // The record follows: what it says now is about these bytes, and worth another look.
    await news();
    await store([item('x', 'oai_dc', [file('a.pdf', { length: 7, hash: 'md5:11' })])]);
    expect(await news()).toEqual([]);
    expect((await resource('x/files/1-a.pdf')).hash).toBe('md5:11');
    await settleAll();
    expect(await news()).toEqual([]);
    now = new Date(Date.parse(now) + 3_600_000).toISOString().replace('.000Z', 'Z');
    await store([item('x', 'oai_dc', [file('a.pdf', { length: 9, hash: 'md5:22' })])]);
    expect(await listDueFiles(database.reader, lease.sourceId, now, 10)).toHaveLength(1);
  });

  test('a landing page that a record names no more is forgotten', async () => {
    await store([item('x', 'oai_dc')]);
    await begin();
    await store([item('x', 'oai_dc', undefined, { landingPage: undefined })]);
    expect(await linksOf('x/oai_dc.xml', 'describes')).toEqual([]);
    await settleAll();
    expect((await resource('x/oai_dc.xml')).landingPage).toBeUndefined();
  });

  test('RS-TIME-11: what is linked has the time that its server states', async () => {
    rules = { ...rules, mode: 'link' };
    await store([item('x', 'oai_dc', [file('linked.pdf')])]);
    const url = 'https://repo.example.org/linked.pdf';
    await see(url, { lastModified: '2019-01-01T00:00:00Z' });
    await settleAll();
    const found = await findWithMetadata(database.reader, url);
    expect(found?.resource.lastmod).toBe('2019-01-01T00:00:00Z');
  });

  test('a server that is asked again and says the same makes no work', async () => {
    await store([item('x', 'oai_dc', [file('a.pdf')])]);
    await see('https://repo.example.org/a.pdf', { length: 7 });
    await settleAll();
    await news();
    await begin();
    await see('https://repo.example.org/a.pdf', { length: 7, dueAt: '2027-01-01T00:00:00Z' });
    expect(await settleAll()).toEqual({ created: 0, updated: 0, deleted: 0 });
    const rows = await database.reader('item').where({ source_id: lease.sourceId, unsettled: 1 });
    expect(rows).toEqual([]);
  });

  test('files are due at once when they come up, restricted ones never', async () => {
    await store([
      item('x', 'oai_dc', [
        file('a.pdf', { length: 3, hash: 'md5:00' }),
        file('b.pdf', { sequence: 2, access: 'restricted' }),
        file('c.pdf', { sequence: 3, access: 'embargoed', availableAt: '2027-01-01T00:00:00Z' }),
      ]),
      item('y', 'oai_dc', [file('a.pdf')]),
    ]);
    const due = await listDueFiles(database.reader, lease.sourceId, now, 10);
    expect(due).toMatchObject([
      { url: 'https://repo.example.org/a.pdf', outcome: 'unchecked', stated: { length: 3, hash: 'md5:00' } },
    ]);
    await see('https://repo.example.org/a.pdf', { dueAt: '2027-01-01T00:00:00Z' });
    expect(await listDueFiles(database.reader, lease.sourceId, now, 10)).toEqual([]);
  });

  test('an embargo ends on its day, without the record saying anything new', async () => {
    const embargo = { access: 'embargoed', availableAt: '2026-11-21T15:00:00Z' } as const;
    await store([item('x', 'oai_dc', [file('a.pdf', embargo)])]);
    await settleAll();
    expect(await news()).toEqual(['created x/oai_dc.xml']);
    now = '2026-11-21T15:00:00Z';
    await settleAll();
    // The day alone is no proof: the server has to say so, too.
    expect(await news()).toEqual([]);
    expect(await listDueFiles(database.reader, lease.sourceId, now, 10)).toHaveLength(1);
    await see('https://repo.example.org/a.pdf', { length: 7 });
    await settleAll();
    expect(await news()).toEqual(['created x/files/1-a.pdf']);
    expect(await linksOf('x/oai_dc.xml', 'describes')).toEqual(['x/files/1-a.pdf']);
    // The record goes on saying it; that is no news.
    await begin();
    await store([item('x', 'oai_dc', [file('a.pdf', embargo)])]);
    await settleAll();
    expect(await news()).toEqual([]);
  });

  test('a mirror publishes a file when it has it, once however many records name it', async () => {
    rules = { ...rules, mode: 'mirror' };
    await store([item('x', 'oai_dc', [file('a.pdf')]), item('y', 'oai_dc', [file('a.pdf')])]);
    expect(await news()).toEqual(['created x/oai_dc.xml', 'created y/oai_dc.xml']);
    const contentHash = `sha-256:${'ab'.repeat(32)}`;
    await see('https://repo.example.org/a.pdf', { contentHash, contentLength: 5 });
    await settleAll();
    expect(await news()).toEqual(['created x/files/1-a.pdf', 'created y/files/1-a.pdf']);
    expect(await linksOf('y/oai_dc.xml', 'describes')).toEqual(['y/files/1-a.pdf']);
    expect(await resource('y/files/1-a.pdf')).toMatchObject({ hash: contentHash, length: 5 });
    expect(await countMirroredBytes(database.reader, lease.sourceId)).toBe(5);
    await begin();
    await store([item('x', 'oai_dc', [])]);
    expect(await countMirroredBytes(database.reader, lease.sourceId)).toBe(5);
    // Nobody names it any more: it lies on the disk for Change Dumps, and takes nobody's room.
    await store([item('y', 'oai_dc', [])]);
    expect(await countMirroredBytes(database.reader, lease.sourceId)).toBe(0);
  });

  test('in mode link the address is the upstream one, and one address is one resource', async () => {
    rules = { ...rules, mode: 'link' };
    await store([item('x', 'oai_dc', [file('a.pdf')]), item('y', 'oai_dc', [file('a.pdf')])]);
    const url = 'https://repo.example.org/a.pdf';
    const told = await news();
    expect(told.filter((line) => line.includes('a.pdf'))).toEqual([`created ${url}`]);
    expect(await linksOf('y/oai_dc.xml', 'describes')).toEqual([url]);
    await settleAll();
    const describers = async () =>
      (await findWithMetadata(database.reader, url))?.resource.links
        .filter(({ rel }) => rel === 'describedby')
        .map(({ href }) => href.replace(`${source}/items/`, ''));
    expect(await describers()).toEqual(['x/oai_dc.xml', 'y/oai_dc.xml']);
    await news();
    await begin();
    await store([item('x', 'oai_dc', [file('a.pdf')]), item('y', 'oai_dc', [file('a.pdf')])]);
    await settleAll();
    expect(await news()).toEqual([]);

    // Who had it goes; who names it, too, has it then.
    await store([item('x', 'oai_dc', [], { deleted: true, metadata: [] })]);
    await settleAll();
    expect(await describers()).toEqual(['y/oai_dc.xml']);
    expect((await findWithMetadata(database.reader, url))?.resource.deletedAt).toBeUndefined();
    await store([item('x', 'oai_dc', [file('a.pdf')])]);
    await settleAll();
    expect(await describers()).toEqual(['y/oai_dc.xml', 'x/oai_dc.xml']);
    await news();

    // Other rules, other addresses.
    rules = { ...rules, mode: 'proxy' };
    await begin();
    await store([item('x', 'oai_dc', [file('a.pdf')]), item('y', 'oai_dc', [file('a.pdf')])]);
    expect(await news()).toEqual(['created x/files/1-a.pdf', 'created y/files/1-a.pdf', `deleted ${url}`]);
  });

  test('mode none takes every file out, and keeps what is known of them', async () => {
    await store([item('x', 'oai_dc', [file('a.pdf')])]);
    await news();
    rules = { ...rules, mode: 'none' };
    await begin();
    await store([item('x', 'oai_dc')]);
    expect(await news()).toEqual(['deleted x/files/1-a.pdf']);
    expect(await linksOf('x/oai_dc.xml', 'describes')).toEqual(['https://repo.example.org/page/x']);
  });

  test('a full pass that meets the item meets its files, whichever format it is met in', async () => {
    await store([item('x', 'xoai', [file('a.pdf')], { metadata: [] })], ['oai_dc']);
    await store([item('x', 'oai_dc')]);
    await news();
    await begin();
    await store([item('x', 'oai_dc')]);
    const { signal } = new AbortController();
    await sweep(database, lease, run.id, {}, moment, signal);
    expect(await news()).toEqual([]);
    await begin();
    await sweep(database, lease, run.id, {}, moment, signal);
    expect(await news()).toEqual(['deleted x/files/1-a.pdf', 'deleted x/oai_dc.xml']);
  });

  test('a file published between two parts of a full pass has been met as its record was', async () => {
    rules = { ...rules, mode: 'mirror' };
    await store([item('x', 'oai_dc', [file('a.pdf')])]);
    await see('https://repo.example.org/a.pdf', {
      contentHash: `sha-256:${'ab'.repeat(32)}`,
      contentLength: 5,
    });
    await settleAll();
    await news();
    await sweep(database, lease, run.id, {}, moment, new AbortController().signal);
    expect(await news()).toEqual([]);
  });

  test('50,000 files in one record: as many as may be, and a word about the others', async () => {
    rules = { ...rules, perItem: 20 };
    const files = Array.from({ length: 50_000 }, (_, index) =>
      file(`${index + 1}.tif`, { sequence: index + 1 }),
    );
    await store([item('x', 'oai_dc', files), item('y', 'oai_dc', files.slice(0, 20))]);
    expect((await news()).filter((line) => line.includes('x/files/'))).toHaveLength(20);
    const problems = await listProblems(database.reader, run.id, 10);
    expect(problems.map(({ identifier }) => identifier)).toEqual(['x']);
    expect(problems[0]?.message).toMatch(/49980 files more/);
  });

  test('a record that comes again has its files asked for, except those that were just asked because of it', async () => {
    const files = [file('a.pdf'), file('b.pdf', { sequence: 2 })];
    const later = '2026-12-30T00:00:00Z';
    await store([item('x', 'oai_dc', files)]);
    for (const { url } of files) await see(url, { dueAt: later });
    await begin();
    const datestamp = '2026-11-21T09:00:00Z';
    const again = mapItem(source, item('x', 'oai_dc', files, { datestamp }));
    const asked = new Set([file('a.pdf').url]);
    const page = { items: [again], problems: [], checkpoint: {}, files: rules, asked };
    await storePage(database, lease, run, page, moment());
    const due = await listDueFiles(database.reader, lease.sourceId, now, 10);
    expect(due.map(({ url }) => url)).toEqual([file('b.pdf').url]);
  });

  test('landing pages are due where no format knows of files, and what they lead to is published', async () => {
    rules = { ...rules, landingPages: true };
    await store([item('x', 'oai_dc', []), item('y', 'oai_dc', [file('y.pdf')])]);
    const due = await listDueLandingPages(database.reader, lease.sourceId, now, 10);
    expect(due).toMatchObject([{ url: 'https://repo.example.org/page/x' }]);
    const itemId = due[0]?.itemId ?? 0;
    const nextDue = '2026-12-21T00:00:00Z';
    await news();
    await storeFoundFiles(database, lease.sourceId, [{ itemId, files: [file('found.pdf')], nextDue }], now);
    await settleAll();
    expect(await news()).toEqual(['created x/files/1-found.pdf']);
    expect(await listDueLandingPages(database.reader, lease.sourceId, now, 10)).toEqual([]);
    // Unreadable today: what was found stays.
    await storeFoundFiles(database, lease.sourceId, [{ itemId, files: undefined, nextDue }], now);
    await begin();
    await store([item('x', 'oai_dc', [])]);
    await settleAll();
    expect(await news()).toEqual([]);
    // A format that knows better is believed.
    await begin();
    await store([item('x', 'oai_dc', [file('real.pdf')])]);
    expect(await news()).toEqual(['created x/files/2-real.pdf', 'deleted x/files/1-found.pdf']);
  });

  test('a file whose server does not answer is given up in the end, and comes back with the first answer', async () => {
    const { url } = file('a.pdf');
    await store([item('x', 'oai_dc', [file('a.pdf')])]);
    await news();
    const told = async (facts: Partial<RemoteFile>) => {
      await begin();
      await see(url, facts);
      await settleAll();
      return news();
    };
    for (let failures = 1; failures < 8; failures += 1)
      expect(await told({ outcome: 'unreachable', failures })).toEqual([]);
    expect(await told({ outcome: 'unreachable', failures: 8 })).toEqual(['deleted x/files/1-a.pdf']);
    expect(await told({})).toContain('created x/files/1-a.pdf');
  });

  test('what is known of a URL is found again', async () => {
    const facts: RemoteFile = {
      url: 'https://repo.example.org/a.pdf',
      outcome: 'unreachable',
      reason: 'no answer',
      checkedAt: now,
      dueAt: '2026-11-22T00:00:00Z',
      failures: 2,
      mediaType: 'application/pdf',
      length: 5_000_000_000,
      etag: '"a"',
      lastModified: '2020-01-01T00:00:00Z',
      contentHash: undefined,
      contentLength: undefined,
    };
    await saveRemoteFiles(database, lease.sourceId, [facts]);
    const found = await findRemoteFiles(database.reader, lease.sourceId, [facts.url, 'https://x.example/']);
    expect([...found.values()]).toEqual([facts]);
  });
});

function file(name: string, more: Partial<SourceFile> = {}): SourceFile {
  return { url: `https://repo.example.org/${name}`, name, sequence: 1, ...more };
}

/** @param files what the delivery states; undefined: its format knows nothing about files */
function item(
  identifier: string,
  format: string,
  files?: readonly SourceFile[],
  more: Partial<SourceItem> = {},
): SourceItem {
  const metadata = more.metadata ?? [
    { format, content: Buffer.from(`<${format}>${identifier}</${format}>`) },
  ];
  const formats = format === 'xoai' ? [] : [format];
  return {
    identifier,
    datestamp: '2020-01-01T00:00:00Z',
    collections: ['c'],
    speaksFor: { formats, files: files && (format === 'xoai' ? xoai : { name: format, rank: 50 }) },
    deleted: false,
    files: files ?? [],
    landingPage: `https://repo.example.org/page/${identifier}`,
    ...more,
    metadata,
  };
}
