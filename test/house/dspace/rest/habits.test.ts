import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { get, logIn, search } from '../client.ts';
import type { Item } from '../model.ts';
import { itemsWith, sampleRepository } from '../sample-repository.ts';
import { type RestServer, type RestServerOptions, sampleAccounts, startRestServer } from './rest-server.ts';

const repository = sampleRepository({ items: 60 });
const servers: RestServer[] = [];

async function serve(options: Partial<RestServerOptions> = {}): Promise<RestServer> {
  const server = await startRestServer({ repository, ...options });
  servers.push(server);
  return server;
}

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

describe('logging in', () => {
  const [account] = sampleAccounts;
  const form = () => new URLSearchParams({ user: account?.user ?? '', password: account?.password ?? '' });

  it('needs a token twice; where none was offered, the refusal brings it', async () => {
    const server = await serve({ version: '9.1' });
    expect((await get(`${server.url}/authn/status`)).headers.get('dspace-xsrf-token')).toBeNull();
    const refused = await fetch(`${server.url}/authn/login`, { method: 'POST', body: form() });
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ message: 'Access is denied. Invalid CSRF token.' });
    const token = refused.headers.get('dspace-xsrf-token') ?? '';
    const cookie = refused.headers.get('set-cookie')?.split(';')[0] ?? '';
    const headers = { 'x-xsrf-token': token, cookie };
    const accepted = await fetch(`${server.url}/authn/login`, { method: 'POST', body: form(), headers });
    expect(accepted.status).toBe(200);
    expect(accepted.headers.get('authorization')).toMatch(/^Bearer [\w-]+\.[\w-]+\.[\w-]+$/);
    const eager = await serve({ version: '10.1' });
    expect((await get(`${eager.url}/authn/status`)).headers.get('dspace-xsrf-token')).not.toBeNull();
    expect((await get(`${server.url}/security/csrf`)).status).toBe(204);
  });

  it('ends without a word', async () => {
    const server = await serve({ switches: { tokenLife: 1000 } });
    const headers = await logIn(server.url, account?.user ?? '', account?.password ?? '');
    const status = async () => (await get(`${server.url}/authn/status`, headers)).json.authenticated;
    expect(await status()).toBe(true);
    const { now } = repository;
    repository.now = () => now() + 2000;
    expect(await status()).toBe(false);
    expect((await get(`${server.url}/core/items/${repository.items[1]?.uuid}`, headers)).status).toBe(200);
    repository.now = now;
    server.session.forgetLogins();
    expect(await status()).toBe(false);
    await expect(logIn(server.url, 'admin@example.org', 'wrong')).rejects.toThrow('401');
  });
});

