import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { patchRelation } from '../../../src/core/resource.ts';
import { resourceSets } from '../../../src/core/resource-set.ts';
import { sitemapLimits } from '../../../src/core/sitemap.ts';
import type { Documents, StoredDocument } from '../../../src/publish/disk/pointer.ts';
import { readSlices, totalLength } from '../../../src/publish/disk/slices.ts';
import { renderChangeDump, writeChangePackage } from '../../../src/publish/dump/change-dump.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import type { ChangeEntry } from '../../../src/store/reading/listing.ts';
import { rootOf } from '../../house/publish/reading.ts';
import { baseUrl, HandClock } from '../../house/publish/seed.ts';
import { changed, hashOf, pagesOf, stock } from '../../house/publish/stocked-source.ts';
import { readZip } from '../../house/publish/zip-reading.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const [from, until] = ['2026-11-20T10:00:00Z', '2026-11-21T00:00:00Z'];
const path = 'kyushu/changedump/20261120T100000Z.zip';
const manifestPath = 'kyushu/changedump/20261120T100000Z-manifest.xml';
const [set] = resourceSets('kyushu');
let home: string;
let directory: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'rsbridge-dump-'));
  directory = join(home, 'publication');
  mkdirSync(directory);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function write(database: Database, changes: readonly ChangeEntry[]): Promise<Documents> {
  if (!set) throw new Error('a source has sets');
  return writeChangePackage(pagesOf(changes), {
    ...{ db: database.reader, directory, dataDirectory: home, baseUrl, set, path, from, until },
    clock: new HandClock('2026-11-21T00:10:00Z'),
  });
}

async function bytesOf(document: StoredDocument | undefined): Promise<Buffer> {
  const slices = document?.plain.slices ?? [];
  return buffer(readSlices(directory, slices, 0, totalLength(slices)));
}

