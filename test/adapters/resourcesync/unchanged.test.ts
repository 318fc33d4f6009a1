import { afterEach, beforeEach, expect, test } from 'vitest';
import { Level } from '../../house/chain/level.ts';
import {
  capabilityList,
  namespaces,
  resourceList,
  sha256,
  WrittenSource,
} from '../../house/resourcesync/written-source.ts';

let source: WrittenSource;
let level: Level;

/** With an `ETag` of what it is. */
const put = (path: string, body: string) =>
  source.put(path, body, { headers: { etag: `"${sha256(body).slice(8, 24)}"` } });
const payload = (n: number) => `<dc xmlns="http://purl.org/dc/elements/1.1/">${n}</dc>`;
const entry = (n: number) =>
  `<url><loc>${source.origin}/r/${n}.xml</loc><lastmod>2026-01-01T00:00:00Z</lastmod><rs:md hash="${sha256(payload(n))}" type="application/xml"/></url>`;
const list = (...numbers: number[]) => put('/list.xml', resourceList(numbers.map(entry).join('')));
/** @returns what was asked for, and how it was answered */
const answered = () => {
  const paths = [...source.statuses];
  source.turnPage();
  return paths;
};

beforeEach(async () => {
  source = await WrittenSource.open();
  for (let n = 1; n <= 4; n += 1) put(`/r/${n}.xml`, payload(n));
  list(1, 2, 3);
});
afterEach(async () => {
  await level.close();
  await source.close();
});

async function follow(lists: Readonly<Record<string, string>>): Promise<void> {
  put('/cap.xml', capabilityList(source.origin, lists));
  level = await Level.open('still', { adapter: 'resourcesync', url: `${source.origin}/cap.xml` });
  await level.turn('full');
  answered();
}

const held = async () => (await level.metadata()).size;

test('of lists that are the same nothing is read, and what changes in them is', async () => {
  await follow({ resourcelist: '/list.xml' });
  expect(await level.turn()).toMatchObject({ state: 'succeeded', items: 0, deleted: 0 });
  expect(answered().every((one) => one.startsWith('304 '))).toBe(true);
  list(1, 2, 4);
  expect(await level.turn()).toMatchObject({ state: 'succeeded', created: 1, deleted: 1 });
  expect(answered()).toContain('200 /r/4.xml');
  expect(await level.turn()).toMatchObject({ state: 'succeeded', items: 0 });
  expect(answered().filter((one) => one.startsWith('200 '))).toEqual([]);
});

test('what could not be read is asked for again, though its list is the same', async () => {
  source.put('/r/3.xml', 'busy', { status: 500 });
  await follow({ resourcelist: '/list.xml' });
  expect(await held()).toBe(2);
  put('/r/3.xml', payload(3));
  expect(await level.turn()).toMatchObject({ created: 1 });
  expect(await held()).toBe(3);
});

test('a part of an index that has changed is read, though the index is the same', async () => {
  put(
    '/list.xml',
    `<sitemapindex ${namespaces}><rs:md capability="resourcelist" at="2026-02-01T00:00:00Z"/><sitemap><loc>${source.origin}/1.xml</loc></sitemap></sitemapindex>`,
  );
  put('/1.xml', resourceList(entry(1)));
  await follow({ resourcelist: '/list.xml' });
  put('/1.xml', resourceList(entry(1) + entry(2)));
  expect(await level.turn()).toMatchObject({ created: 1 });
  expect(await held()).toBe(2);
});

test('a Change List that is the same costs an answer without a body, and is read when it grows', async () => {
  const changes = (entries: string) =>
    put(
      '/changes.xml',
      `<urlset ${namespaces}><rs:md capability="changelist" from="2026-02-01T00:00:00Z"/>${entries}</urlset>`,
    );
  changes('');
  await follow({ resourcelist: '/list.xml', changelist: '/changes.xml' });
  expect(await level.turn()).toMatchObject({ state: 'succeeded', items: 0 });
  expect(answered().sort()).toEqual(['304 /cap.xml', '304 /changes.xml']);
  changes(entry(4).replace('<rs:md ', '<rs:md change="created" datetime="2026-02-02T00:00:00Z" '));
  expect(await level.turn()).toMatchObject({ created: 1 });
  expect(answered()).toContain('200 /changes.xml');
  expect(await level.turn()).toMatchObject({ created: 0, updated: 0 });
  expect(answered().sort()).toEqual(['304 /cap.xml', '304 /changes.xml']);
});
