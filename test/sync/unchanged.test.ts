import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BridgeError } from '../../src/core/errors.ts';
import { openSqliteFile } from '../../src/store/drivers/sqlite-driver.ts';
import { type CopiedChange, NotTaken } from '../../src/sync/sinks/copied-change.ts';
import { ownFolder } from '../../src/sync/state/copy-database.ts';
import {
  capabilityList,
  namespaces,
  resourceList,
  sha256,
  WrittenSource,
} from '../house/resourcesync/written-source.ts';
import { Copy } from '../house/sync/copy.ts';

let source: WrittenSource;
let copy: Copy;

const put = (path: string, body: string) =>
  source.put(path, body, { headers: { etag: `"${sha256(body).slice(8, 24)}"` } });
const entry = (name: string, facts = '') =>
  `<url><loc>${source.origin}/${name}</loc><rs:md ${facts} hash="${sha256(name)}"/></url>`;
const changes = (entries: string) =>
  put(
    '/changes.xml',
    `<urlset ${namespaces}><rs:md capability="changelist" from="2026-11-01T00:00:00Z"/>${entries}</urlset>`,
  );

beforeEach(async () => {
  source = await WrittenSource.open();
  for (const name of ['a', 'b']) put(`/${name}`, name);
  put(
    '/.well-known/resourcesync',
    capabilityList(source.origin, { resourcelist: '/list.xml', changelist: '/changes.xml' }),
  );
  put('/list.xml', resourceList(entry('a'), '2026-11-01T00:00:00Z'));
  changes('');
  copy = new Copy({ origin: source.origin, now: '2026-11-02T00:00:00Z' });
});
afterEach(async () => {
  copy.end();
  await source.close();
});

test('a run of its own that finds nothing new is answered without a body, and a list that grows is read', async () => {
  expect(await copy.sync()).toMatchObject({ copied: { created: 1 } });
  source.turnPage();
  expect(await copy.sync()).toMatchObject({ ways: [{ way: 'incremental' }], isComplete: true });
  expect(source.statuses.length).toBeGreaterThan(0);
  expect(source.statuses.filter((one) => !one.startsWith('304 '))).toEqual([]);
  changes(entry('b', 'change="created" datetime="2026-11-01T12:00:00Z"'));
  source.turnPage();
  expect(await copy.sync()).toMatchObject({ copied: { created: 1 } });
  expect(source.statuses).toContain('200 /changes.xml');
  expect(copy.contents()).toEqual({ a: 'a', b: 'b' });
});

test('the state of a copy of the release before is gone on with', async () => {
  await copy.sync();
  const state = openSqliteFile(join(copy.directory, ownFolder, 'state.db'));
  state.exec('drop table document');
  state.exec('pragma user_version = 2');
  state.close();
  source.turnPage();
  expect(await copy.sync()).toMatchObject({ ways: [{ way: 'incremental' }], held: 1, isComplete: true });
  expect(source.statuses).toContain('200 /changes.xml');
  await copy.sync();
  expect(source.statuses.at(-1)).toBe('304 /changes.xml');
});

test('a list that is the same, and says nothing of its resources, is no reason not to ask for them', async () => {
  const sitemap = (lastmod: string) =>
    put('/sitemap.xml', `<urlset ${namespaces}><url><loc>${source.origin}/a</loc>${lastmod}</url></urlset>`);
  const address = new URL('/sitemap.xml', source.origin);
  sitemap('');
  await copy.sync({ address });
  put('/a', 'another');
  expect(await copy.sync({ address })).toMatchObject({ read: { entries: 1 }, copied: { updated: 1 } });
  expect(await copy.sync({ address })).toMatchObject({ copied: { updated: 0, confirmed: 1, octets: 0 } });
  expect(copy.contents()).toEqual({ a: 'another' });
  // With a time for each, the list tells.
  sitemap('<lastmod>2026-11-01T00:00:00Z</lastmod>');
  await copy.sync({ address });
  expect(await copy.sync({ address })).toMatchObject({ read: { entries: 0 }, copied: { requests: 0 } });
});

describe('the same bytes once more', () => {
  const address = () => new URL('/sitemap.xml', source.origin);
  const told: string[] = [];
  const telling = { tell: async ({ op, loc }: CopiedChange) => void told.push(`${op} ${loc}`), atOnce: 1 };
  beforeEach(() => {
    told.length = 0;
    const large = 'x'.repeat(300_000);
    source.put('/large', large, { type: 'text/plain' });
    source.put('/small', 'small', { type: 'text/plain' });
    const entries = ['small', 'large'].map((name) => `<url><loc>${source.origin}/${name}</loc></url>`);
    source.put('/sitemap.xml', `<urlset ${namespaces}>${entries.join('')}</urlset>`);
  });

  test('are no change, are told to nobody, and put nothing aside', async () => {
    await copy.sync({ address: address() }, { telling });
    expect(told).toHaveLength(2);
    const backup = join(copy.directory, 'kept');
    const report = await copy.sync({ address: address(), backup }, { telling });
    expect(report).toMatchObject({ copied: { requests: 2, updated: 0, confirmed: 2 }, isComplete: true });
    expect(told).toHaveLength(2);
    expect(Object.keys(copy.contents())).toEqual(['large', 'small']);
    source.put('/small', 'other', { type: 'text/plain' });
    await copy.sync({ address: address(), backup }, { telling });
    expect(told.slice(2)).toEqual([`updated ${source.origin}/small`]);
  });

  test('are told where what they changed has not been taken', async () => {
    await copy.sync({ address: address() });
    source.put('/small', 'other', { type: 'text/plain' });
    const refusing = {
      tell: () => Promise.reject(new NotTaken('no')),
      atOnce: 1,
    };
    expect(await copy.sync({ address: address() }, { telling: refusing })).toMatchObject({ left: 1 });
    const gone = {
      tell: () => Promise.reject(new BridgeError('interrupted', 'nobody reads')),
      atOnce: 1,
    };
    await expect(copy.sync({ address: address() }, { telling: gone })).rejects.toThrow('nobody reads');
    expect(await copy.sync({ address: address() }, { telling })).toMatchObject({ left: 0 });
    expect(told).toEqual([`updated ${source.origin}/small`]);
  });

  test('are told where nobody read of them to the end', async () => {
    await copy.sync({ address: address() });
    source.put('/small', 'other', { type: 'text/plain' });
    const gone = {
      tell: () => Promise.reject(new BridgeError('interrupted', 'nobody reads')),
      atOnce: 1,
    };
    await expect(copy.sync({ address: address() }, { telling: gone })).rejects.toThrow('nobody reads');
    await copy.sync({ address: address() }, { telling });
    expect(told).toEqual([`updated ${source.origin}/small`]);
  });
});
