import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { listActs } from '../../../src/store/admin/audit.ts';
import { addAccount, addToken, ask, ownForm, signIn } from '../../house/server/dashboard.ts';
import { type SampleService, startSampleService } from '../../house/server/sample-service.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let service: SampleService;
let cookie: string;
let token: string;
const house = { origin: async () => service.base };

beforeAll(async () => {
  service = await startSampleService('', { files: { mode: 'none' } });
  await addAccount(service.bridge);
  cookie = await signIn(house, 'admin', '');
  token = await addToken(service.bridge, 'admin');
});
afterAll(() => service?.close());

const page = async (path: string, more: Record<string, string> = {}) =>
  (await ask(house, path, { headers: { cookie, ...more } })).text();
const post = (path: string, form: Record<string, string>) =>
  ask(house, path, { form, headers: { cookie, ...ownForm } });

async function api(path: string, body?: object) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const method = body ? 'POST' : 'GET';
  const answer = await fetch(`${service.base}/api/v1${path}`, {
    ...{ method, headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  const json = (await answer.json()) as { tasks: number[]; withdrawals: object[] };
  return { status: answer.status, headers: answer.headers, json };
}

/** Of an item, by its place. */
async function item(place: number) {
  const { reader } = service.bridge.database;
  const { id, identifier } = await reader('item').orderBy('id').offset(place).first('id', 'identifier');
  const resources: { path: string }[] = await reader('resource').where({ item_id: id }).select('path');
  const [first = ''] = resources.map(({ path }) => `${service.base}/${path}`);
  return { identifier, address: first, count: resources.length };
}

const status = async (address: string) => (await fetch(address)).status;

test('an item is shown, taken down with a reason, and published again, on the dashboard', async () => {
  const { identifier, address, count } = await item(0);
  expect(await page('/admin/withdrawals')).toContain('Nothing is taken down.');
  const shown = await page(`/admin/withdrawals?what=${encodeURIComponent(identifier)}`);
  expect(shown).toContain(`Addresses that would answer 410: ${count}`);
  expect(shown).toContain(address);
  expect(await status(address)).toBe(200);

  const done = await post('/admin/withdrawals', { what: identifier, reason: 'asked by <the author>' });
  expect([done.status, done.headers.get('location')]).toEqual([303, '/admin/withdrawals?done=withdrawn']);
  expect(await status(address)).toBe(410);
  const list = await page('/admin/withdrawals?done=withdrawn');
  expect(list).toContain('asked by &lt;the author&gt;');
  expect(list).toContain('Taken down.');
  expect(await page('/admin/withdrawals', { 'accept-language': 'ja' })).toContain('公開を再開する');
  const { reader } = service.bridge.database;
  expect((await listActs(reader, { limit: 1 }))[0]).toMatchObject({ who: 'admin', action: 'withdrew' });

  // What it is called, and what the page gives back: the same thing.
  const uri = /name="what" value="([^"]+)"><button>Publish again/.exec(list)?.[1] ?? '';
  const back = await post('/admin/withdrawals/end', { what: uri });
  expect([back.status, back.headers.get('location')]).toEqual([
    303,
    expect.stringMatching(/^\/admin\/tasks\/\d+$/),
  ]);
  await vi.waitFor(async () => expect(await status(address)).toBe(200), { timeout: 30_000, interval: 200 });
  expect(await page('/admin/withdrawals')).toContain('Nothing is taken down.');
});

test('what nobody knows, and what is taken down already, is said where it was typed', async () => {
  const answer = await ask(house, '/admin/withdrawals?what=%3Cscript%3E', { headers: { cookie } });
  const text = await answer.text();
  expect(answer.status).toBe(404);
  expect(text).toContain('value="&lt;script&gt;"');
  expect(text).toContain('unknown-resource');
  const { identifier } = await item(1);
  await post('/admin/withdrawals', { what: identifier, reason: '' });
  const again = await ask(house, `/admin/withdrawals?what=${identifier}`, { headers: { cookie } });
  expect([again.status, (await again.text()).includes('already-withdrawn')]).toEqual([409, true]);
  expect((await post('/admin/withdrawals', { what: identifier })).status).toBe(409);
  expect((await post('/admin/withdrawals/end', { what: identifier })).status).toBe(303);
});

