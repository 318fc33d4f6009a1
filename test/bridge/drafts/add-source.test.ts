import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Bridge, openBridge } from '../../../src/bridge/bridge.ts';
import { createLog } from '../../../src/bridge/log.ts';
import { type Service, startService } from '../../../src/bridge/service.ts';
import { systemClock } from '../../../src/bridge/system-clock.ts';
import { parseConfig } from '../../../src/core/config/config.ts';
import { createSampleRepository, type SampleRepository } from '../../../src/demo/sample-repository.ts';
import { Simulator } from '../../../src/simulate/simulator.ts';
import { listActs } from '../../../src/store/admin/audit.ts';
import { findKeptSource } from '../../../src/store/sources/kept-sources.ts';
import { envelope, formats, list, provide, record } from '../../house/adapters/scripted-provider.ts';
import { addAccount, addToken, ask, ownForm, signIn } from '../../house/server/dashboard.ts';
import { placeMigrated } from '../../house/store/databases.ts';

const directory = mkdtempSync(join(tmpdir(), 'rsbridge-drafts-'));
const ended = new AbortController();
let repository: SampleRepository;
let home: string;
let endpoint: string;
let bridge: Bridge;
let service: Service;
let cookie: string;
const house = { origin: async () => `http://127.0.0.1:${service.address.port}` };

beforeAll(async () => {
  repository = createSampleRepository({ clock: systemClock, records: 80 });
  endpoint = (await repository.listen(0)).url;
  home = new URL('/', endpoint).href;
  const url = 'https://repo.example.org/oai';
  const config = parseConfig({
    database: { client: 'sqlite', file: placeMigrated(join(directory, 'test.db')) },
    directory,
    network: { allow: ['127.0.0.1'] },
    sources: { configured: { url, schedule: false, fullPass: false, identifierPass: false } },
    groups: { quiet: { schedule: false, fullPass: false, identifierPass: false } },
  });
  bridge = await openBridge(config, createLog('silent', process.stderr), 'migrate');
  bridge.onReload(async () => void (await service.replaceSources(config)));
  const { signal } = ended;
  service = await startService(bridge, { host: '127.0.0.1', port: 0 }, { stop: signal, abort: signal });
  await addAccount(bridge);
  cookie = await signIn(house, 'admin', '');
}, 120_000);

afterAll(async () => {
  ended.abort();
  await service?.close();
  await bridge?.close();
  await repository?.close();
  rmSync(directory, { recursive: true, force: true });
});

async function get(path: string) {
  const answer = await ask(house, path, { headers: { cookie } });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}
async function post(path: string, form: Record<string, string>) {
  const answer = await ask(house, path, { form, headers: { cookie, ...ownForm } });
  const text = await answer.text();
  return { status: answer.status, location: answer.headers.get('location') ?? '', text };
}
/** As a browser does that is told to ask again; the time of the test ends it. */
async function settled(path: string) {
  for (;;) {
    const page = await get(path);
    if (page.status !== 202) return page;
    expect(page.headers.get('refresh')).toBe('2');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
const kept = (name: string) => findKeptSource(bridge.database.reader, name);
const acts = async (limit: number) =>
  (await listActs(bridge.database.reader, { limit })).map(({ who, action, what }) => [who, action, what]);

test('a source is added from the address of its home page, step by step, and nothing is stored before', async () => {
  expect((await get('/admin')).text).toContain('href="/admin/sources/add"');
  expect((await get('/admin/sources/add')).text).toContain('name="address"');
  const { status, location } = await post('/admin/sources/add', { address: home, group: 'quiet' });
  expect([status, location]).toEqual([303, expect.stringMatching(/^\/admin\/sources\/add\/\d+$/)]);
  const found = await settled(location);
  expect(found.text).toContain('<dt>Protocol</dt><dd>OAI-PMH 2.0</dd>');
  expect(found.text).toContain(endpoint);
  expect(found.text).toContain('name="format" value="oai_dc" checked');
  expect(found.text).toContain('value="127-0-0-1"');
  expect(found.text).not.toContain('value="save"');
  const [, set = ''] = /name="set" value="([^"]+)"/.exec(found.text) ?? [];
  const chosen = { name: 'library', title: 'A <library>', format: 'oai_dc', set, files: 'link' };

  const tried = await post(location, { ...chosen, act: 'try' });
  expect(tried.location).toBe(location);
  const trial = await settled(location);
  expect(trial.text).toContain('What a harvest would bring');
  expect(trial.text).toMatch(/<td><div class="any" dir="auto"[^>]*>[^<]+<\/div><div class="soft"><bdi/);
  expect(trial.text).toContain('value="A &lt;library&gt;"');
  expect(trial.text).toContain(`name="set" value="${set}" checked`);
  expect(await bridge.database.reader('item')).toEqual([]);
  expect(await kept('library')).toBeUndefined();

  // What was not tried is not kept.
  const other = await post(location, { ...chosen, files: 'none', act: 'save' });
  expect(other.location).toBe(location);
  expect(await kept('library')).toBeUndefined();
  await settled(location);
  const saved = await post(location, { ...chosen, files: 'none', act: 'save' });
  expect([saved.status, saved.location]).toEqual([303, location]);
  expect((await settled(location)).headers.get('location')).toBe('/admin/sources/library');
  expect((await kept('library'))?.settings).toMatchObject({
    ...{ adapter: 'oai-pmh', url: endpoint, privateHost: false, group: 'quiet', title: 'A <library>' },
    ...{ formats: ['oai_dc'], collections: [set], files: { mode: 'none' } },
  });
  const page = await get('/admin/sources/library');
  expect(page.text).toContain('A &lt;library&gt;');
  expect(page.text).toContain('href="/admin/sources/library/change"');
  expect((await get(location)).headers.get('location')).toBe('/admin/sources/library');
  expect((await get('/admin/sources/add')).text).not.toContain(location);
  expect(await acts(4)).toEqual([
    ['admin', 'added a source', `library ${endpoint}`],
    ['admin', 'tried a source', `library ${endpoint}`],
    ['admin', 'tried a source', `library ${endpoint}`],
    ['admin', 'looked for a source', home],
  ]);
}, 60_000);