describeOnBoth('a Change Dump package', (connect) => {
  test('has the bytes that each change made, and of a deletion none', async () => {
    const { database } = connect();
    const state = (text: string) =>
      stock(database, home, { path: 'kyushu/items/a/oai_dc.xml', content: Buffer.from(text) });
    const [first, second] = [await state('<dc>first</dc>'), await state('<dc>second</dc>')];
    const other = await stock(database, home, {
      path: 'kyushu/items/b/files/1-b.pdf',
      content: Buffer.from('%PDF'),
      mediaType: 'application/pdf',
      large: true,
    });
    const changes = [
      changed(1, 'created', first),
      changed(2, 'created', other),
      changed(3, 'updated', second),
      changed(4, 'deleted', other),
    ];
    const documents = await write(database, changes);
    expect(Object.keys(documents)).toEqual([path, manifestPath]);
    const members = await readZip(await bytesOf(documents[path]));
    expect([...members].map(([name, content]) => [name, content.toString().slice(0, 20)])).toEqual([
      ['000001/items/a/oai_dc.xml', '<dc>first</dc>'],
      ['000002/items/b/files/1-b.pdf', '%PDF'],
      ['000003/items/a/oai_dc.xml', '<dc>second</dc>'],
      ['manifest.xml', '<?xml version="1.0" '],
    ]);
    const xml = (await bytesOf(documents[manifestPath])).toString();
    expect(members.get('manifest.xml')?.toString()).toBe(xml);
    expect(rootOf(xml)).toEqual({ capability: 'changedump-manifest', from, until });
    const entries = [...xml.matchAll(/<rs:md (change=[^>]*)\/>/g)].map(([, attributes]) => attributes);
    const facts = (entry: { hash?: string | undefined; length?: number | undefined }) =>
      `hash="${entry.hash}" length="${entry.length}"`;
    expect(entries).toEqual([
      `change="created" datetime="2026-11-20T10:00:01Z" ${facts(first)} type="application/xml" path="/000001/items/a/oai_dc.xml"`,
      `change="created" datetime="2026-11-20T10:00:02Z" ${facts(other)} type="application/pdf" path="/000002/items/b/files/1-b.pdf"`,
      `change="updated" datetime="2026-11-20T10:00:03Z" ${facts(second)} type="application/xml" path="/000003/items/a/oai_dc.xml"`,
      'change="deleted" datetime="2026-11-20T10:00:04Z"',
    ]);
    const common = { entries: 4, from, until, immutable: true, lastModified: '2026-11-21T00:10:00Z' };
    expect(documents[path]).toMatchObject({ ...common, mediaType: 'application/zip' });
    expect(documents[manifestPath]).toMatchObject({ ...common, capability: 'changedump-manifest' });
  });

  test('RS-LN-13: has the patches too, and says where', async () => {
    const { database } = connect();
    const patch = Buffer.from('+second');
    await stock(database, home, { path: 'kyushu/patches/1', content: patch });
    const link = {
      rel: patchRelation,
      href: 'kyushu/patches/1',
      hash: hashOf(patch),
      length: patch.length,
      type: 'text/x-diff',
    };
    const content = Buffer.from('<dc>patched</dc>');
    const entry = await stock(database, home, {
      path: 'kyushu/items/p/oai_dc.xml',
      content,
      links: [link, link],
    });
    const documents = await write(database, [changed(1, 'updated', entry)]);
    const members = await readZip(await bytesOf(documents[path]));
    expect([...members.keys()].slice(0, 3)).toEqual([
      '000001/items/p/oai_dc.xml',
      '000001/patch',
      '000001/patch-2',
    ]);
    expect(members.get('000001/patch')?.toString()).toBe('+second');
    expect(members.get('manifest.xml')?.toString()).toContain(
      `<rs:ln rel="${patchRelation}" href="${baseUrl}/kyushu/patches/1" hash="${hashOf(patch)}" length="7" path="/000001/patch" type="text/x-diff"/>`,
    );
  });

  test('whose content is missing names the resource and leaves nothing', async () => {
    const { database } = connect();
    const entry = await stock(database, home, { path: 'kyushu/items/a/x', content: Buffer.from('kept') });
    const lost = { ...entry, path: 'kyushu/items/lost/x', hash: hashOf(Buffer.from('lost')) };
    const changes = [changed(1, 'created', entry), changed(2, 'created', lost)];
    await expect(write(database, changes)).rejects.toMatchObject({
      code: 'content-damaged',
      message: expect.stringContaining('kyushu/items/lost/x'),
    });
    expect(readdirSync(directory)).toEqual([]);
  });

  test('is listed with its hash; many are grouped by an index whose last part stays open', async () => {
    const { database } = connect();
    const entry = await stock(database, home, { path: 'kyushu/items/a/x', content: Buffer.from('kept') });
    const written = await write(database, [changed(1, 'created', entry)]);
    if (!set) throw new Error('a source has sets');
    const { text, parts } = renderChangeDump(baseUrl, set, written, sitemapLimits);
    expect(parts).toEqual([]);
    expect(rootOf(text)).toEqual({ capability: 'changedump', from });
    const zip = await bytesOf(written[path]);
    expect(text).toContain(
      `<url><loc>${baseUrl}/${path}</loc><rs:md from="${from}" until="${until}" hash="${hashOf(zip)}" length="${zip.length}" type="application/zip"/><rs:ln rel="contents" href="${baseUrl}/${manifestPath}" type="application/xml"/></url>`,
    );
    const document = written[path] as StoredDocument;
    const days = ['20', '21', '22'].map((day) => `2026-11-${day}T00:00:00Z`);
    const three = Object.fromEntries(
      days.map((day, index) => [
        `kyushu/changedump/${index}.zip`,
        { ...document, from: day, until: days[index + 1] ?? '2026-11-23T00:00:00Z' },
      ]),
    );
    const limits = { entries: 2, bytes: 1e6 };
    const open = renderChangeDump(baseUrl, set, three, limits);
    expect(rootOf(open.text)).toEqual({ capability: 'changedump', from: days[0] });
    expect(open.parts.map(({ path: part, entries, times }) => [part, entries, times])).toEqual([
      ['kyushu/changedump/index-1.xml', 2, { from: days[0], until: days[2] }],
      ['kyushu/changedump/index-2.xml', 1, { from: days[2], until: undefined }],
    ]);
    expect(open.parts[0]?.text).toContain(`<rs:ln rel="index" href="${baseUrl}/kyushu/changedump.xml"/>`);
    expect(open.text).toContain('<sitemapindex');
    const closed = renderChangeDump(baseUrl, set, written, sitemapLimits, until);
    expect(rootOf(closed.text)).toEqual({ capability: 'changedump', from, until });
  });
});
