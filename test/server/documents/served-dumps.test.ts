import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { request } from 'undici';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Database } from '../../../src/store/engine/database.ts';
import { openDatabase } from '../../../src/store/engine/database.ts';
import { LivingSource } from '../../house/publish/living-source.ts';
import { baseUrl } from '../../house/publish/seed.ts';
import { readZip } from '../../house/publish/zip-reading.ts';
import { type House, openHouse } from '../../house/server/fixture.ts';
import { migratedSqlite } from '../../house/store/databases.ts';

/** Dumps as a client finds them: offered, listed, downloaded, resumed, and replaced meanwhile. */

let database: Database;
let drop: () => Promise<void>;
let living: LivingSource;
let house: House;

beforeEach(async () => {
  const made = migratedSqlite();
  drop = made.drop;
  database = openDatabase(made.config);
  living = await LivingSource.begin(database);
  const { publication, clock } = living;
  house = await openHouse({ publication, baseUrl, database, clock });
});
afterEach(async () => {
  await house.close();
  await database.close();
  await living.end();
  await drop();
});

async function publish(day: number, records = 3): Promise<void> {
  living.clock.set(`2026-12-0${day}T10:00:00Z`);
  for (let number = 1; number <= records; number += 1) {
    // Such text hardly deflates.
    const text = createHash('shake256', { outputLength: 100_000 }).update(`${day} ${number}`).digest('hex');
    await living.deliver(`record ${number}`, { text });
  }
  const publisher = living.publisher({
    retention: {
      changeListDays: 365,
      changeDumpDays: 90,
      resourceLists: 2,
      resourceDumps: 1,
      archiveDays: false,
    },
  });
  const set = living.set('metadata');
  await publisher.publish(set, { resourceList: 'always', close: true });
  await publisher.publishDumps(set, { resourceDump: 'always' });
}

async function get(uri: string, headers: Record<string, string> = {}) {
  const response = await request((await house.origin()) + uri.slice(baseUrl.length), { headers });
  return {
    status: response.statusCode,
    headers: response.headers,
    body: Buffer.from(await response.body.arrayBuffer()),
  };
}

async function packageOf(name: 'resourcedump' | 'changedump') {
  const { body } = await get(`${baseUrl}/${living.name}/metadata/${name}.xml`);
  const [, uri = ''] = /<loc>([^<]*)<\/loc>/.exec(body.toString()) ?? [];
  const [, hash = ''] = /hash="([^"]*)"/.exec(body.toString()) ?? [];
  const [, length = ''] = /length="([^"]*)"/.exec(body.toString()) ?? [];
  const [, contents = ''] = /rel="contents" href="([^"]*)"/.exec(body.toString()) ?? [];
  return { uri, hash, length: Number(length), contents };
}

it.each(['resourcedump', 'changedump'] as const)(
  'a package of a %s is what the dump says of it (RS-RD-08, RS-RD-10)',
  async (name) => {
    await publish(1);
    const { uri, hash, length, contents } = await packageOf(name);
    const { status, headers, body } = await get(uri, { 'accept-encoding': 'gzip' });
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/zip');
    expect(headers['content-encoding']).toBeUndefined();
    // It may be withdrawn: whoever keeps it is to ask.
    expect(headers['cache-control']).toBe('no-cache');
    expect(Number(headers['content-length'])).toBe(length);
    expect(`sha-256:${createHash('sha256').update(body).digest('hex')}`).toBe(hash);
    const members = await readZip(body);
    expect(members.size).toBe(4);
    expect((await get(contents)).body.equals(members.get('manifest.xml') ?? Buffer.alloc(0))).toBe(true);
  },
);

it('a download that broke off is resumed where it ended, under the same validator', async () => {
  await publish(1);
  const { uri, hash, length } = await packageOf('resourcedump');
  const { headers } = await get(uri);
  const half = Math.floor(length / 2);
  const first = await get(uri, { range: `bytes=0-${half - 1}` });
  const rest = await get(uri, { range: `bytes=${half}-`, 'if-range': String(headers.etag) });
  expect([first.status, rest.status]).toEqual([206, 206]);
  const whole = Buffer.concat([first.body, rest.body]);
  expect(`sha-256:${createHash('sha256').update(whole).digest('hex')}`).toBe(hash);
});

it('who is in the middle of a package when it is replaced finishes it; who comes later is told where to go', async () => {
  await publish(1, 12);
  const { uri, hash } = await packageOf('resourcedump');
  const response = await request((await house.origin()) + uri.slice(baseUrl.length));
  await once(response.body, 'readable');
  await publish(2, 12);
  const digest = createHash('sha256');
  for await (const chunk of response.body) digest.update(chunk as Buffer);
  expect(`sha-256:${digest.digest('hex')}`).toBe(hash);
  const late = await get(uri);
  expect(late.status).toBe(410);
  // A part that the current one never had is another matter.
  const current = (await packageOf('resourcedump')).uri;
  expect((await get(current.replace('0001.zip', '0999.zip'))).status).toBe(404);
  expect(late.headers.link).toContain(`<${baseUrl}/${living.name}/metadata/resourcedump.xml>`);
});

it('who leaves in the middle of a package leaves nothing open', async () => {
  await publish(1, 40);
  const { uri } = await packageOf('resourcedump');
  const openFiles = async () => (await readdir('/proc/self/fd').catch(() => [])).length;
  const before = await openFiles();
  for (let client = 0; client < 20; client += 1) {
    const response = await request((await house.origin()) + uri.slice(baseUrl.length));
    await once(response.body, 'readable');
    response.body.destroy();
    response.body.on('error', () => undefined);
  }
  for (let wait = 0; wait < 100 && (await openFiles()) > before + 5; wait += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  // Some connections may be idle in the client's pool; none of the twenty files is.
  expect(await openFiles()).toBeLessThan(before + 10);
});