test('a Source of ResourceSync is added by the address of its host', async () => {
  const simulator = await Simulator.open({ port: 0, rate: 0, resources: 4 }, []);
  try {
    const { location } = await post('/admin/sources/add', { address: simulator.origin, group: 'quiet' });
    const found = await settled(location);
    expect(found.text).toContain('<dd>ResourceSync 1.1</dd>');
    const chosen = { name: 'simulated', files: 'proxy' };
    await post(location, { ...chosen, act: 'try' });
    expect((await settled(location)).text).toContain('What a harvest would bring');
    await post(location, { ...chosen, act: 'save' });
    expect((await settled(location)).headers.get('location')).toBe('/admin/sources/simulated');
    expect((await kept('simulated'))?.settings).toMatchObject({ adapter: 'resourcesync' });
    expect((await get('/admin/sources/simulated')).text).toContain('ResourceSync');
  } finally {
    await simulator.close();
  }
}, 60_000);

test('a step that fails keeps what was typed, and says what to do next', async () => {
  const wrong = await post('/admin/sources/add', { address: 'ftp://"><script>x', adapter: 'dspace' });
  expect(wrong.status).toBe(400);
  expect(wrong.text).toContain('value="ftp://&quot;&gt;&lt;script&gt;x"');
  expect(wrong.text).toContain('<option value="dspace" selected>');
  expect(wrong.text).toContain('Correct what the message names.');
  const named = await post('/admin/sources/add', { address: 'https://user:secret@repo.example.org/' });
  expect(named.text).toContain('leave them out');
  expect(await bridge.database.reader('draft').pluck('address')).not.toContain(
    'https://user:secret@repo.example.org/',
  );

  // It is read already.
  const again = await post('/admin/sources/add', { address: endpoint });
  const failed = await settled(again.location);
  expect(failed.text).toContain('is read already, as the source library');
  expect(failed.text).toContain(`value="${endpoint}"`);
  expect((await get(`${again.location}?lang=ja`)).text).toContain('完了できませんでした');
  expect((await post(again.location, { act: 'save', name: 'x' })).location).toBe(again.location);
  expect((await get('/admin/sources/add/999999')).status).toBe(404);
  expect((await get('/admin/sources/add/x')).status).toBe(404);
}, 60_000);

test('an address within the house is not asked, unless the configuration allows it', async () => {
  let asked = 0;
  const inside = createServer((_request, response) => {
    asked += 1;
    response.end();
  });
  await new Promise<void>((resolve) => inside.listen(0, '127.0.0.2', resolve));
  const { port } = inside.address() as AddressInfo;
  try {
    for (const address of [`http://127.0.0.2:${port}/oai`, `http://127.0.0.2:${port}/`]) {
      const { location } = await post('/admin/sources/add', { address });
      const page = await settled(location);
      expect(page.text).toContain('127.0.0.2 is not a public address');
      expect(page.text).toContain('<code>network.allow</code>');
    }
    expect(asked).toBe(0);
  } finally {
    inside.close();
  }
}, 60_000);

