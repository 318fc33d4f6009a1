import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Bridge, openBridge } from '../../../src/bridge/bridge.ts';
import { createLog } from '../../../src/bridge/log.ts';
import { type Service, startService } from '../../../src/bridge/service.ts';
import { systemClock } from '../../../src/bridge/system-clock.ts';
import { parseConfig } from '../../../src/core/config/config.ts';
import { createSampleRepository, type SampleRepository } from '../../../src/demo/sample-repository.ts';
import { listActs } from '../../../src/store/admin/audit.ts';
import { listDue } from '../../../src/store/runs/due.ts';
import { readPauses } from '../../../src/store/sources/pauses.ts';
import { findSource } from '../../../src/store/sources/sources.ts';
import { addAccount, addToken, ask, ownForm, signIn } from '../../house/server/dashboard.ts';
import { placeMigrated } from '../../house/store/databases.ts';

const directory = mkdtempSync(join(tmpdir(), 'rsbridge-dashboard-'));
const ended = new AbortController();
let repository: SampleRepository;
let bridge: Bridge;
let service: Service;
let cookie: string;
const house = { origin: async () => `http://127.0.0.1:${service.address.port}` };

beforeAll(async () => {
  repository = createSampleRepository({ clock: systemClock, records: 80 });
  const { url } = await repository.listen(0);
  const never = { url, schedule: false, fullPass: false, identifierPass: false };
  const others = Array.from({ length: 60 }, (_, index) => [`other-${String(index).padStart(2, '0')}`, never]);
  const config = parseConfig({
    database: { client: 'sqlite', file: placeMigrated(join(directory, 'test.db')) },
    directory,
    adminPassword: 'in-the-configuration',
    title: 'A house',
    sources: { sample: { ...never, headers: { 'X-Key': 'quite-secret' } }, ...Object.fromEntries(others) },
  });
  bridge = await openBridge(config, createLog('silent', process.stderr), 'migrate');
  const { signal } = ended;
  service = await startService(bridge, { host: '127.0.0.1', port: 0 }, { stop: signal, abort: signal });
  await addAccount(bridge);
  await addAccount(bridge, 'looker', 'read');
  cookie = await signIn(house, 'admin', '');
}, 120_000);

afterAll(async () => {
  ended.abort();
  await service?.close();
  await bridge?.close();
  await repository?.close();
  rmSync(directory, { recursive: true, force: true });
});

const page = async (path: string, more: Record<string, string> = {}) =>
  (await ask(house, path, { headers: { cookie, ...more } })).text();
const act = (form: Record<string, string>, path = '/admin/sources/act') =>
  ask(house, path, { form, headers: { cookie, ...ownForm } });