describe('contents', () => {
  const item = repository.items[1] as Item;
  const file = item.files[0];
  const path = `/core/bitstreams/${file?.uuid}/content`;

  it('are counted unless a part of them is asked for', async () => {
    const server = await serve();
    const whole = await fetch(`${server.url}${path}`);
    const bytes = Buffer.from(await whole.arrayBuffer());
    expect(bytes.equals(file?.content() ?? Buffer.alloc(0))).toBe(true);
    expect(whole.headers.get('etag')).toMatch(/^"[0-9a-f]{32}"$/);
    await fetch(`${server.url}${path}`, { method: 'HEAD' });
    expect(server.usageEvents).toBe(2);
    const part = await fetch(`${server.url}${path}`, { method: 'HEAD', headers: { range: 'bytes=0-0' } });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 0-0/${bytes.length}`]);
    expect(server.usageEvents).toBe(2);
    const etag = whole.headers.get('etag') ?? '';
    expect((await fetch(`${server.url}${path}`, { headers: { 'if-none-match': etag } })).status).toBe(304);
    expect((await fetch(`${server.url}${path}`, { headers: { range: 'bytes=99999-' } })).status).toBe(416);
  });

  it('may have cover pages, and may be elsewhere', async () => {
    const server = await serve({ switches: { coverPages: true } });
    const { json } = await get(`${server.url}/core/bitstreams/${file?.uuid}`);
    const covered = await fetch(`${server.url}${path}`);
    expect(Number(covered.headers.get('content-length'))).toBeGreaterThan(json.sizeBytes);
    server.switches.redirectContent = true;
    const redirected = await get(`${server.url}${path}`);
    expect(redirected.status).toBe(302);
    expect(new URL(redirected.headers.get('location') ?? '').host).not.toBe(new URL(server.url).host);
    expect((await fetch(`${server.url}${path}`)).status).toBe(200);
    expect(server.storeRequests).toHaveLength(1);
  });
});

describe('the rest of its habits', () => {
  it('states another address, redirects handles there, refuses foreign origins', async () => {
    const server = await serve({ statedServer: 'http://backend:8080/server' });
    const { json } = await get(server.url);
    expect(json._links.items.href).toBe('http://backend:8080/server/api/core/items');
    const { uuid, handle } = repository.items[1] as Item;
    const found = await get(`${server.url}/pid/find?id=hdl:${handle}`);
    expect([found.status, found.headers.get('location')]).toEqual([
      302,
      `http://backend:8080/server/api/core/items/${uuid}`,
    ]);
    expect((await get(`${server.url}/pid/find?id=hdl:1/nothing`)).status).toBe(404);
    const restricted = itemsWith(repository, 'restrictedItem')[0];
    expect((await get(`${server.url}/dso/find?uuid=${restricted?.uuid}`)).status).toBe(500);
    expect((await get(server.url, { origin: 'https://elsewhere.example.org' })).status).toBe(403);
    const bare = await serve({ contextPath: '' });
    expect(new URL(bare.url).pathname).toBe('/api');
    expect((await get(bare.url)).status).toBe(200);
  });

  it('shows one language unless asked for all', async () => {
    const server = await serve();
    const path = `${server.url}/core/items/${itemsWith(repository, 'languages')[0]?.uuid}`;
    const titles = async (query: string, language: string) =>
      (await get(`${path}${query}`, { 'accept-language': language })).json.metadata['dc.title'].length;
    expect(await titles('', 'de')).toBe(1);
    expect(await titles('', 'fr')).toBe(3);
    expect(await titles('?projection=allLanguages', 'de')).toBe(3);
    const older = await serve({ version: '9.1' });
    expect((await get(`${older.url}?projection=allLanguages`)).status).toBe(400);
  });

  it('fails as it is told to', async () => {
    const server = await serve();
    const isSearch = ({ kind }: { kind: string }) => kind === 'search';
    const url = `${server.url}/discover/search/objects?dsoType=item`;
    server.fail({ when: isSearch, times: 1, reply: 503, retryAfter: '7' });
    server.fail({ when: isSearch, times: 1, reply: 'challenge' });
    server.fail({ when: isSearch, times: 1, reply: 'forbidden-html' });
    const unavailable = await get(url);
    expect([unavailable.status, unavailable.headers.get('retry-after')]).toEqual([503, '7']);
    const challenged = await get(url);
    expect([challenged.status, challenged.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
    expect((await get(url)).status).toBe(403);
    server.fail({ when: isSearch, times: 1, reply: 'cut-off' });
    await expect(get(url)).rejects.toThrow();
    server.fail({ when: isSearch, times: 1, reply: 'disconnect' });
    await expect(get(url)).rejects.toThrow();
    expect((await get(url)).status).toBe(200);
    server.switches.refuseBrackets = true;
    const refused = await search(server.url, { query: 'lastModified:[* TO *]' });
    expect(refused.status).toBe(403);
    server.switches.poisonous.add(repository.items[1]?.uuid ?? '');
    expect((await search(server.url, { size: 100 })).status).toBe(500);
    server.switches.refuseLists = true;
    expect((await get(`${server.url}/core/collections`)).status).toBe(401);
    expect(server.counts.search).toBe(8);
    expect(server.requests.at(-1)).toMatchObject({ kind: 'collection', status: 401 });
  });
});

describe('a hundred thousand items', () => {
  let server: RestServer;

  beforeAll(async () => {
    server = await startRestServer({ repository: sampleRepository({ items: 100_000, mix: 'open' }) });
    return () => server.close();
  });

  it('are searched by windows', async () => {
    let sum = 0;
    for (let prefix = 0; prefix < 256; prefix += 16) {
      const query = `search.resourceid:${prefix.toString(16).padStart(2, '0')}*`;
      sum += (await search(server.url, { query, size: 100 })).page?.totalElements ?? 0;
    }
    expect(sum).toBeGreaterThan(5000);
    expect(sum).toBeLessThan(7500);
  });
});
