import { request } from 'undici';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createClientAddress } from '../../../../src/server/connections/client-address.ts';
import { listActs } from '../../../../src/store/admin/audit.ts';
import { createLink } from '../../../../src/store/admin/links.ts';
import { hashOf } from '../../../../src/store/admin/secret-text.ts';
import {
  addAccount,
  addToken,
  ask,
  cookieOf,
  noActs,
  noInstallation,
  noNewSources,
  noSubscriptions,
  noTakedown,
  ownForm,
  password,
  signIn,
} from '../../../house/server/dashboard.ts';
import { type House, now, openHouse } from '../../../house/server/fixture.ts';

let house: House;
let currentTime = Date.parse(now);

const open = () =>
  openHouse({
    admin: {
      passwordConfigured: false,
      ...{ acts: noActs, newSources: noNewSources, takedown: noTakedown, installation: noInstallation },
      subscriptions: noSubscriptions,
      settings: () => [],
      nameOf: ({ headers }) => (headers['x-proxy-user'] as string | undefined) ?? undefined,
    },
    clock: { now: () => new Date(currentTime) },
    clientOf: createClientAddress(['127.0.0.0/8', '::1']),
  });

beforeEach(async () => {
  currentTime = Date.parse(now);
  house = await open();
});

afterEach(() => house.close());

const elsewhere = { 'x-forwarded-for': '203.0.113.9' };

test('until there is a password, this machine alone is let in', async () => {
  expect((await ask(house, '/rs/admin/sign-in')).status).toBe(200);
  for (const headers of [
    elsewhere,
    { 'x-forwarded-for': '127.0.0.1, 203.0.113.9' },
    { via: '1.1 proxy' },
    { 'x-real-ip': '203.0.113.9' },
  ]) {
    const answer = await ask(house, '/rs/admin/sign-in', { headers });
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([
      403,
      'no-password-yet',
    ]);
  }
  const secret = await createLink(house.database, { account: 'admin', scope: 'admin' }, now);
  expect((await ask(house, `/rs/admin/link?key=${secret}`, { headers: elsewhere })).status).toBe(403);
  const form = { key: secret, password, repeat: password };
  expect((await ask(house, '/rs/admin/link', { form, headers: elsewhere })).status).toBe(403);
  await addAccount(house);
  expect((await ask(house, '/rs/admin/sign-in', { headers: elsewhere })).status).toBe(200);
});

test('the link sets the password once and signs in; looking at it does not use it', async () => {
  const secret = await createLink(house.database, { account: 'admin', scope: 'admin' }, now);
  const path = `/rs/admin/link?key=${secret}`;
  for (const _ of [1, 2]) expect(await (await ask(house, path)).text()).toContain('the account admin, once');
  const set = (form: object) => ask(house, '/rs/admin/link', { form: { key: secret, ...form } });
  expect((await set({ password: 'short', repeat: 'short' })).status).toBe(400);
  expect(await (await set({ password, repeat: `${password}x` })).text()).toContain('not the same');
  const done = await set({ password, repeat: password });
  expect([done.status, done.headers.get('location')]).toEqual([303, '/rs/admin']);
  const cookie = cookieOf(done);
  expect((await ask(house, '/rs/admin/access', { headers: { cookie } })).status).toBe(200);
  expect((await set({ password: 'another one', repeat: 'another one' })).status).toBe(410);
  expect((await ask(house, path)).status).toBe(410);
  expect((await ask(house, '/rs/admin/access', { headers: { cookie: await signIn(house) } })).status).toBe(
    200,
  );
});

test('the session is a cookie that scripts and other sites cannot use, and only its hash is kept', async () => {
  await addAccount(house);
  const form = { name: 'admin', password };
  const https = await ask(house, '/rs/admin/sign-in', { form });
  expect(https.headers.getSetCookie()[0]).toMatch(
    /^rsbridge_session=[\w-]{43}; Path=\/rs; HttpOnly; SameSite=Lax; Secure$/,
  );
  const origin = await house.origin();
  const direct = await ask(house, '/rs/admin/sign-in', { form, headers: { origin } });
  expect(direct.headers.getSetCookie()[0]).toMatch(/; Path=\/rs; HttpOnly; SameSite=Lax$/);
  const secret = cookieOf(https).split('=')[1] ?? '';
  const rows = await house.database.reader('admin_session').pluck('hash');
  expect(rows).toContain(hashOf(secret));
  expect(JSON.stringify([await house.database.reader('admin_session'), house.log])).not.toContain(secret);
  expect(JSON.stringify(house.log)).not.toContain(password);
});

