import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { resourceSets } from '../../../src/core/resource-set.ts';
import { sitemapLimits } from '../../../src/core/sitemap.ts';
import type { StoredDocument } from '../../../src/publish/disk/pointer.ts';
import { readSlices, totalLength } from '../../../src/publish/disk/slices.ts';
import { type ResourceDumpSettings, writeResourceDump } from '../../../src/publish/dump/resource-dump.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { contentFile } from '../../../src/store/payloads/content-files.ts';
import type { ResourceEntry } from '../../../src/store/reading/listing.ts';
import { rootOf } from '../../house/publish/reading.ts';
import { baseUrl, HandClock } from '../../house/publish/seed.ts';
import { hashOf, pagesOf, stock } from '../../house/publish/stocked-source.ts';
import { readZip } from '../../house/publish/zip-reading.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const [set] = resourceSets('kyushu');
const at = '2026-11-21T00:00:00Z';
let home: string;
let directory: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'rsbridge-dump-'));
  directory = join(home, 'publication');
  mkdirSync(directory);
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(home, { recursive: true, force: true });
});

async function dump(
  database: Database,
  entries: readonly ResourceEntry[],
  settings: Partial<ResourceDumpSettings> = {},
) {
  if (!set) throw new Error('a source has sets');
  const base = { directory, dataDirectory: home, baseUrl, set, at, limits: sitemapLimits, packageBytes: 1e9 };
  const clock = new HandClock('2026-11-21T00:10:00Z');
  return database.snapshot((db) => writeResourceDump(pagesOf(entries), { ...base, db, clock, ...settings }));
}

async function bytesOf(document: StoredDocument | undefined): Promise<Buffer> {
  if (!document) throw new Error('there is no such document');
  const read = async (slices: StoredDocument['plain']['slices']) =>
    buffer(readSlices(directory, slices, 0, totalLength(slices)));
  const bytes = await read(document.plain.slices);
  if (document.gzip) expect(gunzipSync(await read(document.gzip.slices)).equals(bytes)).toBe(true);
  return bytes;
}

const text = async (document: StoredDocument | undefined) => (await bytesOf(document)).toString();
const matches = (xml: string, pattern: RegExp) => [...xml.matchAll(pattern)].map(([, found]) => found);

async function someEntries(database: Database, count: number, bytes = 600): Promise<ResourceEntry[]> {
  const entries: ResourceEntry[] = [];
  for (let number = 0; number < count; number += 1) {
    const content = Buffer.from(`<dc>${number} ${randomBytes(bytes / 2).toString('hex')}</dc>`);
    entries.push(await stock(database, home, { path: `kyushu/items/${number}/oai_dc.xml`, content }));
  }
  return entries;
}

