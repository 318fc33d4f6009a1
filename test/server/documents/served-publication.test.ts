import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { resourceSets } from '../../../src/core/resource-set.ts';
import { formatVersion, writePointer } from '../../../src/publish/disk/pointer.ts';
import { writeDocument } from '../../../src/publish/disk/stored-document.ts';
import { openPublication, publicationRoot } from '../../../src/publish/published/publication.ts';
import { createPublisher } from '../../../src/publish/publisher.ts';
import { type House, now, openHouse, seedResource, sourceOverview } from '../../house/server/fixture.ts';

/** What the publish room writes, as a client finds it: from the first address to the last byte. */

let house: House;
let directory: string;
const baseUrl = 'https://bridge.example.org/rs';

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'rsbridge-served-'));
  house = await openHouse({ publication: openPublication(directory), baseUrl });
  house.sources.push(sourceOverview());
});
afterEach(async () => {
  await house.close();
  await rm(directory, { recursive: true, force: true });
});

async function publish() {
  const { writer } = house.database;
  const seeded = await seedResource(house.database, {
    links: [{ rel: 'collection', href: 'kyushu/collections/c' }],
  });
  const [row] = await writer('resource').select(
    'id',
    'source_id',
    'lastmod',
    'media_type',
    'length',
    'hash',
    'links',
  );
  const { id, source_id, ...facts } = row;
  await writer('change').insert({ ...facts, source_id, resource_id: id, seq: 1, at: now, kind: 'created' });
  await writer('source').update({ journal_seq: 1, first_pass_seq: 1 });
  const publisher = createPublisher({
    database: house.database,
    directory,
    baseUrl,
    clock: {
      now: () => new Date(now),
      sleep: (ms, signal) => setTimeout(ms, undefined, signal && { signal }),
    },
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
  });
  for (const set of resourceSets('kyushu')) await publisher.publish(set, { resourceList: 'always' });
  await publisher.publishSite(resourceSets('kyushu'));
  return seeded;
}

/** Fetches one of our URIs from the socket behind it. */
async function fetchUri(uri: string, headers: Record<string, string> = {}) {
  const response = await request((await house.origin()) + uri.slice(baseUrl.length), { headers });
  const body = Buffer.from(await response.body.arrayBuffer());
  return { status: response.statusCode, headers: response.headers, body, text: body.toString() };
}

const locsOf = (xml: string) => Array.from(xml.matchAll(/<loc>([^<]+)<\/loc>/g), ([, loc = '']) => loc);

it('serves an empty publication as one that is not ready yet', async () => {
  expect((await fetchUri(`${baseUrl}/.well-known/resourcesync`)).status).toBe(404);
  expect((await fetchUri(`${baseUrl}/readyz`)).status).toBe(503);
  expect((await fetchUri(`${baseUrl}/`)).status).toBe(200);
});

it('leads from the Source Description to every document and resource, plain and gzipped (RS-DISC-01)', async () => {
  await publish();
  const seen = new Set<string>();
  const waiting = [`${baseUrl}/.well-known/resourcesync`];
  for (let uri = waiting.shift(); uri !== undefined; uri = waiting.shift()) {
    if (seen.has(uri)) continue;
    seen.add(uri);
    const plain = await fetchUri(uri);
    expect([uri, plain.status]).toEqual([uri, 200]);
    expect(plain.headers['content-length']).toBe(String(plain.body.byteLength));
    if (uri.includes('/items/')) continue;
    const gzip = await fetchUri(uri, { 'accept-encoding': 'gzip' });
    expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true);
    expect((await fetchUri(uri, { range: 'bytes=10-19' })).text).toBe(plain.text.slice(10, 20));
    waiting.push(...locsOf(plain.text));
  }
  expect(Array.from(seen).filter((uri) => uri.includes('/items/'))).toHaveLength(1);
  expect(seen).toContain(`${baseUrl}/kyushu/metadata/resourcelist.xml`);
});

it('says of a resource in its headers what the Resource List says of it (RS §7)', async () => {
  const { content } = await publish();
  const list = (await fetchUri(`${baseUrl}/kyushu/resourcelist.xml`)).text;
  const [loc = ''] = locsOf(list);
  const { headers, body } = await fetchUri(loc);
  expect(body.equals(content)).toBe(true);
  expect(list).toContain(`hash="sha-256:${createHash('sha256').update(body).digest('hex')}"`);
  expect(list).toContain(`length="${headers['content-length']}"`);
  expect(list).toContain(`type="${headers['content-type']}"`);
  expect(list).toContain(
    `<lastmod>${new Date(String(headers['last-modified'])).toISOString().replace('.000', '')}<`,
  );
});

it('is ready, and shows on its pages what is published', async () => {
  await publish();
  expect((await fetchUri(`${baseUrl}/readyz`)).status).toBe(200);
  expect((await fetchUri(`${baseUrl}/robots.txt`)).text).toContain(
    `Sitemap: ${baseUrl}/kyushu/resourcelist.xml\n`,
  );
  const about = await fetchUri(`${baseUrl}/kyushu/about`, { accept: 'application/json' });
  expect(JSON.parse(about.text)).toMatchObject({ resources: 1 });
  expect((await fetchUri(`${baseUrl}/`, { accept: 'text/html' })).text).toContain(
    `${baseUrl}/kyushu/changelist.xml`,
  );
  const old = await fetchUri(`${baseUrl}/kyushu/resourcelist/20200101T000000Z/0001.xml`);
  expect([old.status, old.headers.link]).toEqual([
    410,
    `<${baseUrl}/kyushu/resourcelist.xml>; rel="latest-version"`,
  ]);
});

/** How many of our files this process holds open. */
async function openFiles(): Promise<number> {
  const handles = await readdir('/proc/self/fd');
  const targets = await Promise.all(
    handles.map((handle) => readlink(`/proc/self/fd/${handle}`).catch(() => '')),
  );
  return targets.filter((target) => target.startsWith(directory)).length;
}

it.runIf(process.platform === 'linux')(
  'lets go of a document when its reader goes away in the middle',
  async () => {
    const root = publicationRoot(directory);
    const place = join(root, 'kyushu');
    await mkdir(place, { recursive: true });
    const facts = { capability: 'resourcelist', entries: 1, lastModified: now, immutable: false };
    const text = '<urlset>'.repeat(6_250_000);
    const document = await writeDocument(place, 'resourcelist', facts, text);
    const empty = {
      version: formatVersion,
      baseUrl,
      catalogs: [],
      snapshots: [],
      retired: {},
      documents: {},
    };
    await writePointer(root, { ...empty, sets: ['kyushu'] });
    await writePointer(place, { ...empty, documents: { 'kyushu/resourcelist.xml': document } });
    const before = await openFiles();
    const readers = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const response = await request(`${await house.origin()}/kyushu/resourcelist.xml`);
        expect(response.headers['content-length']).toBe('50000000');
        response.body.on('error', () => undefined);
        return response.body;
      }),
    );
    expect(await openFiles()).toBe(before + readers.length);
    for (const reader of readers) reader.destroy();
    await expect.poll(openFiles).toBe(before);
  },
);
