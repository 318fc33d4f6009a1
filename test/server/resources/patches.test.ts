import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SourceItem } from '../../../src/core/adapter.ts';
import { mapItem } from '../../../src/core/mapping/mapping.ts';
import { type Link, patchRelation } from '../../../src/core/resource.ts';
import { listChangedStates } from '../../../src/store/history/resource-states.ts';
import { storePage } from '../../../src/store/pages/store-page.ts';
import { endWithdrawals, enforceWithdrawals, withdraw } from '../../../src/store/removal/withdrawals.ts';
import { parseLinks } from '../../../src/store/rows/representation-columns.ts';
import { acquireLease } from '../../../src/store/runs/leases.ts';
import { startRun } from '../../../src/store/runs/runs.ts';
import { ensureSource } from '../../../src/store/sources/sources.ts';
import { type House, lasting, openHouse } from '../../house/server/fixture.ts';

let house: House;
let patch: Link;
beforeEach(async () => {
  house = await openHouse();
  for (const title of ['old', 'new']) await store(title);
  const row: { links: string } = await house.database.reader('change').where({ seq: 2 }).first('links');
  const link = parseLinks(row.links).find(({ rel }) => rel === patchRelation);
  if (!link) throw new Error('the update has no patch');
  patch = link;
});
afterEach(() => house.close());

async function store(title: string | undefined): Promise<void> {
  const { database } = house;
  const iso = '2026-11-21T10:00:00Z';
  const milliseconds = Date.parse(iso);
  await ensureSource(database, 'kyushu', iso);
  const lease = await acquireLease(database, 'kyushu', milliseconds).catch(() => held);
  if (!lease) throw new Error('somebody else harvests');
  held = lease;
  const { sourceId } = lease;
  const began = { sourceId, mode: 'full', selection: '{}', since: undefined, startedAt: iso } as const;
  const run = await startRun(database.writer, began);
  const content = Buffer.from(`<dc><title>${title}</title><about>${'It stays. '.repeat(50)}</about></dc>`);
  const item: SourceItem = {
    identifier: 'oai:x:1',
    datestamp: undefined,
    collections: [],
    speaksFor: { formats: ['oai_dc'], files: undefined },
    deleted: title === undefined,
    metadata: title === undefined ? [] : [{ format: 'oai_dc', content }],
    files: [],
  };
  const page = { items: [mapItem('kyushu', item)], problems: [], checkpoint: undefined, patches: true };
  await storePage(database, lease, run, page, { iso, milliseconds });
}
let held: Awaited<ReturnType<typeof acquireLease>> | undefined;

/** The patches of an export. */
async function laidOut(): Promise<readonly string[]> {
  const found: string[] = [];
  const all = listChangedStates(house.database.reader, 'kyushu', { afterSeq: 0, seq: 9 });
  for await (const { patches } of all) found.push(...patches.map(({ path }) => path));
  return found;
}

const get = (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
  house.app.inject({ method, url, headers });

describe('a patch', () => {
  it('RS-LN-10: is where the change says, as it says, for ever', async () => {
    const { statusCode, headers, body } = await get(`/${patch.href}`);
    expect(statusCode).toBe(200);
    expect(headers['content-type']).toBe('application/xml-patch+xml');
    expect(headers['content-length']).toBe(String(patch.length));
    expect(headers.etag).toBe(`"${patch.hash?.slice('sha-256:'.length)}"`);
    expect(headers['last-modified']).toBe('Sat, 21 Nov 2026 10:00:00 GMT');
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable, no-transform');
    expect(headers['repr-digest']).toMatch(/^sha-256=:/);
    expect(body).toContain('<p:replace sel="/*/*[1]/text()">new</p:replace>');
    expect((await get(`/${patch.href}`, { range: 'bytes=2-4' })).body).toBe(body.slice(2, 5));
    expect((await get(`/${patch.href}`, { 'if-none-match': String(headers.etag) })).statusCode).toBe(304);
    expect(lasting((await get(`/${patch.href}`, {}, 'HEAD')).headers)).toEqual(lasting(headers));
  });

  it('is never another content that we keep, whoever knows its hash', async () => {
    const blobs: string[] = await house.database.reader('blob').pluck('hash');
    for (const hash of blobs.filter((known) => known !== patch.hash)) {
      for (const seq of [1, 2]) {
        expect((await get(`/kyushu/patches/${seq}-${hash.slice(8, 24)}.xml`)).statusCode).toBe(404);
      }
    }
    const name = patch.href.split('/').at(-1);
    for (const url of [
      `/other/patches/${name}`,
      `/kyushu/patches/0${name}`,
      `/kyushu/patches/${name}/`,
      '/kyushu/patches/2.xml',
      '/kyushu/patches/99999999999999999999-0123456789abcdef.xml',
      '/kyushu/patches/%00',
      '/kyushu/patches/',
    ]) {
      expect((await get(url)).statusCode).toBe(404);
    }
  });

  it('is gone for good with what was withdrawn, and does not come back with it', async () => {
    const { database } = house;
    const now = '2026-11-21T10:00:01Z';
    const target = { source: 'kyushu', identifier: 'oai:x:1', path: undefined };
    await withdraw(database, target, undefined, now);
    if (!held) throw new Error('nothing was stored');
    await enforceWithdrawals(database, held, { iso: now, milliseconds: Date.parse(now) });
    expect((await get(`/${patch.href}`)).statusCode).toBe(410);
    await endWithdrawals(database, [target]);
    await store('new');
    expect((await get('/kyushu/items/oai:x:1/oai_dc.xml')).statusCode).toBe(200);
    expect((await get(`/${patch.href}`)).statusCode).toBe(410);
    expect(await laidOut()).toEqual([]);
  });

  it('comes back with a resource that was only away', async () => {
    await store(undefined);
    await store('new');
    expect((await get(`/${patch.href}`)).statusCode).toBe(200);
    expect(await laidOut()).toEqual([patch.href]);
  });

  it('is gone with its resource, whose content it has', async () => {
    await store(undefined);
    expect((await get(`/${patch.href}`)).statusCode).toBe(410);
  });
});
