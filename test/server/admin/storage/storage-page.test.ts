import { afterEach, expect, test } from 'vitest';
import type { StorageMeasures } from '../../../../src/server/measures.ts';
import { addAccount, addToken, ask, dashboard, signIn } from '../../../house/server/dashboard.ts';
import { type House, openHouse } from '../../../house/server/fixture.ts';

const measures: StorageMeasures = {
  at: '2026-11-21T11:59:00Z',
  database: { client: 'pg', bytes: 12_000_000, walBytes: undefined, freeBytes: undefined },
  tables: [{ name: 'version', bytes: 8_000_000, rows: 123_456 }],
  items: 1234,
  resources: 5678,
  files: {
    at: '2026-11-21T09:00:00Z',
    complete: false,
    places: [{ place: 'packages', files: 12, bytes: 3_000_000 }],
    sources: [{ name: 'kyushu', files: 7, bytes: 2_000_000 }],
  },
  inBucket: ['files', 'dumps'],
  disks: [{ place: 'data', free: 5e9, total: 2e10 }],
  backupAt: '2026-11-20T12:00:00Z',
  waiting: 4,
};

let house: House;
afterEach(() => house.close());

async function open(storage?: StorageMeasures) {
  const storageOf = storage && { storage: async () => storage };
  house = await openHouse({ admin: dashboard, ...storageOf });
  await addAccount(house);
  const cookie = await signIn(house);
  const authorization = `Bearer ${await addToken(house, 'read')}`;
  return {
    page: async (lang: string) =>
      (await ask(house, `/rs/admin/storage?lang=${lang}`, { headers: { cookie } })).text(),
    api: () => ask(house, '/rs/api/v1/storage', { headers: { authorization } }),
  };
}

test('the page says what is kept where, as of when, and what is an estimate; in both languages', async () => {
  const { page, api } = await open(measures);
  const english = await page('en');
  for (const said of [
    '<dt>Size</dt><dd>12 MB</dd>',
    '<td>the data directory</td><td class="n">5.0 GB</td><td class="n">20 GB</td>',
    'Counted from 2026-11-21 09:00 UTC on, at most every six hours.',
    'There are so many that not all were counted',
    '<td>Packages of dumps</td><td class="n">12</td><td class="n">3.0 MB</td>',
    '<a href="/rs/admin/sources/kyushu">kyushu</a></td><td class="n">7</td>',
    'whose bytes are not counted here (ask it): mirrored files, packages of dumps.',
    '<td class="mono">version</td><td class="n">8.0 MB</td><td class="n">123,456</td>',
    'rows are its estimate',
    '<a href="/rs/admin/activity">4</a>',
    '<a href="/rs/admin/storage">Storage</a>',
  ])
    expect(english).toContain(said);
  expect(english).not.toContain('Write-ahead log');
  const japanese = await page('ja');
  expect(japanese).toContain('ミラーしたファイル、ダンプのパッケージ');
  expect(japanese).toContain('データディレクトリのファイル');
  expect(await (await api()).json()).toEqual(JSON.parse(JSON.stringify(measures)));
});

test('what is not known yet, or not told by the database, is said', async () => {
  const database = { client: 'sqlite', bytes: 2000, walBytes: 1000, freeBytes: 500 } as const;
  const { page } = await open({
    ...measures,
    ...{ database, tables: [], files: undefined, inBucket: [], backupAt: undefined },
  });
  const english = await page('en');
  for (const said of [
    '<dt>Write-ahead log</dt><dd>1.0 kB</dd>',
    'They are being counted. Look again in a while.',
    'SQLite would have to read all of its file',
    'none: <code>rsbridge backup FILE</code>',
  ])
    expect(english).toContain(said);
  expect(english).not.toContain('object storage');
});

test('where nothing is measured, that is said', async () => {
  const { page, api } = await open();
  expect(await page('en')).toContain('Nothing is measured here.');
  expect((await api()).status).toBe(404);
});