test('what a hostile repository says is text, and short', async () => {
  const hostile = '&lt;script&gt;alert(1)&lt;/script&gt;\u202e"&gt;&lt;img src=x onerror=alert(1)&gt;';
  const long = '長い題名'.repeat(25_000);
  const { url } = await provide((query) => {
    const verb = query.get('verb');
    if (verb === 'Identify')
      return envelope(
        `<Identify><repositoryName>${hostile}</repositoryName><baseURL>javascript:alert(1)</baseURL><protocolVersion>2.0</protocolVersion><adminEmail>a@b.example</adminEmail><earliestDatestamp>2000-01-01</earliestDatestamp><deletedRecord>no</deletedRecord><granularity>YYYY-MM-DD</granularity></Identify>`,
      );
    if (verb === 'ListMetadataFormats') return formats;
    if (verb === 'ListSets')
      return envelope(
        `<ListSets><set><setSpec>a"&gt;&lt;b&gt;</setSpec><setName>${hostile}</setName></set></ListSets>`,
      );
    return list([
      record('oai:x:&lt;b&gt;1', `<dc:title>${hostile}</dc:title>`),
      record('oai:x:2', `<dc:title>${long}</dc:title>`),
      record('oai:x:3', '<dc:date>2020</dc:date>'),
      record('oai:x:4', '', ' status="deleted"'),
    ]);
  });
  const { location } = await post('/admin/sources/add', { address: url });
  const found = await settled(location);
  expect(found.status).toBe(200);
  await post(location, { act: 'try', name: 'hostile', format: 'oai_dc' });
  const tried = await settled(location);
  expect(tried.text).toContain('Records on the first page: 4.');
  for (const { text } of [found, tried]) {
    expect(text).toContain('&lt;script&gt;alert(1)');
    expect(text).not.toMatch(/<script|<img|<b>|javascript:alert/);
    expect(text.length).toBeLessThan(60_000);
  }
  expect(tried.text).toContain('長い題名…');
  expect(tried.text).toContain('(no title)');
  expect(tried.headers.get('content-security-policy')).toContain("default-src 'none'");
}, 60_000);

test('a source of the database is changed, and removed after its name was typed', async () => {
  const place = '/admin/sources/library';
  const page = await get(`${place}/change`);
  const [, tag = ''] = /name="tag" value="([^"]+)"/.exec(page.text) ?? [];
  expect(page.text).toContain('value="A &lt;library&gt;"');
  const fields = { tag, title: 'Renamed', formats: 'oai_dc\r\n', collections: '', files: 'link' };
  const bad = await post(`${place}/change`, { ...fields, schedule: 'sometimes' });
  expect(bad.status).toBe(400);
  expect(bad.text).toContain('value="sometimes"');
  expect(bad.text).toContain('value="Renamed"');
  const good = { ...fields, schedule: 'false', fullPass: '' };
  expect((await post(`${place}/change`, good)).location).toBe(place);
  const { settings } = (await kept('library')) ?? { settings: {} };
  expect(settings).toMatchObject({ title: 'Renamed', formats: ['oai_dc'], schedule: false });
  expect(settings).toMatchObject({ files: { mode: 'link' }, privateHost: false, url: endpoint });
  expect(Object.keys(settings)).not.toContain('collections');
  // Somebody else was quicker: what was typed stays, and can be said once more.
  const late = await post(`${place}/change`, { ...good, title: 'Late' });
  expect(late.status).toBe(400);
  expect(late.text).toContain('changed meanwhile by somebody else');
  expect(late.text).toContain('value="Late"');

  // What stands in a file is changed there.
  for (const path of ['change', 'remove']) {
    const refused = await get(`/admin/sources/configured/${path}`);
    expect([refused.status, refused.text.includes('change it there')]).toEqual([400, true]);
    expect((await get(`/admin/sources/nobody/${path}`)).status).toBe(404);
  }
  expect((await get(`${place}/remove`)).text).toContain('Type its name, library, to confirm');
  const typo = await post(`${place}/remove`, { name: 'libary' });
  expect([typo.status, typo.text.includes('value="libary"')]).toEqual([400, true]);
  expect(await kept('library')).toBeDefined();
  expect((await post(`${place}/remove`, { name: 'library' })).location).toBe('/admin');
  expect(await kept('library')).toBeUndefined();
  expect((await get(place)).status).toBe(404);
  expect((await acts(2)).map(([, action, what]) => [action, what])).toEqual([
    ['removed a source', 'library'],
    ['changed a source', 'library: collections, files, schedule, title'],
  ]);
}, 60_000);

