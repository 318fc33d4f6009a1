import { afterEach, beforeEach, expect, test } from 'vitest';
import { jointSets } from '../../../src/core/config/joint-sets.ts';
import { resourceSets } from '../../../src/core/resource-set.ts';
import type { PrivateParts } from '../../../src/server/privacy.ts';
import { hashOf } from '../../../src/store/admin/secret-text.ts';
import { createToken } from '../../../src/store/admin/tokens.ts';
import { takePrivateSets } from '../../../src/store/removal/private-items.ts';
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
const base = 'https://bridge.example.org/rs';
const item = 'oai:repo.example.org:1';
const other = 'oai:repo.example.org:2';

let house: House;

/** As `bridge/state/privacy.ts` makes it of a source `kyushu` that has `sets: { theses: { collections: [theses], access: {} } }`. */
beforeEach(async () => {
  const parts: PrivateParts = { hashes: new Set([hashOf(secret)]), alias: 'kyushu/theses' };
  const divided = ['kyushu'];
  const joint = jointSets({ all: {} }, { kyushu: {} });
  house = await openHouse({
    privacy: {
      names: () => ['kyushu-theses'],
      of: (source) => (source === 'kyushu-theses' ? parts : undefined),
      sourceAt: (path) => (/^kyushu\/sets\/theses(?:\/|$)/.test(path) ? 'kyushu-theses' : undefined),
      divided: () => divided,
    },
    setsOf: (source) => resourceSets(source, { sets: { theses: { collections: ['theses'], access: {} } } }),
    jointSets: () => joint,
    search: { has: () => true },
    admin: dashboard,
  });
  house.sources.push(sourceOverview());
  house.publication.published.push(publishedSet(), publishedSet('kyushu/sets/theses'));
  for (const set of ['kyushu', 'kyushu/sets/theses', 'all', 'kyushu-theses'])
    await house.publication.stage(`${set}/resourcelist.xml`, `<urlset>${set}</urlset>`);
  await seedResource(house.database, { identifier: item, collections: ['theses'] });
  await seedResource(house.database, { identifier: other, collections: ['open'] });
});
afterEach(() => house.close());

const ask = async (path: string, token?: string, method = 'GET') =>
  fetch(`${await house.origin()}/rs${path}`, {
    method,
    redirect: 'manual',
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  });
async function told(answer: Response) {
  const headers = Object.fromEntries(answer.headers);
  for (const name of ['date', 'connection', 'keep-alive', 'vary']) delete headers[name];
  return { status: answer.status, headers, body: await answer.text() };
}
const hide = () => takePrivateSets(house.database, new Map([['kyushu', ['theses']]]), now);

const below = [
  ...['', '/', '/about', '/resourcelist.xml', '/capabilitylist.xml', '/.well-known/resourcesync'],
  ...['/changedump/x.zip', '/none', '/resourcelist.xml?lang=ja', '/%00', '/a//b'],
];
const services = (uri: string) => [
  `/timegate/${uri}`,
  `/memento/20261120080000/${uri}`,
  ...['link', 'json', 'html'].map((form) => `/timemap/${form}/${uri}`),
];
const closed = [
  ...below.map((path) => `/kyushu/sets/theses${path}`),
  '/%6Byushu/sets/theses/resourcelist.xml',
  ...below.map((path) => `/kyushu-theses${path}`),
  `/kyushu-theses/items/${item}`,
  '/kyushu-theses/oai?verb=Identify',
  '/search?source=kyushu-theses',
  ...[
    '/kyushu/sets/theses/resourcelist.xml',
    '/kyushu/sets/theses',
    '/kyushu-theses/resourcelist.xml',
  ].flatMap((path) => services(`${base}${path}`)),
];

test('a private set has one and the same answer at all its addresses for whoever has no token', async () => {
  const first = await told(await ask('/kyushu-theses/about'));
  expect(first).toMatchObject({ status: 401, headers: { 'cache-control': 'private, no-cache' } });
  for (const path of closed) {
    const { status, body } = await told(await ask(path));
    expect([path, status, body]).toEqual([path, 401, first.body]);
    expect([path, (await ask(path, undefined, 'HEAD')).status]).toEqual([path, 401]);
  }
  // What is beside it is for everybody.
  for (const path of ['/kyushu/resourcelist.xml', '/kyushu/about', '/kyushu/sets/thesesque/none.xml'])
    expect([path, (await ask(path)).status]).not.toEqual([path, 401]);
});

test('its items are, for everybody and at every address of the API, as those that were never there', async () => {
  await hide();
  const { paths } = (await (await ask('/api/openapi.json')).json()) as {
    paths: Record<string, { get?: object }>;
  };
  const fill = (path: string, identifier: string) =>
    path
      .replace('{source}', 'kyushu')
      .replace('{item}', identifier)
      .replace('{uri}', `${base}/kyushu/items/${identifier}/oai_dc.xml`)
      .replace('{datetime}', '20261121120000')
      .replace('{format}', 'oai_dc.xml')
      .replace('{spec}', 'theses')
      .replace('{form}', 'link')
      .replace('{page}', '1')
      .replace(/\{[a-z]+\}/gi, 'x');
  const open = Object.entries(paths).filter(([path, { get }]) => get && !path.startsWith('/api/'));
  let answered = 0;
  for (const [path] of open.filter(([path]) => /\{(?:item|uri)\}/.test(path))) {
    for (const token of [undefined, secret]) {
      const answer = await ask(fill(path, item), token);
      expect([path, answer.status < 400 ? 'is answered' : 'is not']).toEqual([path, 'is not']);
      expect(await answer.text(), path).not.toContain('<dc');
    }
    if ((await ask(fill(path, other))).status < 400) answered += 1;
  }
  // These addresses are those of something, where it is for everybody.
  expect(answered).toBeGreaterThanOrEqual(4);
  // Nothing else names it, or what it was in.
  const pages = [
    '/',
    '/about',
    '/kyushu/about',
    '/search',
    '/search?source=kyushu',
    '/robots.txt',
    '/metrics',
  ];
  for (const path of pages) {
    for (const accept of ['text/html', 'application/json']) {
      const answer = await fetch(`${await house.origin()}/rs${path}`, { headers: { accept } });
      expect([path, answer.status]).toEqual([path, 200]);
      expect(await answer.text(), path).not.toMatch(/theses|org(?::|%3A)1\b/);
    }
  }
  for (const path of ['/kyushu/collections/theses', '/search?source=kyushu&collection=theses'])
    expect([path, (await ask(path)).status]).toEqual([path, 404]);
  expect((await ask(`/kyushu/items/${other}/oai_dc.xml`)).status).toBe(200);
});

