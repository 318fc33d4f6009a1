import { request } from 'undici';
import { afterEach, expect, it } from 'vitest';
import { fileAnswer } from '../../house/server/loopback-upstream.ts';
import { base, byRelation, parseLinks } from '../../house/server/past-house.ts';
import { hashOf, openProxiedHouse, type ProxiedHouse } from '../../house/server/proxied-house.ts';

const opened: ProxiedHouse[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

const content = Buffer.from('%PDF-1.7 as it is');
const former = Buffer.from('%PDF-1.4 as it was');
const lastmod = '2026-03-01T00:00:00Z';

/** A file that is handed through, with one version before it in the repository's own history. */
async function open() {
  let status = 200;
  const house = await openProxiedHouse({
    '/file': (asked, response) =>
      status === 200 ? fileAnswer(content)(asked, response) : void response.writeHead(status).end(),
    '/former': fileAnswer(former),
  });
  opened.push(house);
  const address = await house.seed({
    lastmod,
    length: content.length,
    hash: hashOf('sha256', content),
    name: '1-a.pdf',
  });
  const { writer } = house.house.database;
  const path = new URL(address).pathname.slice(1);
  const row = (await writer('resource').where({ path }).first('id', 'source_id', 'item_id')) as {
    id: number;
    source_id: number;
    item_id: number;
  };
  await writer('version').insert({
    source_id: row.source_id,
    resource_id: row.id,
    seq: 1,
    at: lastmod,
    lastmod,
    media_type: 'application/pdf',
    length: content.length,
    hash: hashOf('sha256', content),
    gone: 0,
  });
  await writer('prior_version').insert({
    source_id: row.source_id,
    item_id: row.item_id,
    number: 1,
    at: '2020-01-01T00:00:00Z',
  });
  await writer('prior_representation').insert({
    source_id: row.source_id,
    item_id: row.item_id,
    number: 1,
    kind: 'file',
    format: 'file',
    sequence: 1,
    name: 'a.pdf',
    media_type: 'application/pdf',
    upstream_url: `${house.upstream.origin}/former`,
  });
  const origin = new URL(address).origin;
  const get = async (target: string, headers: Record<string, string> = {}) => {
    const response = await request(`${origin}${target.replace(base, '')}`, { headers });
    const body = Buffer.from(await response.body.arrayBuffer()).toString();
    return { status: response.statusCode, headers: response.headers, body };
  };
  return {
    house,
    uri: `${base}/${path}`,
    get,
    refuse: (code: number) => {
      status = code;
    },
  };
}

it('a file that is handed through links its TimeGate and TimeMap, whose mementos are mementos', async () => {
  const { uri, get } = await open();
  const file = await get(uri);
  const links = parseLinks(String(file.headers.link));
  const [gate, map] = ['timegate', 'timemap'].map((rel) => byRelation(links, rel)[0]?.href ?? '');
  const listed = (await get(map ?? '')).body;
  expect(listed.match(/rel="[a-z ]*memento"/g)).toHaveLength(2);
  for (const [at, bytes, datetime] of [
    ['Sun, 01 Mar 2026 00:00:00 GMT', content, 'Sun, 01 Mar 2026 00:00:00 GMT'],
    ['Wed, 01 Jul 2020 00:00:00 GMT', former, 'Wed, 01 Jan 2020 00:00:00 GMT'],
  ] as const) {
    const led = await get(gate ?? '', { 'accept-datetime': at });
    expect([led.status, led.headers['memento-datetime']]).toEqual([302, undefined]);
    const memento = await get(String(led.headers.location));
    expect([memento.status, memento.body]).toEqual([200, bytes.toString()]);
    expect(memento.headers['memento-datetime']).toBe(datetime);
    // Nobody here answers for its staying the same.
    expect(memento.headers['cache-control']).toBe('no-cache, no-transform');
    expect(byRelation(parseLinks(String(memento.headers.link)), 'original')[0]?.href).toBe(uri);
    const etag = String(memento.headers.etag);
    const again = await get(String(led.headers.location), { 'if-none-match': etag });
    expect([again.status, again.headers['memento-datetime']]).toEqual([304, datetime]);
  }
});

it('what the repository hands out by now is not said to be what it was, nor what it refuses', async () => {
  const { house, uri, get, refuse } = await open();
  const memento = `${base}/memento/20260301000000/${uri}`;
  await house.house.database.writer('version').update({ length: content.length + 1, hash: null });
  const other = await get(memento);
  expect([other.status, other.headers['memento-datetime']]).toEqual([404, undefined]);
  expect((await get(memento, { 'if-none-match': '*' })).status).toBe(404);
  refuse(401);
  expect((await get(memento, { 'if-none-match': '*' })).status).toBe(503);
  const refused = await get(memento);
  expect([refused.status, refused.headers['memento-datetime'], refused.headers['retry-after']]).toEqual([
    503,
    undefined,
    '60',
  ]);
});
