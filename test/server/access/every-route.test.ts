import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ResourceSet, resourceSets } from '../../../src/core/resource-set.ts';
import { pageNames, reservedNames } from '../../../src/core/uris.ts';
import type { PrivateParts } from '../../../src/server/privacy.ts';
import { hashOf } from '../../../src/store/admin/secret-text.ts';
import { createToken, revokeToken } from '../../../src/store/admin/tokens.ts';
import { dashboard } from '../../house/server/dashboard.ts';
import {
  type House,
  now,
  openHouse,
  publishedSet,
  seedResource,
  sourceOverview,
} from '../../house/server/fixture.ts';

const secret = 'a-token-of-the-configuration';
const file = 'https://files.example.net/paper.pdf';
const item = 'oai:repo.example.org:1';

let house: House;
let isPrivate: boolean;
let resource: { path: string; content: Buffer };

beforeEach(async () => {
  isPrivate = true;
  const parts: PrivateParts = { hashes: new Set([hashOf(secret)]) };
  const sets = new Map<string, readonly ResourceSet[]>();
  house = await openHouse({
    // As long as they are the same, an answer may be given again.
    setsOf: (source) => {
      const known =
        sets.get(source) ?? resourceSets(source, { sets: { theses: { collections: ['theses'] } } });
      sets.set(source, known);
      return known;
    },
    privacy: {
      names: () => (isPrivate ? ['kyushu'] : []),
      of: (source) => (isPrivate && source === 'kyushu' ? parts : undefined),
    },
    search: { has: () => true },
    measures: async () => ({
      sources: ['kyushu', 'other'].map((name) => ({
        ...{ name, goodSince: 0, failures: 0, unreadable: 0, vanished: 0 },
        withheld: { refused: 0, gone: 0, atPrivateAddresses: 0 },
        ...{ periodMs: undefined, lastRun: undefined, unpublishedSince: undefined },
      })),
      ...{ queue: [], databaseBytes: undefined, walBytes: undefined, disks: [] },
      alerts: { counted: [], active: [], waiting: 0, backupAt: undefined },
    }),
    upstreamAnswers: () => ['kyushu', 'other'].map((source) => ({ source, answer: '2xx', count: 1 })),
    admin: dashboard,
  });
  house.sources.push(sourceOverview(), sourceOverview({ name: 'other', title: 'Another one' }));
  house.publication.published.push(publishedSet(), publishedSet('kyushu/metadata'), publishedSet('other'));
  await house.publication.stage('kyushu/resourcelist.xml', '<urlset>kyushu</urlset>');
  await house.publication.stage('other/resourcelist.xml', '<urlset>other</urlset>');
  resource = await seedResource(house.database, { collections: ['theses'] });
  await seedResource(house.database, { kind: 'file', name: '1-a.pdf', content: '%PDF' });
});
afterEach(() => house.close());

const base = 'https://bridge.example.org/rs';
const below = [
  ...['', '/', '/about', '/metadata', '/metadata/about', '/sets/x/about', '/sets/none/resourcelist.xml'],
  ...['/resourcelist.xml', '/capabilitylist.xml', '/.well-known/resourcesync', '/changedump/x.zip', '/none'],
  ...[`/items/${item}`, '/items/none', `/items/${item}/oai_dc.xml`, '/items/none/oai_dc.xml'],
  ...[`/items/${item}/files/1-a.pdf`, `/items/${item}/linkset`, `/items/none/linkset.json`],
  ...['aggregation', 'resourcemap.atom', 'resourcemap.jsonld'].map((name) => `/items/${item}/${name}`),
  ...[
    '/patches/1-0123456789abcdef.xml',
    '/oai',
    '/oai/',
    '/oai?verb=Identify',
    '/collections/theses',
    '/collections/none',
    '/%00',
    '/a//b',
    '/..;/x',
  ],
  ...['/about?format=xml', '/collections/theses?after=%20', `/items/${item}?lang=${'x'.repeat(99)}`],
];
const services = (uri: string) => [
  `/timegate/${uri}?lang=ja`,
  `/timemap/html/${uri}?x=y&lang=ja`,
  `/memento/20261120080000/${uri}?lang=ja`,
  `/memento/http:1/${uri}`,
  `/timegate/${uri}`,
  `/memento/20261120080000/${uri}`,
  `/memento/sometime/${uri}`,
  ...['link', 'json', 'html', 'none', 'link/2'].map((form) => `/timemap/${form}/${uri}`),
];
const private_ = [
  ...below.map((path) => `/kyushu${path}`),
  '/%6Byushu/about',
  '/search?source=kyushu',
  '/search?source=kyushu&q=x&year=never',
  '/search?source=other&source=kyushu',
  ...[
    '/kyushu/resourcelist.xml',
    `/kyushu/items/${item}/oai_dc.xml`,
    '/kyushu/items/none/oai_dc.xml',
    '/kyushu',
  ].flatMap((path) => services(`${base}${path}`)),
  ...services(encodeURIComponent(`${base}/kyushu/items/${item}/oai_dc.xml`)),
  ...services(`http://bridge.example.org/rs/kyushu/items/${item}/oai_dc.xml`),
];