describeOnBoth('a Resource Dump', (connect) => {
  test('has every resource with its bytes, and a manifest that says so', async () => {
    const { database } = connect();
    const csv = Buffer.from('year,count\n'.repeat(20_000));
    const contents = new Map<string, Buffer>([
      ['kyushu/items/a/oai_dc.xml', Buffer.from('<dc>a</dc>'.repeat(100))],
      ['kyushu/items/a/files/1-a.pdf', randomBytes(40_000)],
      ['kyushu/items/b/files/1-b.csv', csv],
      ['kyushu/items/b/files/2-empty.bin', Buffer.alloc(0)],
      ['kyushu/items/c/json.json', Buffer.from('{"name":"c"}')],
      ['kyushu/items/c/oai_dc.xml', Buffer.from('x')],
    ]);
    const types: Record<string, string> = {
      pdf: 'application/pdf',
      csv: 'text/csv',
      bin: 'image/png',
      json: 'application/json',
    };
    const entries: ResourceEntry[] = [];
    for (const [path, content] of contents) {
      const mediaType = types[path.split('.').at(-1) ?? ''] ?? 'application/xml';
      const links = [{ rel: 'collection', href: 'kyushu/collections/x' }];
      const large = path.includes('/files/');
      entries.push(await stock(database, home, { path, content, mediaType, large, links }));
    }
    const { document, parts } = await dump(database, entries);
    expect(Object.keys(parts)).toEqual([
      'kyushu/resourcedump/20261121T000000Z/0001.zip',
      'kyushu/resourcedump/20261121T000000Z/0001-manifest.xml',
    ]);
    const [zip, manifest] = Object.values(parts);
    const bytes = await bytesOf(zip);
    const members = await readZip(bytes);
    expect([...members.keys()]).toEqual([
      ...entries.map(({ path }) => path.slice('kyushu/'.length)),
      'manifest.xml',
    ]);
    // RS-RD-12: the copy is the same.
    expect(members.get('manifest.xml')?.toString()).toBe(await text(manifest));
    const xml = await text(manifest);
    expect(rootOf(xml)).toEqual({ capability: 'resourcedump-manifest', at });
    expect(xml).toContain(`<rs:ln rel="up" href="${baseUrl}/kyushu/capabilitylist.xml"/>`);
    for (const { path, hash, length, mediaType } of entries) {
      const inside = path.slice('kyushu'.length);
      const content = members.get(inside.slice(1)) ?? Buffer.from('it is not there');
      expect(content.equals(contents.get(path) ?? Buffer.alloc(1))).toBe(true);
      expect(hashOf(content)).toBe(hash);
      expect(xml).toContain(
        `<loc>${baseUrl}/${path}</loc><lastmod>2026-11-20T10:00:00Z</lastmod><rs:md hash="${hash}" length="${length}" type="${mediaType}" path="${inside}"/>`,
      );
    }
    // What can be compressed is; what is compressed already is not.
    expect(bytes.length).toBeGreaterThan(40_000);
    expect(bytes.length).toBeLessThan(45_000);
    const list = await text(document);
    expect(rootOf(list)).toEqual({ capability: 'resourcedump', at, completed: '2026-11-21T00:10:00Z' });
    const place = `${baseUrl}/kyushu/resourcedump/20261121T000000Z/0001`;
    expect(list).toContain(
      `<url><loc>${place}.zip</loc><rs:md at="${at}" hash="${hashOf(bytes)}" length="${bytes.length}" type="application/zip"/><rs:ln rel="contents" href="${place}-manifest.xml" type="application/xml"/></url>`,
    );
    expect(zip).toMatchObject({ entries: 6, immutable: true, mediaType: 'application/zip', at });
    expect(zip?.gzip).toBeUndefined();
  });

  test('of nothing is one package with an empty manifest', async () => {
    const { document, parts } = await dump(connect().database, []);
    const [zip, manifest] = Object.values(parts);
    expect([...(await readZip(await bytesOf(zip))).keys()]).toEqual(['manifest.xml']);
    expect(await text(manifest)).not.toContain('<url>');
    expect(matches(await text(document), /<loc>([^<]*)</g)).toHaveLength(1);
    expect(document.entries).toBe(1);
  });

  test('is the same bytes whenever and wherever it is made', async () => {
    const { database } = connect();
    const entries = await someEntries(database, 10);
    const csv = Buffer.from('a,b\n'.repeat(50_000));
    const file = { path: 'kyushu/items/f/files/1-f.csv', mediaType: 'text/csv', content: csv, large: true };
    entries.push(await stock(database, home, file));
    const zips: string[] = [];
    const zone = process.env.TZ;
    for (const [TZ, now] of [
      ['Asia/Tokyo', '2026-11-21T00:10:00Z'],
      ['America/New_York', '2027-07-01T00:00:00Z'],
    ] as const) {
      process.env.TZ = TZ;
      const { parts } = await dump(database, entries, { clock: new HandClock(now) });
      zips.push(
        ...(await Promise.all(Object.values(parts).map(async (part) => hashOf(await bytesOf(part))))),
      );
    }
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
    expect(zips.slice(2)).toEqual(zips.slice(0, 2));
  });

  test('is split by entries, by the bytes of a package and by those of a manifest', async () => {
    const { database } = connect();
    const entries = await someEntries(database, 10);
    const large = { path: 'kyushu/items/large/files/1', mediaType: 'application/pdf', large: true };
    entries.splice(5, 0, await stock(database, home, { ...large, content: randomBytes(9000) }));
    const sizes = async (settings: Partial<ResourceDumpSettings>) => {
      const { parts } = await dump(database, entries, settings);
      const zips = Object.entries(parts).filter(([path]) => path.endsWith('.zip'));
      expect(zips.map(([path]) => path.split('/').at(-1))).toEqual(
        zips.map((_, index) => `${String(index + 1).padStart(4, '0')}.zip`),
      );
      const names: string[] = [];
      for (const [path, zip] of zips) {
        const members = await readZip(await bytesOf(zip));
        names.push(...[...members.keys()].slice(0, -1));
        expect(members.get('manifest.xml')?.toString()).toBe(
          await text(parts[path.replace('.zip', '-manifest.xml')]),
        );
      }
      expect(names).toEqual(entries.map(({ path }) => path.slice('kyushu/'.length)));
      return zips.map(([, zip]) => ({ entries: zip.entries, bytes: totalLength(zip.plain.slices) }));
    };
    const counts = (found: readonly { entries: number }[]) => found.map(({ entries: count }) => count);
    expect(counts(await sizes({ limits: { entries: 4, bytes: 1e6 } }))).toEqual([4, 4, 3]);
    expect(counts(await sizes({ limits: { entries: 50, bytes: 1500 } })).length).toBeGreaterThan(2);
    const bySize = await sizes({ packageBytes: 3000 });
    const alone = bySize.filter(({ bytes }) => bytes > 3000);
    expect(alone).toHaveLength(1);
    expect(alone[0]?.entries).toBe(1);
    expect(bySize.length).toBeGreaterThan(3);
  });

  test('of very many packages is grouped by an index', async () => {
    const { database } = connect();
    const entries = await someEntries(database, 5);
    const { document, parts } = await dump(database, entries, { limits: { entries: 2, bytes: 1e6 } });
    const index = await text(document);
    expect(index).toContain('<sitemapindex');
    expect(rootOf(index)).toMatchObject({ capability: 'resourcedump', at });
    const place = 'kyushu/resourcedump/20261121T000000Z';
    const locs = matches(index, /<loc>([^<]*)</g);
    expect(locs).toEqual([`${baseUrl}/${place}/index-1.xml`, `${baseUrl}/${place}/index-2.xml`]);
    const first = await text(parts[`${place}/index-1.xml`]);
    expect(first).toContain(`<rs:ln rel="index" href="${baseUrl}/kyushu/resourcedump.xml"/>`);
    expect(matches(first, /<loc>([^<]*)</g)).toEqual([
      `${baseUrl}/${place}/0001.zip`,
      `${baseUrl}/${place}/0002.zip`,
    ]);
    expect(document.entries).toBe(3);
  });

  test('that meets damage names the resource and leaves nothing', async () => {
    const { database } = connect();
    const entries = await someEntries(database, 8);
    const file = { path: 'kyushu/items/f/files/1.pdf', mediaType: 'application/pdf', large: true };
    const damaged = await stock(database, home, { ...file, content: randomBytes(50_000) });
    const limits = { entries: 3, bytes: 1e6 };
    const attempt = (entry: ResourceEntry) => dump(database, [...entries, entry], { limits });
    const missing = { ...damaged, path: 'kyushu/items/none/oai_dc.xml', hash: hashOf(Buffer.from('none')) };
    await expect(attempt(missing)).rejects.toMatchObject({
      code: 'content-damaged',
      message: expect.stringContaining('kyushu/items/none/oai_dc.xml'),
    });
    writeFileSync(contentFile(home, damaged.hash ?? ''), randomBytes(50_000));
    await expect(attempt(damaged)).rejects.toMatchObject({
      code: 'content-damaged',
      message: expect.stringContaining('kyushu/items/f/files/1.pdf'),
    });
    expect(readdirSync(directory)).toEqual([]);
  });

  test('that is interrupted, or finds the disk full, leaves nothing and says so', async () => {
    const { database } = connect();
    const entries = await someEntries(database, 8);
    const limits = { entries: 3, bytes: 1e6 };
    const controller = new AbortController();
    const signal = controller.signal;
    const stopping = (async function* () {
      for await (const page of pagesOf(entries)) {
        yield page;
        if (page.includes(entries[4] as ResourceEntry)) controller.abort();
      }
    })();
    if (!set) throw new Error('a source has sets');
    const base = { directory, dataDirectory: home, baseUrl, set, at, limits, packageBytes: 1e9 };
    const interrupted = database.snapshot((db) =>
      writeResourceDump(stopping, { ...base, db, clock: new HandClock(at), signal }),
    );
    await expect(interrupted).rejects.toMatchObject({ code: 'interrupted' });
    expect(readdirSync(directory)).toEqual([]);

    const probe = await open(join(home, 'probe'), 'w');
    const prototype = Object.getPrototypeOf(probe) as typeof probe;
    await probe.close();
    const original = prototype.write;
    let full = 0;
    for (let successes = 0; successes < 40; successes += 1) {
      let left = successes;
      const spy = vi.spyOn(prototype, 'write').mockImplementation(function (
        this: typeof probe,
        ...args: unknown[]
      ) {
        left -= 1;
        if (left >= 0) return Reflect.apply(original, this, args);
        return Promise.reject(Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' }));
      } as never);
      const failed = await dump(database, entries, { limits }).catch((error: unknown) => error);
      spy.mockRestore();
      if (!(failed instanceof Error)) break;
      full += 1;
      expect(failed).toMatchObject({ code: 'disk-full' });
      expect(readdirSync(directory)).toEqual([]);
    }
    expect(full).toBeGreaterThan(5);
    expect(readFileSync(join(home, 'probe'))).toHaveLength(0);
  });
});