test('pages are not kept, not found by search engines, and run no script', async () => {
  await addAccount(house);
  const cookie = await signIn(house);
  for (const path of ['/rs/admin/sign-in', '/rs/admin/access', '/rs/admin/audit']) {
    const { headers } = await ask(house, path, { headers: path.endsWith('in') ? {} : { cookie } });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-robots-tag')).toBe('noindex, nofollow');
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
    );
    // With `no-referrer` a browser says `Origin: null` of our own forms.
    expect(headers.get('referrer-policy')).toBe('same-origin');
    expect(headers.get('access-control-allow-origin')).toBeNull();
  }
  expect(await (await ask(house, '/rs/robots.txt')).text()).toContain('Disallow: /rs/admin\n');
});

test('a form that is sent after the session has ended leads to the sign-in, which says that nothing was done, and back', async () => {
  await addAccount(house);
  // `fetch` says itself how it was called.
  const send = async (said: Record<string, string>) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', ...said };
    const url = `${await house.origin()}/rs/admin/withdrawals`;
    const {
      statusCode,
      headers: given,
      body,
    } = await request(url, { method: 'POST', headers, body: 'what=1' });
    await body.dump();
    return { status: statusCode, location: String(given.location ?? '') };
  };
  const browser = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate' };
  const led = await send({ ...browser, referer: 'https://bridge.example.org/rs/admin/withdrawals?what=x' });
  const place = `/rs/admin/sign-in?lapsed=1&next=${encodeURIComponent('/withdrawals?what=x')}`;
  expect(led).toEqual({ status: 303, location: place });
  expect(await (await ask(house, place)).text()).toContain('what you sent was not done');
  for (const referer of ['https://bridge.example.org/rs/adminx', 'https://bridge.example.org/', 'x'])
    expect((await send({ ...browser, referer })).location).toMatch(/lapsed=1&next=$/);
  // Programs, and other sites, get no page.
  expect((await send({})).status).toBe(401);
  expect((await send({ ...browser, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
});

test('whoever is not signed in is led to where that is done, and back to the page, never elsewhere', async () => {
  await addAccount(house);
  const led = await ask(house, '/rs/admin/audit?before=7');
  expect([led.status, led.headers.get('location')]).toEqual([
    303,
    `/rs/admin/sign-in?next=${encodeURIComponent('/audit?before=7')}`,
  ]);
  const goOn = async (next: string) =>
    (await ask(house, '/rs/admin/sign-in', { form: { name: 'admin', password, next } })).headers.get(
      'location',
    );
  expect(await goOn('/audit?before=7')).toBe('/rs/admin/audit?before=7');
  for (const next of [
    '//evil.example',
    'https://evil.example/',
    '.evil.example',
    '@evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/../../../x',
    'javascript:alert(1)',
    '/a\r\nset-cookie: a=b',
  ])
    expect(await goOn(next)).toBe('/rs/admin');
});

test('a session that was ended, replayed, expired or made up is none', async () => {
  await addAccount(house);
  const status = async (cookie: string) =>
    (await ask(house, '/rs/admin/audit', { headers: { cookie } })).status;
  const cookie = await signIn(house);
  expect(await status(cookie)).toBe(200);
  expect(await status(`${cookie}; ${cookie.replace(/.$/, 'x')}`)).toBe(303);
  expect(await status(`${cookie.slice(0, -1)}`)).toBe(303);
  expect(await status(`rsbridge_session=${'A'.repeat(43)}`)).toBe(303);
  expect(await status(`rsbridge_session=${hashOf(cookie.split('=')[1] ?? '')}`)).toBe(303);
  const out = await ask(house, '/rs/admin/sign-out', { form: {}, headers: { cookie, ...ownForm } });
  expect([out.status, out.headers.get('clear-site-data')]).toEqual([303, '"cache"']);
  expect(out.headers.getSetCookie()[0]).toContain('Max-Age=0');
  expect(await status(cookie)).toBe(303);
  const second = await signIn(house);
  currentTime += 86_400_000;
  expect(await status(second)).toBe(303);
});

test('signing in begins a new session, and ends the one that the browser brought', async () => {
  await addAccount(house);
  const fixed = await signIn(house);
  const answer = await ask(house, '/rs/admin/sign-in', {
    form: { name: 'admin', password },
    headers: { cookie: fixed, ...ownForm },
  });
  expect(cookieOf(answer)).not.toBe(fixed);
  expect((await ask(house, '/rs/admin/audit', { headers: { cookie: fixed } })).status).toBe(303);
  const planted = `rsbridge_session=${'B'.repeat(43)}`;
  const fresh = cookieOf(
    await ask(house, '/rs/admin/sign-in', {
      form: { name: 'admin', password },
      headers: { cookie: planted },
    }),
  );
  expect(fresh).not.toBe(planted);
  expect((await ask(house, '/rs/admin/audit', { headers: { cookie: planted } })).status).toBe(303);
});

test('a form of another site does nothing', async () => {
  await addAccount(house);
  const cookie = await signIn(house);
  const origin = await house.origin();
  const page = await (await ask(house, '/rs/admin/access', { headers: { cookie } })).text();
  const [, word = ''] = /name="form" value="([^"]+)"/.exec(page) ?? [];
  const make = async (headers: Record<string, string>, more: Record<string, string> = {}) =>
    (
      await ask(house, '/rs/admin/access/tokens', {
        form: { name: 'x', scope: 'admin', ...more },
        headers: { cookie, ...headers },
      })
    ).status;
  expect(await make({ 'sec-fetch-site': 'cross-site' }, { form: word })).toBe(403);
  expect(await make({ 'sec-fetch-site': 'same-site' }, { form: word })).toBe(403);
  expect(await make({ 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' })).toBe(403);
  expect(await make({ origin: 'https://evil.example' }, { form: word })).toBe(403);
  expect(await make({ origin: 'null' }, { form: word })).toBe(403);
  expect(await make({ origin: 'https://bridge.example.org.evil.example' })).toBe(403);
  expect(await make({})).toBe(403);
  expect(await make({}, { form: 'wrong' })).toBe(403);
  expect(await house.database.reader('api_token')).toEqual([]);
  expect(await make({}, { form: word })).toBe(200);
  expect(await make({ origin })).toBe(200);
  expect(await make({ origin: 'https://bridge.example.org' })).toBe(200);
  expect(await make(ownForm)).toBe(200);
  // Nor does it sign anybody in.
  const form = { name: 'admin', password };
  const login = { form, headers: { origin: 'https://evil.example' } };
  expect((await ask(house, '/rs/admin/sign-in', login)).status).toBe(403);
});

test('nothing acts without a session or a token, nor with too small a scope', async () => {
  await addAccount(house);
  await addAccount(house, 'looker', 'read');
  const token = { read: await addToken(house, 'read'), admin: await addToken(house, 'admin') };
  const looker = await signIn(house, 'looker');
  const acts = [
    'access/tokens',
    'access/tokens/revoke',
    'access/sessions/end',
    'access/password',
    'sign-out',
  ];
  for (const act of acts) {
    const answer = await ask(house, `/rs/admin/${act}`, { form: { name: 'x', scope: 'admin', id: '1' } });
    expect([act, answer.status]).toEqual([act, 401]);
  }
  const make = async (headers: Record<string, string>) =>
    (await ask(house, '/rs/admin/access/tokens', { form: { name: 'x', scope: 'admin' }, headers })).status;
  expect(await make({ cookie: looker, ...ownForm })).toBe(403);
  expect(await make({ authorization: `Bearer ${token.read}` })).toBe(403);
  expect(await make({ authorization: `Bearer ${token.admin}x` })).toBe(401);
  // A wrong token is not made good by a session.
  expect(await make({ authorization: 'Bearer rsb_x', cookie: await signIn(house), ...ownForm })).toBe(401);
  expect(await make({ authorization: `Bearer ${token.admin}` })).toBe(200);
  await house.database.writer('api_token').delete();
  expect(await make({ authorization: `Bearer ${token.admin}` })).toBe(401);
  expect((await ask(house, '/rs/admin/audit', { headers: { cookie: looker } })).status).toBe(403);
  for (const method of ['PUT', 'DELETE', 'PATCH'])
    expect((await ask(house, '/rs/admin/access', { method })).status).toBe(405);
  expect((await ask(house, '/rs/', { form: {} })).status).toBe(405);
});

test('who guesses a password has to wait, and is told nothing of which accounts there are', async () => {
  await addAccount(house);
  const guess = (name: string, word: string, address = '203.0.113.9') =>
    ask(house, '/rs/admin/sign-in', {
      form: { name, password: word },
      headers: { 'x-forwarded-for': address },
    });
  const plain = async (answer: Response) => (await answer.text()).replace(/value="[^"]*"/g, '');
  const [known, unknown] = [await guess('admin', 'wrong'), await guess('nobody', 'wrong')];
  expect([known.status, unknown.status]).toEqual([403, 403]);
  expect(await plain(known)).toBe(await plain(unknown));
  for (let attempt = 0; attempt < 4; attempt += 1) await guess('admin', 'wrong');
  const throttled = await guess('admin', password);
  expect([throttled.status, throttled.headers.get('retry-after')]).toEqual([429, '2']);
  expect((await guess('admin', password, '198.51.100.7')).status).toBe(429);
  currentTime += 2000;
  expect((await guess('admin', password)).status).toBe(303);
  const acts = await listActs(house.database.reader, { limit: 2 });
  expect(acts.map(({ who, action, address }) => [who, action, address])).toEqual([
    ['admin', 'signed in', '203.0.113.9'],
    ['admin', 'failed to sign in', '203.0.113.9'],
  ]);
});

test('bodies are small, of one kind, and may have any names', async () => {
  await addAccount(house);
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const send = (body: string, more = {}) =>
    ask(house, '/rs/admin/sign-in', { method: 'POST', body, headers: { ...headers, ...more } });
  expect((await send(`name=admin&password=${'x'.repeat(70_000)}`)).status).toBe(413);
  expect((await send('&a'.repeat(3000))).status).toBe(400);
  expect((await send('{}', { 'content-type': 'application/json' })).status).toBe(415);
  expect((await send('{}', { 'content-type': 'text/plain' })).status).toBe(415);
  expect((await send('__proto__=1&constructor=2&name=admin&password=x')).status).toBe(403);
  const name = '"><script>alert(1)</script>';
  const answer = await send(new URLSearchParams({ name, password: 'x' }).toString());
  expect(await answer.text()).not.toContain('<script');
});

test('a changed password ends every other session', async () => {
  await addAccount(house);
  const [mine, other] = [await signIn(house), await signIn(house)];
  const change = (current: string) =>
    ask(house, '/rs/admin/access/password', {
      form: { current, password: 'quite another', repeat: 'quite another' },
      headers: { cookie: mine, ...ownForm },
    });
  expect((await change('wrong')).status).toBe(400);
  const done = await change(password);
  expect(done.status).toBe(303);
  for (const cookie of [mine, other])
    expect((await ask(house, '/rs/admin/access', { headers: { cookie } })).status).toBe(303);
  expect((await ask(house, '/rs/admin/access', { headers: { cookie: cookieOf(done) } })).status).toBe(200);
});

test('a proxy that signs people in is believed, as far as there is an account, and its forms are checked, too', async () => {
  await addAccount(house, 'alice', 'admin');
  const by = (name: string) => ({ 'x-proxy-user': name });
  expect((await ask(house, '/rs/admin/audit', { headers: by('alice') })).status).toBe(200);
  expect((await ask(house, '/rs/admin/audit', { headers: by('mallory') })).status).toBe(303);
  const make = async (headers: Record<string, string>) =>
    (await ask(house, '/rs/admin/access/tokens', { form: { name: 'x', scope: 'read' }, headers })).status;
  expect(await make(by('alice'))).toBe(403);
  expect(await make({ ...by('alice'), origin: 'https://evil.example' })).toBe(403);
  expect(await make({ ...by('alice'), ...ownForm })).toBe(200);
});

test('the pages speak Japanese to those who read it', async () => {
  const japanese = await ask(house, '/rs/admin/sign-in', { headers: { 'accept-language': 'ja,en;q=0.8' } });
  expect(japanese.headers.get('content-language')).toBe('ja');
  expect(await japanese.text()).toContain('<html lang="ja">');
  const chosen = await ask(house, '/rs/admin/sign-in?lang=en', { headers: { 'accept-language': 'ja' } });
  expect(await chosen.text()).toContain('<html lang="en">');
});