const ask = async (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${await house.origin()}/rs${path}`, { method, headers, redirect: 'manual' });
const basic = (name: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
});
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
async function told(answer: Response) {
  const headers = Object.fromEntries(answer.headers);
  for (const name of ['date', 'connection', 'keep-alive']) delete headers[name];
  return { status: answer.status, headers, body: await answer.text() };
}

describe('a private source', () => {
  test('has one and the same answer at all its addresses for whoever has no token', async () => {
    const first = await told(await ask('/kyushu/about'));
    expect(first.status).toBe(401);
    expect(first.headers).toMatchObject({
      'www-authenticate': expect.stringMatching(/^Basic realm=.*, Bearer realm=/),
      'cache-control': 'private, no-cache',
      vary: expect.stringContaining('Authorization'),
      'x-robots-tag': 'noindex',
    });
    expect(JSON.parse(first.body)).toMatchObject({ code: 'token-needed' });
    for (const path of private_)
      expect(await told(await ask(path)), path).toEqual({ ...first, headers: expect.anything() });
    for (const path of private_) {
      const { status, headers, body } = await told(await ask(path, {}, 'HEAD'));
      expect([path, status, body, headers['www-authenticate']]).toEqual([
        path,
        401,
        '',
        first.headers['www-authenticate'],
      ]);
    }
    const form = await fetch(`${await house.origin()}/rs/kyushu/oai`, {
      method: 'POST',
      body: 'verb=Identify',
    });
    expect(form.status).toBe(401);
    // In no field either does an answer tell more than the first one.
    const names = new Set<string>();
    for (const path of private_) for (const name in (await told(await ask(path))).headers) names.add(name);
    expect(
      [...names].filter((name) => !(name in first.headers) && !name.startsWith('access-control')),
    ).toEqual([]);
  });

  test('has that answer at every address of the description of the API, whatever stands in it', async () => {
    const { paths } = (await (await ask('/api/openapi.json')).json()) as {
      paths: Record<string, { get?: { operationId: string; responses: object; security?: object[] } }>;
    };
    let seen = 0;
    for (const [path, { get }] of Object.entries(paths)) {
      if (!get || !/\{(?:source|uri)\}/.test(path) || path.startsWith('/api/')) continue;
      const filled = path
        .replace('{source}', 'kyushu')
        .replace('{uri}', `${base}/kyushu/items/${item}/oai_dc.xml`)
        .replace(/\{[a-z]+\}/g, 'x');
      expect([path, (await ask(filled)).status]).toEqual([path, 401]);
      expect([path, Object.keys(get.responses)]).toEqual([path, expect.arrayContaining(['401', '429'])]);
      expect(get.security).toContainEqual({});
      seen += 1;
    }
    expect(seen).toBeGreaterThan(40);
  });

  test('is in nothing that is for everybody', async () => {
    const pages = [
      '/',
      '/about',
      '/search',
      '/search?q=repo',
      '/robots.txt',
      '/metrics',
      '/readyz',
      '/?page=1',
    ];
    for (const path of pages) {
      for (const accept of ['text/html', 'application/json']) {
        const answer = await ask(path, { accept });
        expect([path, answer.status]).toEqual([path, 200]);
        expect(await answer.text(), path).not.toMatch(/kyushu/i);
      }
    }
    expect(await (await ask('/robots.txt')).text()).toContain('/other/resourcelist.xml');
    const metrics = await (await ask('/metrics')).text();
    expect(metrics).toMatch(/rsbridge_items\{source="other"\}/);
    expect(metrics).toMatch(/rsbridge_upstream_answers_total\{source="other"/);
  });

  test.each([
    ['a bearer', bearer(secret)],
    ['a password with any name', basic('anybody', secret)],
    ['a name without a password', basic(secret, '')],
  ])('is as any other for whoever has a token, sent as %s', async (_, headers) => {
    const answer = await ask(`/kyushu/items/${item}/oai_dc.xml`, headers);
    expect(answer.status).toBe(200);
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(resource.content);
    expect(answer.headers.get('cache-control')).toMatch(/^private, no-cache/);
    expect(answer.headers.get('vary')).toContain('Authorization');
    const etag = answer.headers.get('etag') ?? '';
    const again = await ask(`/kyushu/items/${item}/oai_dc.xml`, { ...headers, 'if-none-match': etag });
    expect([again.status, again.headers.get('cache-control')]).toEqual([
      304,
      expect.stringMatching(/^private, no-cache/),
    ]);
    for (const [path, status] of [
      ['/kyushu/resourcelist.xml', 200],
      [`/kyushu/items/${item}`, 200],
      ['/kyushu/collections/theses', 200],
      ['/kyushu/about', 200],
      ['/kyushu/items/none', 404],
      ['/search?source=kyushu', 200],
      [`/timegate/${base}/kyushu/items/none/oai_dc.xml`, 404],
    ] as const) {
      const one = await ask(path, headers);
      expect([path, one.status, one.headers.get('cache-control')]).toEqual([
        path,
        status,
        expect.stringMatching(/^private, no-cache/),
      ]);
    }
  });

  test('is not given to others again, nor before it became private', async () => {
    const path = `/kyushu/items/${item}/oai_dc.xml`;
    const statuses = async () => [(await ask(path)).status, (await ask('/kyushu/resourcelist.xml')).status];
    isPrivate = false;
    for (let time = 0; time < 4; time += 1) expect(await statuses()).toEqual([200, 200]);
    isPrivate = true;
    expect(await statuses()).toEqual([401, 401]);
    for (let time = 0; time < 4; time += 1) expect((await ask(path, bearer(secret))).status).toBe(200);
    expect(await statuses()).toEqual([401, 401]);
  });

  test('is opened by a token for it, at once, and until it is revoked', async () => {
    const make = (sets: string[], days?: number) =>
      createToken(house.database, { name: 'x', scope: 'content', sets, createdBy: 'test', days }, now);
    const [token, other] = [await make(['kyushu']), await make(['other'])];
    const status = async (one: string) => (await ask('/kyushu/about', bearer(one))).status;
    expect([await status(token.secret), await status(other.secret), await status('rsb_x')]).toEqual([
      200, 401, 401,
    ]);
    expect(await revokeToken(house.database, token.id)).toBe('x');
    expect(await status(token.secret)).toBe(401);
    // It is no token for the dashboard, and one for the dashboard opens nothing.
    expect((await ask('/api/v1/me', bearer(other.secret))).status).toBe(401);
    const acting = await createToken(house.database, { name: 'y', scope: 'admin', createdBy: 'test' }, now);
    expect(await status(acting.secret)).toBe(401);
    const metrics = async (one: string) => (await ask('/metrics', bearer(one))).text();
    expect(await metrics(acting.secret)).toMatch(/source="kyushu"/);
    expect(await metrics(other.secret)).not.toMatch(/kyushu/);
  });

  test('is opened in part by a token for one of its sets: its documents, and what is in it', async () => {
    const links = [{ rel: 'collection', href: 'kyushu/collections/theses' }];
    const inside = await seedResource(house.database, { identifier: 'oai:x:in', links });
    await seedResource(house.database, { identifier: 'oai:x:mixed', links });
    await seedResource(house.database, { identifier: 'oai:x:mixed', format: 'mods' });
    for (const set of ['sets/theses', 'metadata'])
      await house.publication.stage(`kyushu/${set}/resourcelist.xml`, '<urlset/>');
    const sets = ['kyushu/theses'];
    const { secret: token } = await createToken(
      house.database,
      { name: 'x', scope: 'content', sets, createdBy: 'test' },
      now,
    );
    const expected: Record<string, number> = {
      '/kyushu/sets/theses/resourcelist.xml': 200,
      '/kyushu/sets/theses/none.xml': 404,
      '/kyushu/items/oai:x:in/oai_dc.xml': 200,
      '/kyushu/items/oai:x:in': 200,
      '/kyushu/items/oai:x:in/linkset': 200,
      '/kyushu/items/oai:x:mixed/oai_dc.xml': 200,
      '/kyushu/items/oai:x:mixed/mods.xml': 401,
      '/kyushu/items/oai:x:mixed': 401,
      '/kyushu/items/oai:x:mixed/linkset.json': 401,
      '/kyushu/sets/other/resourcelist.xml': 401,
      '/kyushu/metadata/resourcelist.xml': 401,
      '/search?source=kyushu': 401,
    };
    for (const path of private_) expected[path] ??= 401;
    for (const [path, status] of Object.entries(expected))
      expect([path, (await ask(path, bearer(token))).status]).toEqual([path, status]);
    const past = await Promise.all(
      services(`${base}/${inside.path}`).map(async (path) => (await ask(path, bearer(token))).status),
    );
    expect(past).not.toContain(401);
    // Who goes on from there to where it does not reach has guessed nothing.
    expect((await ask(`/${inside.path}`, bearer(token))).status).toBe(200);
    expect((await ask(`/${inside.path}`)).status).toBe(401);
  });

  test('lets nobody try tokens as fast as they can, and no log has one', async () => {
    const statuses = [];
    for (let attempt = 0; attempt < 14; attempt += 1)
      statuses.push((await ask('/kyushu/about', bearer(`wrong-${attempt}`))).status);
    expect(statuses.slice(0, 10)).toEqual(Array(10).fill(401));
    expect(statuses.at(-1)).toBe(429);
    const refused = await ask('/kyushu/about', bearer(secret));
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true]);
    // Who sends none has guessed nothing, and what is for everybody stays so.
    expect((await ask('/kyushu/about')).status).toBe(401);
    expect((await ask('/other/resourcelist.xml', bearer('wrong'))).status).toBe(200);
    expect(JSON.stringify(house.log)).not.toMatch(/wrong-|a-token-of|authorization/i);
    expect(JSON.stringify(await house.database.reader('sign_in_attempt'))).not.toContain('wrong-');
  });

  test('keeps to itself which files elsewhere are its own', async () => {
    await house.database
      .writer('resource')
      .where({ path: resource.path })
      .update({ path: file, kind: 'file' });
    const plain = await told(await ask(`/timemap/link/${file}`));
    const never = await told(await ask(`/timemap/link/${file}x`));
    expect(plain).toEqual(never);
    expect(plain.status).toBe(404);
    expect((await ask(`/timemap/link/${file}`, bearer('wrong'))).status).toBe(404);
    isPrivate = false;
    const known = (await ask(`/timegate/${file}`)).status;
    isPrivate = true;
    expect((await ask(`/timegate/${file}`, bearer(secret))).status).toBe(known);
  });
});

test('no address of ours begins with a name that a new source may have', async () => {
  await house.app.ready();
  const routes = house.app.printRoutes({ commonPrefix: false });
  const names = [...routes.matchAll(/^ {4}[├└]── ([a-z0-9-]+)(?=[/ ])/gm)].map(([, name = '']) => name);
  expect(names).toEqual(expect.arrayContaining(['about', 'admin', 'api', 'metrics', 'search']));
  expect(names.filter((name) => !reservedNames.has(name) && !pageNames.has(name))).toEqual([]);
});
