import type { RouteOptions } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Scope, scopes } from '../../../src/store/admin/scope.ts';
import { addAccount, addToken, ask, dashboard, ownForm, signIn } from '../../house/server/dashboard.ts';
import { type House, openHouse } from '../../house/server/fixture.ts';

/** By which somebody signs in, who cannot be signed in. */
const open = ['getPasswordLink', 'getSignIn', 'signIn', 'usePasswordLink'];

interface Route {
  readonly method: string;
  readonly path: string;
  readonly id: string;
  readonly needs: Scope | undefined;
  readonly acts: boolean;
}

let house: House;
let routes: readonly Route[];
const tokens = new Map<Scope, string>();
let cookie: string;

beforeAll(async () => {
  house = await openHouse({ admin: dashboard });
  const found: Route[] = [];
  house.app.addHook('onRoute', ({ url, method, config }: RouteOptions) => {
    if (!/^\/(?:admin|api\/v1)(?:\/|$)/.test(url)) return;
    const { operationId = '', needs, acts = false } = config ?? {};
    for (const one of [method].flat())
      if (one !== 'HEAD' && one !== 'OPTIONS')
        found.push({ method: one, path: url.replace(/:\w+/g, '1'), id: operationId, needs, acts });
  });
  await house.app.ready();
  routes = found;
  await addAccount(house);
  cookie = await signIn(house);
  for (const scope of scopes) tokens.set(scope, await addToken(house, scope));
});
afterAll(() => house.close());

const status = async ({ method, path }: Route, headers: Record<string, string>) =>
  (await ask(house, `/rs${path}`, { method, headers })).status;

test('every route is known, and what changes something says so', () => {
  expect(routes.length).toBeGreaterThan(60);
  expect(routes.filter(({ id }) => id === '')).toEqual([]);
  expect(routes.filter(({ method, acts }) => (method !== 'GET') !== acts)).toEqual([]);
  expect(
    routes
      .filter(({ needs }) => needs === undefined)
      .map(({ id }) => id)
      .sort(),
  ).toEqual([...open].sort());
});

test('no route answers whoever is not signed in, or has a smaller scope', async () => {
  for (const route of routes) {
    if (route.needs === undefined) continue;
    const isPage = route.method === 'GET' && route.path.startsWith('/admin');
    expect([route.id, await status(route, {})]).toEqual([route.id, isPage ? 303 : 401]);
    const smaller = scopes.slice(0, scopes.indexOf(route.needs));
    for (const scope of smaller)
      expect([
        route.id,
        scope,
        await status(route, { authorization: `Bearer ${tokens.get(scope)}` }),
      ]).toEqual([...[route.id, scope, 403]]);
  }
});

test('nothing acts for a page of another site, nor for one that says nothing', async () => {
  for (const route of routes.filter(({ acts, needs }) => acts && needs !== undefined)) {
    for (const headers of [
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
      { ...ownForm, origin: 'null' },
      {},
    ]) {
      const answer = await ask(house, `/rs${route.path}`, {
        method: route.method,
        headers: { cookie, ...(headers as Record<string, string>) },
      });
      expect([route.id, answer.status, ((await answer.json()) as { code: string }).code]).toEqual([
        ...[route.id, 403, 'cross-site'],
      ]);
    }
  }
});
