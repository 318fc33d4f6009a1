import { afterEach, beforeEach, expect, test } from 'vitest';
import { findAccount, listAccounts } from '../../../../src/store/admin/accounts.ts';
import { listActs } from '../../../../src/store/admin/audit.ts';
import { findLink } from '../../../../src/store/admin/links.ts';
import {
  addAccount,
  addToken,
  ask,
  cookieOf,
  dashboard,
  ownForm,
  password,
  signIn,
} from '../../../house/server/dashboard.ts';
import { type House, now, openHouse } from '../../../house/server/fixture.ts';

let house: House;
let cookie: string;
let token: string;
let done: string[];

beforeEach(async () => {
  done = [];
  const installation = {
    ...dashboard.installation,
    publish: async (what: string) => void done.push(`publish ${what}`),
    reload: async () => void done.push('reload'),
  };
  house = await openHouse({ admin: { ...dashboard, installation } });
  await addAccount(house);
  await addAccount(house, 'hanako', 'run');
  cookie = await signIn(house);
  token = await addToken(house, 'admin');
});
afterEach(() => house.close());

const post = (path: string, form: Record<string, string>, own = cookie) =>
  ask(house, `/rs/admin${path}`, { form, headers: { cookie: own, ...ownForm } });
async function api(method: string, path: string, body?: object, bearer = token) {
  const answer = await ask(house, `/rs/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${bearer}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, json: text === '' ? undefined : JSON.parse(text) };
}
const keyOf = (text: string) => /admin\/link\?key=([\w-]{43})/.exec(text)?.[1] ?? '';

test('a link to an account is made in the dashboard, shown once, and somebody signs in by it', async () => {
  const page = await (await post('/access/links', { account: 'taro', scope: 'run' })).text();
  expect(page).toContain('The link for taro.');
  const key = keyOf(page);
  expect(await findLink(house.database.reader, key, now)).toEqual({ account: 'taro', scope: 'run' });
  const again = await (await ask(house, '/rs/admin/access', { headers: { cookie } })).text();
  expect(again).not.toContain(key);
  const set = await ask(house, '/rs/admin/link', {
    form: { key, password, repeat: password },
    headers: ownForm,
  });
  expect(set.status).toBe(303);
  const me = await ask(house, '/rs/api/v1/me', { headers: { cookie: cookieOf(set) } });
  expect(await me.json()).toEqual({ who: 'taro', scope: 'run' });
  // Of an account that there is, it leaves the scope as it was.
  const known = await (await post('/access/links', { account: 'hanako', scope: '' })).text();
  expect(await findLink(house.database.reader, keyOf(known), now)).toMatchObject({ scope: 'run' });
  expect((await post('/access/links', { account: '../x', scope: '' })).status).toBe(400);
});

test('an account is removed, and whoever is signed in with it is not any more; nobody removes their own', async () => {
  const hers = await signIn(house, 'hanako');
  expect((await post('/access/accounts/remove', { account: 'admin' })).status).toBe(409);
  expect((await post('/access/accounts/remove', { account: 'hanako' }, hers)).status).toBe(403);
  expect((await post('/access/accounts/remove', { account: 'hanako' })).status).toBe(303);
  expect((await ask(house, '/rs/api/v1/me', { headers: { cookie: hers } })).status).toBe(401);
  expect((await listAccounts(house.database.reader)).map(({ name }) => name)).toEqual(['admin']);
  expect((await listActs(house.database.reader, { limit: 1 }))[0]).toMatchObject({
    ...{ who: 'admin', action: 'removed an account', what: 'hanako' },
  });
});

test('programs do the same with accounts and sessions', async () => {
  const hers = await signIn(house, 'hanako');
  const { accounts } = (await api('GET', '/accounts')).json;
  expect(accounts).toEqual([
    { name: 'admin', scope: 'admin', changedAt: now },
    { name: 'hanako', scope: 'run', changedAt: now },
  ]);
  const made = await api('POST', '/links', { account: 'taro' });
  expect([made.status, made.json.scope]).toEqual([201, 'read']);
  expect(await findLink(house.database.reader, keyOf(made.json.link), now)).toMatchObject({
    account: 'taro',
  });
  expect((await api('POST', '/links', { account: '' })).status).toBe(400);
  expect((await api('POST', '/links', { account: 'a b' })).json.code).toBe('usage');
  const { sessions } = (await api('GET', '/sessions')).json;
  const one = sessions.find(({ account }: { account: string }) => account === 'hanako');
  expect(JSON.stringify(sessions)).not.toContain(hers.split('=')[1]);
  expect((await api('DELETE', `/sessions/${one.session}`)).status).toBe(204);
  expect((await api('DELETE', `/sessions/${one.session}`)).status).toBe(404);
  expect((await ask(house, '/rs/api/v1/me', { headers: { cookie: hers } })).status).toBe(401);
  expect((await api('DELETE', '/accounts/hanako')).status).toBe(204);
  expect((await api('DELETE', '/accounts/hanako')).status).toBe(404);
  expect(await findAccount(house.database.reader, 'hanako')).toBeUndefined();
});

test('everything is published anew, and the configuration read again, by form and by API', async () => {
  const place = (answer: Response) => [answer.status, answer.headers.get('location')];
  expect(place(await post('/publish', { what: 'lists' }))).toEqual([303, '/rs/admin/activity']);
  expect((await post('/publish', { what: 'everything' })).status).toBe(400);
  expect(place(await post('/reload', {}))).toEqual([303, '/rs/admin/settings?done=reload']);
  const said = await ask(house, '/rs/admin/settings?done=reload', { headers: { cookie } });
  expect(await said.text()).toContain('All processes read their configuration again');
  const published = await api('POST', '/publish', { what: 'dumps' });
  expect([published.status, published.headers.get('location')]).toEqual([
    202,
    'https://bridge.example.org/rs/api/v1/activity',
  ]);
  expect((await api('POST', '/publish', { what: 'x' })).status).toBe(400);
  const run = await addToken(house, 'run');
  expect((await api('POST', '/reload', undefined, run)).status).toBe(403);
  expect((await api('POST', '/reload')).status).toBe(204);
  expect(done).toEqual(['publish lists', 'reload', 'publish dumps', 'reload']);
});

test('the only account that manages others keeps that, and is not removed by a token', async () => {
  const answer = await post('/access/links', { account: 'admin', scope: 'read' });
  expect(answer.status).toBe(409);
  expect(await answer.text()).toContain('the only account with the scope admin');
  expect(await api('POST', '/links', { account: 'admin', scope: 'run' })).toMatchObject({ status: 409 });
  expect(await api('DELETE', '/accounts/admin')).toMatchObject({ status: 409 });
  // A new password is no harm, and nor is another scope where somebody else manages.
  expect(await api('POST', '/links', { account: 'admin' })).toMatchObject({ status: 201 });
  await addAccount(house, 'jiro', 'admin');
  expect(await api('POST', '/links', { account: 'admin', scope: 'read' })).toMatchObject({ status: 201 });
});