test('programs do the same by the API, with the scope admin', async () => {
  const token = await addToken(bridge, 'admin');
  const api = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const type = body && { 'content-type': 'application/json' };
    const answer = await fetch(`${await house.origin()}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...type, ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return {
      status: answer.status,
      headers: answer.headers,
      json: text === '' ? undefined : JSON.parse(text),
    };
  };
  const over = async (path: string) => {
    for (;;) {
      const { json } = await api('GET', path);
      if (!['waiting', 'looking', 'trying'].includes(json.state)) return json;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const asked = await api('POST', '/drafts', { address: home, group: 'quiet' });
  const place = `/drafts/${asked.json.id}`;
  expect([asked.status, asked.headers.get('location')]).toEqual([
    202,
    `http://localhost:8080/api/v1${place}`,
  ]);
  expect(await over(place)).toMatchObject({
    ...{ state: 'found', address: home, choices: { group: 'quiet' } },
    found: { adapter: 'oai-pmh', url: endpoint, settings: { url: endpoint, privateHost: false } },
  });
  expect((await api('POST', `${place}/trial`, { formats: ['oai_dc'], files: 'none' })).status).toBe(202);
  const tried = await over(place);
  expect(tried).toMatchObject({ state: 'tried', trial: { choices: { files: 'none' }, problems: [] } });
  expect(tried.trial.items[0]).toMatchObject({ identifier: expect.any(String), title: expect.any(String) });
  expect((await api('POST', '/sources', { draft: asked.json.id, name: 'Not A Name' })).json.code).toBe(
    'usage',
  );
  expect((await api('POST', '/sources', { draft: 999_999 })).status).toBe(404);
  const made = await api('POST', '/sources', { draft: asked.json.id, name: 'by-api' });
  expect([made.status, made.headers.get('location'), made.json.name]).toEqual([
    ...[201, 'http://localhost:8080/api/v1/sources/by-api', 'by-api'],
  ]);
  expect((await api('POST', '/sources', { draft: asked.json.id, name: 'by-api' })).status).toBe(400);

  const settings = await api('GET', '/sources/by-api/settings');
  const etag = settings.headers.get('etag') ?? '';
  expect(settings.json.settings).toMatchObject({
    group: 'quiet',
    formats: ['oai_dc'],
    files: { mode: 'none' },
  });
  const patch = { title: 'By a program', files: { mode: null } };
  const changed = await api('PATCH', '/sources/by-api/settings', patch, {
    'if-match': etag,
    'content-type': 'application/merge-patch+json',
  });
  expect([changed.status, changed.json.settings.title]).toEqual([200, 'By a program']);
  expect(changed.json.settings.files?.mode).toBeUndefined();
  expect((await api('PATCH', '/sources/by-api/settings', patch, { 'if-match': etag })).json.code).toBe(
    'source-changed',
  );
  for (const key of ['url', 'privateHost', 'allowPrivateAddresses', 'headers', 'oai', 'adapter'])
    expect((await api('PATCH', '/sources/by-api/settings', { [key]: null })).json).toMatchObject({
      ...{ status: 400, code: 'usage', detail: expect.stringContaining(`${key} cannot be changed here`) },
    });
  expect((await api('DELETE', '/sources/by-api', undefined, { 'if-match': etag })).status).toBe(412);
  expect((await api('DELETE', '/sources/by-api', undefined, { 'if-match': 'x' })).status).toBe(400);
  expect((await api('DELETE', '/sources/by-api')).status).toBe(204);
  expect((await api('DELETE', '/sources/configured')).status).toBe(400);
  expect((await api('GET', '/sources/by-api')).status).toBe(404);
  const refused = await api('POST', '/drafts', { address: 'ftp://x' });
  expect([refused.status, refused.json.code]).toEqual([400, 'usage']);
}, 60_000);

test('a draft whose process has died is told as failed, and can be looked for again', async () => {
  const { location } = await post('/admin/sources/add', { address: endpoint });
  await settled(location);
  const id = Number(location.split('/').at(-1));
  await bridge.database
    .writer('draft')
    .where({ id })
    .update({ state: 'looking', message: '3 http://x/', busy_until: '2020-01-01T00:00:00Z' });
  const page = await get(location);
  expect(page.status).toBe(200);
  expect(page.text).toContain('The process that worked on it has ended.');
  expect(page.text).toContain('Look again');
  await bridge.database.writer('draft').where({ id }).update({ busy_until: '2999-01-01T00:00:00Z' });
  const waits = await get(location);
  expect([waits.status, waits.text.includes('3 places were asked, the last one: http://x/')]).toEqual([
    ...[202, true],
  ]);
}, 60_000);