test('whoever has a token is led from where it would be to where it is', async () => {
  const made = (sets: string[]) =>
    createToken(house.database, { name: 'x', scope: 'content', sets, createdBy: 'test' }, now);
  const [alias, name, elsewhere] = [
    (await made(['kyushu/theses'])).secret,
    (await made(['kyushu-theses'])).secret,
    (await made(['kyushu'])).secret,
  ];
  for (const token of [alias, name, secret]) {
    const led = await ask('/kyushu/sets/theses/resourcelist.xml', token);
    expect([led.status, led.headers.get('location'), led.headers.get('cache-control')]).toEqual([
      308,
      `${base}/kyushu-theses/resourcelist.xml`,
      expect.stringMatching(/^private/),
    ]);
    const list = await ask('/kyushu-theses/resourcelist.xml', token);
    expect([list.status, list.headers.get('cache-control')]).toEqual([
      200,
      expect.stringMatching(/^private/),
    ]);
  }
  expect((await ask('/kyushu-theses/resourcelist.xml', elsewhere)).status).toBe(401);
  expect((await ask('/kyushu/sets/theses/resourcelist.xml', elsewhere)).status).toBe(401);
  // By the API a token can be made by either name.
  const root = (await createToken(house.database, { name: 'y', scope: 'admin', createdBy: 'test' }, now))
    .secret;
  const make = async (set: string) =>
    (
      await fetch(`${await house.origin()}/rs/api/v1/tokens`, {
        method: 'POST',
        headers: { authorization: `Bearer ${root}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'z', scope: 'content', sets: [set] }),
      })
    ).status;
  expect([await make('kyushu/theses'), await make('kyushu/thesis')]).toEqual([201, 400]);
});

test('a Resource List of before is refused until it is written anew, also that of a set across sources', async () => {
  const lists = [
    '/kyushu/resourcelist.xml',
    '/all/resourcelist.xml',
    '/kyushu/resourcelist/20261121T115700Z/0001.xml',
  ];
  await house.publication.stage('kyushu/resourcelist/20261121T115700Z/0001.xml', '<urlset/>');
  await house.publication.stage('kyushu/resourcelist/20261121T120001Z/0001.xml', '<urlset/>');
  const statuses = () => Promise.all(lists.map(async (path) => (await ask(path)).status));
  expect(await statuses()).toEqual([200, 200, 200]);
  await hide();
  expect(await statuses()).toEqual([503, 503, 503]);
  const refused = await ask('/kyushu/resourcelist.xml');
  expect(refused.headers.get('retry-after')).toBe('10');
  const accepted = await fetch(`${await house.origin()}/rs/kyushu/resourcelist.xml`, {
    headers: { accept: 'text/html' },
  });
  expect(accepted.status).toBe(503);
  house.publication.published.length = 0;
  for (const path of ['kyushu', 'all'])
    house.publication.published.push(withList(path, '2026-11-21T12:00:01Z'));
  expect(await statuses()).toEqual([200, 200, 503]);
  expect((await ask('/kyushu/resourcelist/20261121T120001Z/0001.xml')).status).toBe(200);
});

test('lists of a set across sources that may name a private one are refused, also those of an earlier release', async () => {
  const names = ['resourcelist.xml', 'resourcelist/20261121T120001Z/0001.xml', 'changelist.xml'];
  const statuses = async (members?: readonly string[]) => {
    for (const name of [...names, 'capabilitylist.xml']) {
      await house.publication.stage(`all/${name}`, '<urlset/>');
      const document = house.publication.documents.get(`all/${name}`);
      if (document) house.publication.documents.set(document.path, { ...document, named: { members } });
    }
    const answers = [...names, 'capabilitylist.xml'].flatMap((name) => [
      ask(`/all/${name}`),
      ask(`/all/${name}`, undefined, 'HEAD'),
    ]);
    return (await Promise.all(answers)).map(({ status }) => status);
  };
  const [shut, open] = [
    [503, 503],
    [200, 200],
  ];
  expect(await statuses(['kyushu', 'kyushu-theses'])).toEqual([...shut, ...shut, ...shut, ...open]);
  expect(await statuses(undefined)).toEqual([...shut, ...shut, ...shut, ...open]);
  expect(await statuses(['kyushu'])).toEqual([...open, ...open, ...open, ...open]);
});

function withList(path: string, at: string) {
  const list = {
    path: `${path}/resourcelist.xml`,
    ...{ capability: 'resourcelist', entries: 1, bytes: 1, lastModified: at, at },
  };
  return { ...publishedSet(path), documents: [list] };
}
