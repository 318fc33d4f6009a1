import { beforeEach, describe, expect, test } from 'vitest';
import type { FileOrigin, SourceFile, SourceItem } from '../../../src/core/adapter.ts';
import type { FileRules } from '../../../src/core/files/published-files.ts';
import { mapItem } from '../../../src/core/mapping/mapping.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { listDueFiles, listUnconfirmedFiles } from '../../../src/store/files/due-files.ts';
import { listDueLandingPages } from '../../../src/store/files/item-files.ts';
import { saveRemoteFiles } from '../../../src/store/files/remote-file-writing.ts';
import { findRemoteFiles, type RemoteFile } from '../../../src/store/files/remote-files.ts';
import { type Settled, settle } from '../../../src/store/pages/settle.ts';
import { storePage } from '../../../src/store/pages/store-page.ts';
import { findItem } from '../../../src/store/reading/items.ts';
import { findWithMetadata, type StoredResource } from '../../../src/store/reading/resources.ts';
import { acquireLease, type Lease } from '../../../src/store/runs/leases.ts';
import { type Run, startRun } from '../../../src/store/runs/runs.ts';
import { ensureSource } from '../../../src/store/sources/sources.ts';
import { describeOnBoth } from '../../house/store/databases.ts';
import { JournalNews } from '../../house/store/journal-news.ts';

const xoai: FileOrigin = { name: 'xoai', rank: 0 };
const links: FileOrigin = { name: 'oai_dc', rank: 95 };
const native: FileOrigin = { name: 'dspace', rank: 0 };
const nothing: Settled = { created: 0, updated: 0, deleted: 0 };

let sources = 0;