test('programs do the same', async () => {
  const { address, identifier } = await item(2);
  const dry = await api('/withdrawals', { what: address, dryRun: true });
  expect(dry).toMatchObject({ status: 200, json: { uri: address, identifier, resources: [address] } });
  expect(await status(address)).toBe(200);
  const done = await api('/withdrawals', { what: address, reason: 'test' });
  expect(done).toMatchObject({ status: 200, json: { uri: address, announced: true } });
  expect(await status(address)).toBe(410);
  const { json } = await api('/withdrawals');
  expect(json.withdrawals).toContainEqual(
    expect.objectContaining({ uri: address, identifier, reason: 'test' }),
  );
  expect(await api('/withdrawals', { what: address })).toMatchObject({
    status: 409,
    json: { code: 'already-withdrawn' },
  });
  expect(await api('/withdrawals', { what: 'oai:nowhere:1' })).toMatchObject({ status: 404 });
  expect(await api('/withdrawals', {})).toMatchObject({ status: 400 });
  const back = await api('/withdrawals/end', { what: address });
  expect(back).toMatchObject({ status: 202, json: { restored: [address] } });
  const task = back.headers.get('location') ?? '';
  expect(task).toBe(`${service.base}/api/v1/tasks/${back.json.tasks[0]}`);
  await vi.waitFor(async () => expect(await status(address)).toBe(200), { timeout: 30_000, interval: 200 });
  expect(await api('/withdrawals/end', { what: address })).toMatchObject({
    status: 409,
    json: { code: 'not-withdrawn' },
  });
});

test('what is withdrawn where it never was is restored by the address that it is told at, with what it goes with', async () => {
  const { database } = service.bridge;
  const { identifier, address } = await item(1);
  await database.writer('private_part').insert({ part: 'sample-closed', source: 'sample' });
  expect((await api('/withdrawals', { what: address })).status).toBe(200);
  const told = address.replace('/sample/', '/sample-closed/');
  const paths = async () => {
    const rows: { path: string }[] = await database.reader('withdrawal').where({ identifier }).select('path');
    return rows.map(({ path }) => `${service.base}/${path}`).sort();
  };
  expect(await paths()).toEqual([told, address].sort());
  const ended = await api('/withdrawals/end', { what: told });
  // Only where it can be: a source of that name there is not.
  expect([ended.status, ended.json.tasks.length]).toEqual([202, 1]);
  expect(await paths()).toEqual([]);
  await vi.waitFor(async () => expect(await status(address)).toBe(200), { timeout: 30_000, interval: 200 });
  await database.writer('private_part').delete();
});

test('the list goes on from page to page, for programs and for people', async () => {
  for (const place of [3, 4]) await api('/withdrawals', { what: (await item(place)).identifier });
  const first = await api('/withdrawals?limit=1');
  expect(first.json.withdrawals).toMatchObject([{ identifier: (await item(4)).identifier }]);
  const [, next = ''] = /<[^>]*\/api\/v1([^>]*)>; rel="next"/.exec(first.headers.get('link') ?? '') ?? [];
  const second = await api(next);
  expect(second.json.withdrawals).toMatchObject([{ identifier: (await item(3)).identifier }]);
  const [{ id }] = second.json.withdrawals as unknown as [{ id: number }];
  const earlier = await page(`/admin/withdrawals?before=${id}`);
  expect(earlier).toContain('Nothing is taken down.');
  expect(await page('/admin/withdrawals?before=x')).toContain((await item(3)).identifier);
});