const pauses = () => readPauses(bridge.database.reader, '2026-01-01T00:00:00Z');
/** Asked again until it is so; the time of the test ends it. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 100));
}

test('a source is read when somebody says so, and its runs are told', async () => {
  const answer = await act({ act: 'harvest', source: 'sample', confirmed: '1', back: 'source' });
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/admin/sources/sample']);
  await until(async () => (await findSource(bridge.database.reader, 'sample'))?.firstPassSeq !== undefined);
  const html = await page('/admin/sources/sample');
  expect(html).toContain('<dt>Protocol</dt><dd>OAI-PMH 2.0</dd>');
  expect(html).toMatch(/<tr id="run-\d+">/);
  expect(html).toContain('Settings in force');
  expect(html).not.toContain('quite-secret');
  expect((await listActs(bridge.database.reader, { limit: 1 }))[0]).toMatchObject({
    who: 'admin',
    action: 'harvest',
    what: 'sample',
  });
}, 60_000);

test('the table has fifty sources on a page, those with problems first, and can be searched', async () => {
  const first = await page('/admin?sort=name');
  expect(first.match(/<td><input type="checkbox"/g)).toHaveLength(50);
  expect(first).toContain('after=other-49');
  const second = await page('/admin?sort=name&after=other-49');
  expect(second.match(/<td><input type="checkbox"/g)).toHaveLength(11);
  expect(second).not.toContain('rel="next"');
  expect((await page('/admin?q=other-1')).match(/<td><input type="checkbox"/g)).toHaveLength(10);
  expect(await page('/admin?q=%3Cscript%3E')).toContain('value="&lt;script&gt;"');
  expect(await page('/admin?state=failed')).toContain('No source is like that.');
  expect(await page('/admin', { 'accept-language': 'ja' })).toContain('問題のあるものから');
  expect((await ask(house, '/admin?after=gone&sort=x&state=y', { headers: { cookie } })).status).toBe(200);
});

test('several sources are paused after it was said how many they are, and read again', async () => {
  const chosen = { act: 'pause', filter: 'q=other-0', all: '1' };
  const asked = await (await act(chosen)).text();
  expect(asked).toContain('Pause: 10 sources. Is that meant?');
  expect((await pauses()).size).toBe(0);
  // As many as were said before, and no others.
  expect(await (await act({ ...chosen, confirmed: '9' })).text()).toContain('Is that meant?');
  const done = await act({ ...chosen, confirmed: '10', until: '2099-12-01', reason: 'moves <house>' });
  expect([done.status, done.headers.get('location')]).toEqual([303, '/admin?q=other-0']);
  expect((await pauses()).size).toBe(10);
  expect((await pauses()).get('other-03')).toMatchObject({
    until: '2099-12-01T00:00:00Z',
    reason: 'moves <house>',
  });
  const html = await page('/admin/sources/other-03');
  expect(html).toContain('moves &lt;house&gt;');
  expect(await page('/admin?state=paused')).toContain('other-03');
  await act({ act: 'resume', source: 'other-03', confirmed: '1' });
  expect((await pauses()).has('other-03')).toBe(false);
  await act({ ...chosen, act: 'resume', confirmed: '10' });
  expect((await pauses()).size).toBe(0);
});

test('a refusal is told in the language of whoever reads it', async () => {
  const headers = { cookie, ...ownForm, accept: 'text/html', 'accept-language': 'ja' };
  const refused = async (path: string, form: Record<string, string>) =>
    (await ask(house, path, { form, headers })).text();
  const pause = { act: 'pause', source: 'sample', confirmed: '1', until: '来週' };
  const again = await refused('/admin/sources/act', { ...pause, reason: '引っ越し', back: 'source' });
  expect(again).toContain('role="alert" id="trouble">「来週」は日時として読み取れません。');
  // What was typed is there to be mended.
  for (const [name, value] of Object.entries({ until: '来週', reason: '引っ越し', back: 'source' }))
    expect(again).toMatch(new RegExp(`name="${name}"[^>]* value="${value}"`));
  const add = await refused('/admin/sources/add', { address: 'http://[' });
  expect(add).toContain('role="alert">「http://[」は Web のアドレスではありません</p>');
  const unknown = await page('/admin/withdrawals?what=oai:nowhere:1', { 'accept-language': 'ja' });
  expect(unknown).toContain('「oai:nowhere:1」というアイテムやリソースはありません。');
  for (const html of [add, unknown]) expect(html).not.toContain('<span lang="en">');
});

test('what cannot be done is refused, and changes nothing', async () => {
  const status = async (form: Record<string, string>) => (await act(form)).status;
  expect(await status({ act: 'pause', source: 'nobody', confirmed: '1' })).toBe(404);
  expect(await status({ act: 'pause', source: 'sample', confirmed: '1', until: 'sometime' })).toBe(400);
  expect(await status({ act: 'pause', source: 'sample', confirmed: '1', until: '1999-01-01' })).toBe(400);
  expect(await status({ act: 'remove', source: 'sample', confirmed: '1' })).toBe(400);
  expect(await status({ act: 'pause', source: '', confirmed: '0' })).toBe(400);
  expect((await ask(house, '/admin/sources/nobody', { headers: { cookie } })).status).toBe(404);
  expect((await ask(house, '/admin/sources/nobody/problems', { headers: { cookie } })).status).toBe(404);
  expect((await ask(house, '/admin/tasks/999999', { headers: { cookie } })).status).toBe(404);
  expect((await pauses()).size).toBe(0);
  const looker = await signIn(house, 'looker', '');
  const headers = { cookie: looker, ...ownForm };
  const form = { act: 'pause', source: 'sample', confirmed: '1' };
  expect((await ask(house, '/admin/sources/act', { form, headers })).status).toBe(403);
  expect(await (await ask(house, '/admin', { headers: { cookie: looker } })).text()).not.toContain(
    '<button name="act"',
  );
  expect((await pauses()).size).toBe(0);
});

test('what was missing is kept when a person says so, and deleted when a person says that', async () => {
  const { database } = bridge;
  const stored = await findSource(database.reader, 'sample');
  const [resource] = await database
    .reader('resource')
    .where({ source_id: stored?.id, kind: 'metadata' })
    .limit(1);
  const missing = () =>
    database.writer('vanished').insert({
      ...{ resource_id: resource.id, source_id: resource.source_id, item_id: resource.item_id },
      ...{ run_id: 999, pass: 'full', at: '2026-11-23T00:00:00Z', first_at: '2026-11-23T00:00:00Z' },
    });
  await missing();
  expect(await page('/admin/sources/sample')).toContain(
    'Run 999 did not find 1 item. It is still published.',
  );
  const decide = (form: Record<string, string>) => act(form, '/admin/sources/sample/vanished');
  expect((await decide({ decision: 'reject', run: '998' })).status).toBe(409);
  expect((await decide({ decision: 'reject', run: '999' })).status).toBe(303);
  expect(await page('/admin/audit', { 'accept-language': 'ja' })).toContain(
    '<td>削除の却下</td><td>sample, run 999</td>',
  );
  expect(await database.reader('vanished')).toEqual([]);
  await missing();
  const approved = await decide({ decision: 'approve', run: '999' });
  const place = approved.headers.get('location') ?? '';
  expect(place).toMatch(/^\/admin\/tasks\/\d+$/);
  await until(async () => /<dd>(done|failed|needs attention)/.test(await page(place)));
  // It is there: whoever is asked once more says so.
  expect(await page(place)).toContain('<dd>done');
  expect(await page(place)).toContain('1 still there');
  expect(await database.reader('vanished')).toEqual([]);
}, 60_000);

test('a record that could not be read is shown as it came, and read again', async () => {
  const { database } = bridge;
  const stored = await findSource(database.reader, 'sample');
  const [item] = await database.reader('item').where({ source_id: stored?.id }).limit(1);
  await database.writer('unreadable').insert({
    ...{ source_id: stored?.id, place: `id:${item.identifier}`, format: '', identifier: item.identifier },
    ...{ code: 'record-quarantined', message: 'line 3: <b>bad', run_id: 1, raw_length: 18 },
    ...{
      first_at: '2026-11-23T00:00:00Z',
      last_at: '2026-11-23T00:00:00Z',
      raw: Buffer.from('<script>x</script>'),
    },
  });
  const html = await page('/admin/sources/sample/problems');
  expect(html).toContain('line 3: &lt;b&gt;bad');
  expect(html).toContain('&lt;script&gt;x&lt;/script&gt;');
  const answer = await act({ item: item.identifier }, '/admin/sources/sample/problems');
  const place = answer.headers.get('location') ?? '';
  await until(async () => /<dd>(done|failed|needs attention)/.test(await page(place)));
  expect(await page(place)).toContain('<dd>done');
  expect(await page('/admin/sources/sample/problems')).toContain('Every record could be read.');
}, 60_000);

test('all records of a cause are read again, as one thing that is followed, by programs, too', async () => {
  const { database } = bridge;
  const stored = await findSource(database.reader, 'sample');
  const items = await database.reader('item').where({ source_id: stored?.id }).limit(3);
  const row = { source_id: stored?.id, format: 'oai_dc', code: 'record-quarantined', run_id: 1 };
  const seen = { first_at: '2026-11-23T00:00:00Z', last_at: '2026-11-23T00:00:00Z' };
  const named = items.map(({ identifier }) => ({
    ...{ ...row, ...seen, place: `id:${identifier}`, identifier },
    ...{ message: `${identifier} is torn`, cause: '… is torn' },
  }));
  const gone = { ...named[0], place: 'id:oai:never:1', identifier: 'oai:never:1' };
  const other = { ...row, ...seen, place: 'at:1', message: 'no name', cause: 'no name' };
  await database.writer('unreadable').insert([...named, gone, { ...other, identifier: null }]);
  const run = await addToken(bridge, 'run');
  const { json } = await api('GET', '/sources/sample/problems', run);
  const [cause] = json.causes as { id: string; message: string }[];
  expect(cause).toMatchObject({ message: '… is torn', count: 4, named: 4 });
  const asked = await api('POST', '/sources/sample/problems', run, { cause: cause?.id });
  expect(asked.status).toBe(202);
  const place = `/tasks/${asked.json.id}`;
  expect(asked.headers.get('location')).toContain(place);
  await until(async () => (await api('GET', place, run)).json.state === 'succeeded');
  expect((await api('GET', place, run)).json.message).toBe('4 read or gone, 0 still not to be read');
  expect((await api('GET', '/sources/sample/problems', run)).json.problems).toHaveLength(1);
  // All that is left has no name: it is said what reads it again.
  const all = await api('POST', '/sources/sample/problems', run, { all: true });
  const rest = `/tasks/${all.json.id}`;
  await until(async () => (await api('GET', rest, run)).json.state === 'needs-attention');
  expect((await api('GET', rest, run)).json.message).toContain('1 without an identifier: a full harvest');
  await database.writer('unreadable').delete();
}, 60_000);

test('what is under way is taken from whoever is at it', async () => {
  const { database } = bridge;
  await database
    .writer('due')
    .insert({
      source: 'other-01',
      kind: 'harvest',
      schedule: 'never',
      holder: 'elsewhere 1 x',
      expires: Date.now() + 60_000,
    })
    .onConflict(['source', 'kind'])
    .merge();
  expect(await page('/admin?state=running')).toContain('other-01');
  await act({ act: 'stop', source: 'other-01', confirmed: '1' });
  const [due] = (await listDue(database.reader, Date.now())).filter(({ source }) => source === 'other-01');
  expect(due).toMatchObject({ isHeld: false, dueAt: undefined });
});

test('tokens may do it, too, as far as their scope goes', async () => {
  const [read, run] = [await addToken(bridge, 'read'), await addToken(bridge, 'run')];
  const form = { act: 'resume', source: 'sample', confirmed: '1' };
  const by = async (token: string) =>
    (await ask(house, '/admin/sources/act', { form, headers: { authorization: `Bearer ${token}` } })).status;
  expect([await by(read), await by(run)]).toEqual([403, 303]);
});

const api = async (method: string, path: string, token: string, body?: object) => {
  const answer = await fetch(`${await house.origin()}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, json: text === '' ? undefined : JSON.parse(text) };
};

test('programs do the same by the API, and follow what takes a while', async () => {
  const [read, run, admin] = [
    await addToken(bridge, 'read'),
    await addToken(bridge, 'run'),
    await addToken(bridge, 'admin'),
  ];
  const list = await api('GET', '/sources?sort=name&limit=2', read);
  expect(list.json.sources.map(({ name }: { name: string }) => name)).toEqual(['other-00', 'other-01']);
  expect(list.headers.get('link')).toBe(
    '<http://localhost:8080/api/v1/sources?sort=name&limit=2&after=other-01>; rel="next"',
  );
  expect(list.headers.get('cache-control')).toBe('no-store');
  const bogus = await api('GET', '/sources?state=bogus', read);
  expect([bogus.status, JSON.stringify(bogus.json)]).toEqual([400, expect.stringContaining('failed')]);
  const slash = await fetch(`${await house.origin()}/admin/`, {
    headers: { authorization: `Bearer ${read}` },
    redirect: 'manual',
  });
  expect([slash.status, slash.headers.get('location')]).toEqual([308, '/admin']);
  expect((await api('GET', '/sources?sort=bogus', read)).status).toBe(400);
  expect((await api('GET', '/sources?state=failed', read)).status).toBe(200);
  expect((await api('GET', '/sources/sample', read)).json).toMatchObject({ name: 'sample', missing: 0 });
  expect(JSON.stringify((await api('GET', '/sources/sample', read)).json)).not.toContain('quite-secret');
  const paused = await api('POST', '/sources/other-02/pause', run, { until: 'monday', reason: 'holiday' });
  expect(paused.json).toMatchObject({ state: 'paused', pause: { reason: 'holiday' } });
  expect((await api('POST', '/sources/other-02/resume', run)).json.pause).toBeUndefined();
  expect((await api('POST', '/sources/other-02/stop', run)).status).toBe(200);
  const asked = await api('POST', '/sources/sample/runs', run, { kind: 'identifiers' });
  expect(asked.status).toBe(202);
  const place = new URL(asked.headers.get('location') ?? '').pathname.replace('/api/v1', '');
  expect(place).toBe(`/tasks/${asked.json.id}`);
  await until(async () => (await api('GET', place, read)).json.state === 'succeeded');
  const { run: done } = (await api('GET', place, read)).json;
  expect((await api('GET', `/runs/${done.id}`, read)).json).toMatchObject({
    kind: 'identifiers',
    source: 'sample',
  });
  expect((await api('GET', '/sources/sample/runs?limit=1', read)).json.runs).toHaveLength(1);
  expect((await api('GET', '/sources/sample/problems', read)).json).toEqual({ causes: [], problems: [] });
  expect((await api('GET', '/sources/sample/missing', read)).json).toEqual({ items: [] });
  expect((await api('GET', '/me', run)).json).toEqual({ who: 'token a run', scope: 'run' });
  const made = await api('POST', '/tokens', admin, { name: 'partner', scope: 'read', days: 1 });
  expect([made.status, (await api('GET', '/me', made.json.token)).status]).toEqual([201, 200]);
  expect((await api('DELETE', `/tokens/${made.json.id}`, admin)).status).toBe(204);
  expect((await api('GET', '/me', made.json.token)).status).toBe(401);
  expect((await api('GET', '/audit?limit=1', admin)).json.acts[0]).toMatchObject({
    action: 'revoked a token',
  });
}, 60_000);

test('what the API refuses is a problem document, and changes nothing', async () => {
  const [read, run] = [await addToken(bridge, 'read'), await addToken(bridge, 'run')];
  const refused = async (method: string, path: string, token: string, body?: object) => {
    const { status, headers, json } = await api(method, path, token, body);
    expect(headers.get('content-type')).toBe('application/problem+json');
    return [status, json.code];
  };
  expect(await refused('GET', '/sources', 'rsb_x')).toEqual([401, 'sign-in-needed']);
  expect(await refused('POST', '/sources/sample/runs', 'rsb_x', { kind: 'full' })).toEqual([
    401,
    'sign-in-needed',
  ]);
  expect(await refused('POST', '/sources/sample/runs', read, { kind: 'full' })).toEqual([403, 'not-allowed']);
  expect(await refused('GET', '/tokens', run)).toEqual([403, 'not-allowed']);
  expect(await refused('GET', '/audit', run)).toEqual([403, 'not-allowed']);
  expect(await refused('POST', '/sources/sample/missing', run, { decision: 'approve', run: 1 })).toEqual([
    403,
    'not-allowed',
  ]);
  expect(await refused('POST', '/sources/nobody/runs', run, { kind: 'full' })).toEqual([404, 'not-found']);
  expect(await refused('POST', '/sources/sample/runs', run, { kind: 'drop' })).toEqual([400, 'bad-request']);
  expect(await refused('POST', '/sources/sample/runs', run, { kind: 'full', item: 'x' })).toEqual([
    400,
    'bad-request',
  ]);
  expect(await refused('POST', '/sources/sample/pause', run, { until: 'never' })).toEqual([400, 'usage']);
  expect(await refused('GET', '/runs/x', read)).toEqual([400, 'bad-request']);
  expect(await refused('GET', '/tasks/99999', read)).toEqual([404, 'not-found']);
  const foreign = await fetch(`${await house.origin()}/api/v1/sources/sample/pause`, {
    method: 'POST',
    headers: { cookie, origin: 'https://evil.example' },
  });
  expect(foreign.status).toBe(403);
  const unsaid = await fetch(`${await house.origin()}/api/v1/sources/sample/pause`, {
    method: 'POST',
    headers: { cookie },
  });
  expect(unsaid.status).toBe(403);
  expect((await pauses()).size).toBe(0);
  expect((await ask(house, '/api/openapi.json')).status).toBe(200);
});

test('the settings in force are told with where they come from, and without secrets', async () => {
  const html = await page('/admin/settings');
  expect(html).toContain(
    '<td class="mono">title</td><td class="mono any">&quot;A house&quot;</td><td>the command itself</td>',
  );
  expect(html).toContain('<td class="mono">listen.port</td><td class="mono any">8080</td><td>default</td>');
  expect(html).not.toContain('in-the-configuration');
  const { json } = await api('GET', '/settings', await addToken(bridge, 'admin'));
  expect(json.settings).toContainEqual({ key: 'adminPassword', value: '[secret]', from: 'command' });
  expect((await api('GET', '/settings', await addToken(bridge, 'run'))).status).toBe(403);
});