describeOnBoth('items of a repository that knows them itself', (open) => {
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
    const selection = { selection: '{}', since: undefined, startedAt: now };
    run = await startRun(database.writer, { sourceId, mode: 'full', ...selection });
  }

  async function store(items: SourceItem[], awaited: string[] = []): Promise<void> {
    const mapped = items.map((entry) => mapItem(source, entry));
    const page = { items: mapped, problems: [], checkpoint: {}, awaited, files: rules };
    await storePage(database, lease, run, page, moment());
  }

  const settleAll = (): Promise<Settled> => settle(database, lease, rules, moment);

  const news = () => journal.read();

  async function resource(path: string): Promise<StoredResource> {
    const found = await findWithMetadata(database.reader, `${source}/items/${path}`);
    if (!found) throw new Error(`${path} is not there`);
    return found.resource;
  }

  const linksOf = async (path: string, rel: string) =>
    (await resource(path)).links
      .filter((link) => link.rel === rel)
      .map(({ href, type = '' }) => `${href.replace(`${source}/items/`, '')} ${type}`.trim());

  const see = (url: string, facts: Partial<RemoteFile>) =>
    saveRemoteFiles(database, lease.sourceId, [
      { url, outcome: 'confirmed', failures: 0, checkedAt: now, ...facts },
    ]);

  const due = async (trust?: 'unknown') =>
    (await listDueFiles(database.reader, lease.sourceId, now, 10, trust)).map(({ url }) => url);

  beforeEach(async () => {
    database = open().database;
    sources += 1;
    source = `native-${sources}`;
    now = '2026-11-21T10:00:00Z';
    journal = new JournalNews(database, source);
    rules = { mode: 'proxy', perItem: 100, verify: true, landingPages: true };
    await ensureSource(database, source, now);
    lease = await acquireLease(database, source, Date.parse(now));
    await begin();
  });

  describe('in formats of more than one kind', () => {
    test('are linked with the type of what is there, both ways', async () => {
      await store([item({ formats: ['json', 'oai_dc'], files: [file('a.pdf')], complete: true })]);
      expect(await news()).toEqual([
        'created x/files/1-a.pdf',
        'created x/json.json',
        'created x/oai_dc.xml',
      ]);
      expect(await linksOf('x/files/1-a.pdf', 'describedby')).toEqual([
        'x/json.json application/json',
        'x/oai_dc.xml application/xml',
      ]);
      expect(await linksOf('x/json.json', 'alternate')).toEqual(['x/oai_dc.xml application/xml']);
      expect(await resource('x/json.json')).toMatchObject({ mediaType: 'application/json', format: 'json' });
      // Without a delivery, too.
      rules = { ...rules, mode: 'none' };
      await begin();
      await store([item({ formats: ['oai_dc'], files: undefined })]);
      rules = { ...rules, mode: 'proxy' };
      await begin();
      await store([item({ formats: ['oai_dc'], files: [file('a.pdf')] })]);
      expect(await linksOf('x/files/1-a.pdf', 'describedby')).toEqual([
        'x/json.json application/json',
        'x/oai_dc.xml application/xml',
      ]);
    });

    test('of which one changes its kind are at another address from then on', async () => {
      await store([item({ formats: ['json'] })]);
      await news();
      await begin();
      const content = Buffer.from('<json/>');
      await store([{ ...item({ formats: ['json'] }), metadata: [{ format: 'json', content }] }]);
      expect(await news()).toEqual(['created x/json.xml', 'deleted x/json.json']);
    });

    test('in mode link name each other with their types across items', async () => {
      rules = { ...rules, mode: 'link' };
      await store([item({ formats: ['json'], files: [file('a.pdf')] })]);
      await store([{ ...item({ formats: ['json'], files: [file('a.pdf')] }), identifier: 'y' }]);
      await settleAll();
      const found = await findWithMetadata(database.reader, file('a.pdf').url);
      const types = found?.resource.links.filter(({ rel }) => rel === 'describedby').map(({ type }) => type);
      expect(types).toEqual(['application/json', 'application/json']);
    });
  });

  describe('that lists its own files', () => {
    const own = (files: readonly SourceFile[]) => item({ formats: ['oai_dc'], files });
    const guessed = (files: readonly SourceFile[]) => ({ ...own(files), ...speaksOf(links) });

    test('is believed alone, even if there are none, and nobody looks for others', async () => {
      await store([guessed([file('guess.pdf')])]);
      await news();
      await begin();
      await store([own([])]);
      expect(await news()).toEqual(['deleted x/files/1-guess.pdf']);
      expect(await listDueLandingPages(database.reader, lease.sourceId, now, 10)).toEqual([]);
      // Whoever guesses later is not heard.
      await begin();
      await store([guessed([file('guess.pdf')])]);
      await settleAll();
      expect(await news()).toEqual([]);
      const rows = await database
        .reader('item_file')
        .where({ source_id: lease.sourceId })
        .select('origin', 'url');
      expect(rows).toEqual([{ origin: 'dspace', url: '' }]);
      expect(await due()).toEqual([]);
    });

    test('and says the same again makes no work but that its files are asked for, be it of none', async () => {
      await store([own([]), { ...own([file('y.pdf')]), identifier: 'y' }]);
      await begin();
      const written: string[] = [];
      const note = ({ sql }: { sql: string }) => {
        if (/item_file|remote_file/.test(sql) && !/^select/i.test(sql)) written.push(sql);
      };
      database.writer.on('query', note);
      await store([own([]), { ...own([file('y.pdf')]), identifier: 'y' }]);
      database.writer.removeListener('query', note);
      expect(written).toEqual([expect.stringMatching(/^update .remote_file. set .due_at./)]);
    });

    test('is left as it is while files are not wanted, and read again when they are', async () => {
      await store([own([file('a.pdf')])]);
      await news();
      rules = { ...rules, mode: 'none' };
      for (const files of [[file('a.pdf')], [file('b.pdf')], []]) {
        await begin();
        await store([own(files)]);
      }
      expect(await news()).toEqual(['deleted x/files/1-a.pdf']);
      rules = { ...rules, mode: 'proxy' };
      await begin();
      await store([own([file('a.pdf')])]);
      expect(await news()).toEqual(['created x/files/1-a.pdf']);
    });

    test('of an adapter that reads the source no more gives way to whoever speaks now', async () => {
      await store([own([file('a.pdf')])]);
      await news();
      rules = { ...rules, retired: ['dspace'] };
      await begin();
      await store([guessed([file('b.pdf')])]);
      expect(await news()).toEqual(['created x/files/2-b.pdf', 'deleted x/files/1-a.pdf']);
      const origins = await database
        .reader('item_file')
        .where({ source_id: lease.sourceId })
        .select('origin');
      expect(origins).toEqual([{ origin: 'oai_dc' }]);
    });

    test('has open files published at once, and asked for all the same', async () => {
      await store([own([file('a.pdf', { access: 'open', length: 3, hash: 'md5:00' })])]);
      expect(await news()).toEqual(['created x/files/1-a.pdf', 'created x/oai_dc.xml']);
      expect(await resource('x/files/1-a.pdf')).toMatchObject({ length: 3, hash: 'md5:00' });
      expect(await due()).toEqual([file('a.pdf').url]);
      await see(file('a.pdf').url, { length: 7 });
      expect(await settleAll()).toEqual(nothing);
      expect(await due()).toEqual([]);
      await see(file('a.pdf').url, { outcome: 'refused' });
      await settleAll();
      expect(await news()).toEqual(['deleted x/files/1-a.pdf']);
    });

    test('has others published when their server has handed them out, and as long as it does', async () => {
      const { url } = file('a.pdf');
      await store([own([file('a.pdf', { access: 'unknown' })])]);
      expect(await news()).toEqual(['created x/oai_dc.xml']);
      expect(await due('unknown')).toEqual([url]);
      await see(url, { length: 7, mediaType: 'application/pdf' });
      await settleAll();
      expect(await news()).toEqual(['created x/files/1-a.pdf']);
      await see(url, { outcome: 'unreachable', failures: 1, length: 7, mediaType: 'application/pdf' });
      expect(await settleAll()).toEqual(nothing);
      await see(url, { outcome: 'refused', reason: 'it asks for a login (401)' });
      await settleAll();
      expect(await news()).toEqual(['deleted x/files/1-a.pdf']);
      // The repository says that it is open: its server is asked.
      await begin();
      await store([own([file('a.pdf', { access: 'open' })])]);
      expect(await news()).toEqual([]);
      expect(await due()).toEqual([url]);
      await see(url, { length: 7, mediaType: 'application/pdf' });
      await settleAll();
      expect(await news()).toEqual(['created x/files/1-a.pdf']);
    });

    test('has those that nobody asked for since a moment found, page by page', async () => {
      const names = ['a', 'b', 'c', 'd'];
      await store([own(names.map((name, index) => file(name, { sequence: index + 1, access: 'unknown' })))]);
      await store([{ ...own([file('open', { access: 'open' })]), identifier: 'y' }]);
      await see(file('b').url, {});
      const since = now;
      await see(file('c').url, {
        checkedAt: '2026-11-20T00:00:00Z',
        contentHash: 'sha-256:00',
        contentLength: 3,
      });
      const list = (after: number, keptOnly = false) =>
        listUnconfirmedFiles(database.reader, lease.sourceId, since, { after, limit: 2, keptOnly, now });
      const first = await list(0);
      expect(first.files.map(({ url }) => url)).toEqual([file('a').url, file('c').url]);
      const second = await list(first.last ?? 0);
      expect(second.files.map(({ url }) => url)).toEqual([file('d').url]);
      expect(await list(second.last ?? 0)).toEqual({ files: [], last: undefined });
      expect((await list(0, true)).files.map(({ url }) => url)).toEqual([file('c').url]);
    });
  });

  describe('whose files have other upstream addresses than before', () => {
    const id = 'ba7d4e0f-1c2b-4f3a-9d8e-0123456789ab';
    const download = `https://repo.example.org/bitstreams/${id}/download`;
    const content = `https://repo.example.org/server/api/core/bitstreams/${id}/content`;
    const facts = { name: 'a.pdf', length: 3, hash: 'md5:00', mediaType: 'application/pdf' };
    const byOai = () => ({
      ...item({ formats: ['oai_dc'], files: [file('a.pdf', { ...facts, url: download })] }),
      ...speaksOf(xoai),
    });
    const byRest = (access: SourceFile['access'] = 'open') =>
      item({ formats: ['oai_dc'], files: [file('a.pdf', { ...facts, url: content, access })] });

    test('have them at ours as before: an update, and back again', async () => {
      await store([byOai()]);
      await see(download, { length: 3, mediaType: 'application/pdf', lastModified: '2020-06-01T00:00:00Z' });
      await settleAll();
      await news();
      const before = await resource('x/files/1-a.pdf');
      await begin();
      await store([byRest()]);
      await settleAll();
      expect(await news()).toEqual(['updated x/files/1-a.pdf']);
      const after = await resource('x/files/1-a.pdf');
      expect(after).toMatchObject({ upstreamUrl: content, lastmod: before.lastmod, hash: 'md5:00' });
      expect(await linksOf('x/files/1-a.pdf', 'via')).toEqual([content]);
      await begin();
      await store([byOai()]);
      await settleAll();
      expect(await news()).toEqual(['updated x/files/1-a.pdf']);
      expect(await resource('x/files/1-a.pdf')).toMatchObject({ upstreamUrl: download });
      await begin();
      await store([byOai()]);
      await settleAll();
      expect(await news()).toEqual([]);
    });

    test('have the copy of a mirror, which goes on being published and is looked at again', async () => {
      rules = { ...rules, mode: 'mirror' };
      await store([byOai()]);
      const copy = { contentHash: `sha-256:${'ab'.repeat(32)}`, contentLength: 3, length: 3 };
      await see(download, { ...copy, etag: '"1"', dueAt: '2027-01-01T00:00:00Z' });
      await settleAll();
      await news();
      for (const [delivery, url] of [
        [byRest(), content],
        [byOai(), download],
        [byRest('unknown'), content],
      ] as const) {
        await begin();
        await store([delivery]);
        await settleAll();
        expect(await news()).toEqual(['updated x/files/1-a.pdf']);
        expect(await resource('x/files/1-a.pdf')).toMatchObject({ hash: copy.contentHash, upstreamUrl: url });
      }
      const known = (await findRemoteFiles(database.reader, lease.sourceId, [content])).get(content);
      expect(known).toMatchObject({ ...copy, outcome: 'confirmed', etag: '"1"' });
      expect(await due()).toEqual([content]);
    });

    test('and are refused there are not published by what was known of the former one', async () => {
      await store([byOai()]);
      await see(download, { length: 3 });
      await settleAll();
      await news();
      await see(content, { outcome: 'refused' });
      await begin();
      await store([byRest('unknown')]);
      expect(await news()).toEqual(['deleted x/files/1-a.pdf']);
    });

    test('have them at the new ones in mode link', async () => {
      rules = { ...rules, mode: 'link' };
      await store([byOai()]);
      await news();
      await begin();
      await store([byRest()]);
      expect(await news()).toEqual([`created ${content}`, `deleted ${download}`]);
    });
  });

  describe('of which another list knows more', () => {
    const more = (body = 'mets', changes: Partial<SourceItem> = {}) => ({
      ...item({ formats: ['mets'], body }),
      collections: ['old'],
      datestamp: '2025-01-01T00:00:00Z',
      supplement: true,
      ...changes,
    });
    const whole = () => item({ formats: ['oai_dc'], files: [file('a.pdf', { access: 'open' })] });

    test('have it beside what is there, in the collections in which that is', async () => {
      await store([whole()], ['mets']);
      await store([more()]);
      await settleAll();
      expect(await news()).toEqual(['created x/files/1-a.pdf', 'created x/mets.xml', 'created x/oai_dc.xml']);
      expect(await linksOf('x/mets.xml', 'collection')).toEqual([`${source}/collections/c`]);
      expect(await linksOf('x/files/1-a.pdf', 'describedby')).toEqual([
        'x/mets.xml application/xml',
        'x/oai_dc.xml application/xml',
      ]);
      const stored = await findItem(database.reader, source, 'x');
      expect(stored).toMatchObject({ datestamp: '2026-01-01T00:00:00Z', collections: [{ spec: 'c' }] });
      await begin();
      await store([whole()], ['mets']);
      await store([more()]);
      await settleAll();
      expect(await news()).toEqual([]);
    });

    test('are not brought to life by it, and not kept alive', async () => {
      await store([more()]);
      expect(await news()).toEqual([]);
      await store([whole()], ['mets']);
      await store([more()]);
      await news();
      await begin();
      await store([{ ...whole(), deleted: true, metadata: [], files: [] }], ['mets']);
      await store([more('changed')]);
      await settleAll();
      expect(await news()).toEqual(['deleted x/files/1-a.pdf', 'deleted x/mets.xml', 'deleted x/oai_dc.xml']);
      await begin();
      await store([more()]);
      expect(await news()).toEqual([]);
      // Of what was never stored nothing is damaged.
      expect(await database.reader('problem').where({ code: 'record-repaired' })).toEqual([]);
    });

    test('lose it when that list says that it is gone, and nothing else', async () => {
      await store([whole()], ['mets']);
      await store([more()]);
      await settleAll();
      await news();
      await begin();
      await store([more('', { deleted: true, metadata: [] })]);
      await settleAll();
      expect(await news()).toEqual(['deleted x/mets.xml']);
    });

    test('are one item where both come on one page', async () => {
      await store([whole(), more()]);
      await settleAll();
      expect(await news()).toEqual(['created x/files/1-a.pdf', 'created x/mets.xml', 'created x/oai_dc.xml']);
    });
  });
});

function file(name: string, more: Partial<SourceFile> = {}): SourceFile {
  return { url: `https://repo.example.org/${name}`, name, sequence: 1, ...more };
}

function item(what: {
  formats: readonly string[];
  files?: readonly SourceFile[] | undefined;
  complete?: boolean;
  body?: string;
}): SourceItem {
  const { formats, files, complete, body = 'x' } = what;
  return {
    identifier: 'x',
    datestamp: '2026-01-01T00:00:00Z',
    collections: ['c'],
    speaksFor: { formats, files: files && native },
    deleted: false,
    metadata: formats.map((format) =>
      format === 'json'
        ? { format, content: Buffer.from(`{"body":"${body}"}`), mediaType: 'application/json' }
        : { format, content: Buffer.from(`<${format}>${body}</${format}>`) },
    ),
    files: files ?? [],
    landingPage: 'https://repo.example.org/page/x',
    ...(complete !== undefined && { complete }),
  };
}

function speaksOf(files: FileOrigin): Pick<SourceItem, 'speaksFor'> {
  return { speaksFor: { formats: ['oai_dc'], files } };
}
