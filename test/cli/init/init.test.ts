import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { initCommand } from '../../../src/cli/init/init.ts';
import type { CommandIo } from '../../../src/cli/terminal/io.ts';
import {
  dspaceRoot,
  legacyStatus,
  oaiEndpoint,
  page,
  repositoryHost,
} from '../../house/cli/repository-host.ts';
import { runMain } from '../../house/cli/run-main.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-init-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const init = (address: string, ...flags: string[]) => runMain(directory, ['init', address, ...flags]);
const written = () => {
  const text = readFileSync(join(directory, 'rsbridge.yaml'), 'utf8');
  const sources: Record<string, Record<string, unknown>> = parse(text).sources;
  return { text, source: Object.values(sources)[0] ?? {} };
};

/** For what a command line cannot say. */
function quietIo(cwd: string): CommandIo {
  const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() });
  const { signal } = new AbortController();
  return { stdout: nowhere(), stderr: nowhere(), env: {}, cwd, stop: signal, abort: signal };
}

const uuid = '2f53a7a1-6c15-4b2c-9a8c-1f0a1cbb6a11';

describe('a DSpace 7 or later', () => {
  const dspaceHost = async () => {
    const host = await repositoryHost({ '/server/oai/request': oaiEndpoint });
    host.routes.set('/server/api', dspaceRoot(host.origin));
    host.routes.set('/', page('DSpace 8.2'));
    return host;
  };

  test.each([
    ['', 4],
    ['/home', 4],
    [`/items/${uuid}`, 4],
    [`/entities/publication/${uuid}/full`, 4],
    [`/communities/${uuid}?cp.page=2`, 4],
    ['/handle/123456789/12', 4],
    ['/browse/title?scope=x', 4],
    ['/server', 3],
    ['/server/api', 3],
    ['/server/#/server/api', 3],
    ['/server/api/core/items', 3],
    ['/server/oai/request', 5],
    ['/server/oai/request?verb=ListRecords&metadataPrefix=oai_dc', 5],
    ['/server/oai/openaire4', 5],
    ['/server/oai', 7],
    ['/server/oai/', 8],
    ['/server/oai?verb=Identify', 7],
    ['/server/oai/driver?verb=Identify', 7],
    ['/server/oai/request/', 7],
    ['/server/oai/request/x/y', 7],
    ['/server/', 3],
    [`/items/${uuid}/full?x=y#z`, 4],
  ])('is recognised by the address %s', async (path, mostRequests) => {
    const host = await dspaceHost();
    host.routes.set('/server/oai/openaire4', oaiEndpoint);
    const outcome = await init(`${host.origin}${path}`);
    expect(outcome).toMatchObject({ code: 0, stdout: expect.stringContaining('REST was chosen') });
    const oai = path.endsWith('openaire4') ? '/server/oai/openaire4' : '/server/oai/request';
    expect(written().source).toMatchObject({
      adapter: 'dspace',
      url: `${host.origin}/server/api`,
      oai: `${host.origin}${oai}`,
      identity: 'oai',
      formats: ['oai_dc', 'dim', 'qdc', 'json'],
    });
    expect(written().text).toContain('oai:repo.example.org:HANDLE, as by OAI-PMH');
    expect(host.requests.length, host.requests.join('\n')).toBeLessThanOrEqual(mostRequests);
  });

  test.each(['/server/oai', '/server/oai/', '/server/oai/driver', '/server/oai?verb=Identify', '/server'])(
    'is harvested by OAI-PMH by the address %s, where it has no REST API for us or that is wanted',
    async (path) => {
      for (const root of ['', '/repo']) {
        const host = await repositoryHost({ [`${root}/server/oai/request`]: oaiEndpoint });
        for (const choice of [[], ['--adapter', 'oai-pmh']]) {
          expect(await init(`${host.origin}${root}${path}`, '--force', ...choice)).toMatchObject({ code: 0 });
          const url = `${host.origin}${root}/server/oai/request`;
          expect(written().source).toMatchObject({ adapter: 'oai-pmh', url });
        }
      }
    },
  );

  test('says so in sentences, and the same in JSON', async () => {
    const host = await dspaceHost();
    const { stdout } = await init(host.origin);
    expect(stdout).toContain('Found Ars Longa: DSpace REST 8.2');
    expect(stdout).toContain(`This is DSpace 8.2: its REST API is at ${host.origin}/server/api`);
    expect(stdout).toContain(`rsbridge init ${host.origin} --adapter oai-pmh`);
    const outcome = await init(host.origin, '--json', '--dry-run', '--force');
    expect(JSON.parse(outcome.stdout)).toMatchObject({
      adapter: 'dspace',
      version: 'DSpace 8.2',
      oai: `${host.origin}/server/oai/request`,
      identity: { kind: 'oai', host: 'repo.example.org', isStated: true },
      sentences: [expect.any(String), expect.any(String), expect.any(String)],
      config: expect.stringContaining('adapter: dspace'),
    });
  });

  test('at another host than its user interface, whose settings say where', async () => {
    const api = await dspaceHost();
    const ui = await repositoryHost({ '/repo/home': page('DSpace 7.6.1') });
    const { hostname, port } = new URL(api.origin);
    const rest = { ssl: false, host: hostname, port: Number(port), nameSpace: '/server' };
    ui.routes.set('/repo/assets/config.json', JSON.stringify({ rest }));
    expect(await init(`${ui.origin}/repo/home`)).toMatchObject({ code: 0 });
    expect(written().source).toMatchObject({ adapter: 'dspace', url: `${api.origin}/server/api` });
  });

  test('whose user interface shows a bot check is found all the same', async () => {
    const host = await dspaceHost();
    host.routes.set('/', {
      status: 403,
      type: 'text/html',
      body: '<html><body>Are you human?</body></html>',
    });
    expect(await init(host.origin)).toMatchObject({ code: 0 });
    expect(written().source).toMatchObject({ adapter: 'dspace' });
  });

  test('by a bare host, which leads on to where the repository is', async () => {
    const host = await dspaceHost();
    host.routes.set('/', { status: 302, headers: { location: '/repo/home?verb=Identify' } });
    host.routes.set('/repo/home', page('DSpace 8.2'));
    host.routes.set('/repo/server/api', dspaceRoot(host.origin));
    host.routes.delete('/server/api');
    expect(await init(host.origin.replace('http://', ''))).toMatchObject({ code: 0 });
    expect(written().source).toMatchObject({ adapter: 'dspace', url: `${host.origin}/repo/server/api` });
  });

  test('with its API at the host itself', async () => {
    const host = await repositoryHost({ '/': page() });
    host.routes.set('/api', dspaceRoot('https://repo.example.org'));
    expect(await init(host.origin)).toMatchObject({ code: 0 });
    expect(written().source).toMatchObject({ adapter: 'dspace', url: `${host.origin}/api` });
    expect(written().source).not.toHaveProperty('oai');
    expect(written().text).toContain('items are oai:repo.example.org:HANDLE; if OAI-PMH has another host');
  });

  test('by an address of its former pages, which lead to the new ones', async () => {
    const host = await dspaceHost();
    host.routes.set('/xmlui/handle/123456789/12', page('DSpace 8.2'));
    expect(await init(`${host.origin}/xmlui/handle/123456789/12`)).toMatchObject({ code: 0 });
    expect(written().source).toMatchObject({ adapter: 'dspace', url: `${host.origin}/server/api` });
  });

  test('by OAI-PMH, if somebody wants that', async () => {
    const host = await dspaceHost();
    expect(await init(host.origin, '--adapter', 'oai-pmh')).toMatchObject({ code: 0 });
    expect(written().source).toMatchObject({ adapter: 'oai-pmh', url: `${host.origin}/server/oai/request` });
    expect(host.requests.some((path) => path.includes('/api'))).toBe(false);
  });

  test('by OAI-PMH, where its REST API answers with a page for people', async () => {
    const host = await dspaceHost();
    host.routes.set('/server/api', page());
    expect(await init(`${host.origin}/server/oai/request`)).toMatchObject({ code: 0 });
    expect(written().source).toMatchObject({ adapter: 'oai-pmh' });
    // Identify and the formats, as for any other; then where the API might be.
    expect(host.requests.length).toBeLessThanOrEqual(4);
  });

  test('names that come from outside name no variable and break no line', async () => {
    const host = await dspaceHost();
    const root = JSON.parse(String(dspaceRoot(host.origin)));
    root.dspaceName = 'Evil ${PATH}\n# name';
    root.dspaceVersion = 'DSpace 8\n    url: "http://evil/"';
    host.routes.set('/server/api', JSON.stringify(root));
    expect(await init(host.origin)).toMatchObject({ code: 0 });
    expect(written().text).not.toContain('${PATH}');
    expect(written().source).toMatchObject({ url: `${host.origin}/server/api` });
    expect((await runMain(directory, ['status'])).code).toBe(0);
  });
});

describe('a DSpace 5 or 6', () => {
  test.each([
    '/xmlui/handle/1/2',
    '/jspui/',
    '/rest',
    '/rest/collections',
    '',
    '/handle/1/2?show=full',
    '/oai/request',
  ])('is recognised by the address %s', async (path) => {
    const host = await repositoryHost({
      '/': page('DSpace 6.3'),
      '/rest/status': legacyStatus,
      '/oai/request': oaiEndpoint,
    });
    expect(await init(`${host.origin}${path}`)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('OAI-PMH tells what changed'),
    });
    expect(written().source).toMatchObject({
      adapter: 'dspace-legacy',
      url: `${host.origin}/rest`,
      oai: `${host.origin}/oai/request`,
      schedule: '30 */6 * * *',
    });
  });

  test('without OAI-PMH is read at night', async () => {
    const host = await repositoryHost({ '/': page('DSpace 5.5'), '/rest/status': legacyStatus });
    expect(await init(host.origin)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('every harvest reads everything'),
    });
    expect(written().source).toMatchObject({ adapter: 'dspace-legacy', schedule: '0 2 * * *' });
  });
});

describe('other software', () => {
  test('a pasted OAI-PMH endpoint costs no request more than before', async () => {
    const host = await repositoryHost({ '/cgi/oai2': oaiEndpoint });
    expect(await init(`${host.origin}/cgi/oai2`)).toMatchObject({ code: 0 });
    expect(host.requests).toEqual(['/cgi/oai2?verb=Identify', '/cgi/oai2?verb=ListMetadataFormats']);
    expect(written().source).toMatchObject({ adapter: 'oai-pmh', url: `${host.origin}/cgi/oai2` });
  });

  test('a home page that says who made it leads straight to the endpoint', async () => {
    const host = await repositoryHost({ '/': page('EPrints 3.4.5'), '/cgi/oai2': oaiEndpoint });
    expect(await init(host.origin)).toMatchObject({ code: 0 });
    expect(host.requests).toHaveLength(4);
  });

  test('an endpoint with arguments of its own keeps them', async () => {
    const host = await repositoryHost({ '/index.php': oaiEndpoint });
    expect(await init(`${host.origin}/index.php?page=oai&verb=Identify`)).toMatchObject({ code: 0 });
    expect(written().source).toMatchObject({ url: `${host.origin}/index.php?page=oai` });
  });

  test('where nothing is, it says what was tried, and HTML with status 200 is nothing', async () => {
    const host = await repositoryHost();
    const welcome = page();
    const everything = new Map(host.routes);
    for (const path of ['/', '/server/api', '/rest/status', '/oai', '/assets/config.json'])
      everything.set(path, welcome);
    for (const [path, reply] of everything) host.routes.set(path, reply);
    const short = await init(host.origin);
    expect(short).toMatchObject({ code: 3 });
    // What the address itself said comes first; the rest is counted.
    expect(short.stderr).toMatch(
      new RegExp(`^rsbridge: ${host.origin}/ answered: an HTML page\\. Nothing to harvest`),
    );
    expect(short.stderr).toMatch(/\d+ other places, [^\n]* \(--verbose lists them\)/);
    expect(short.stderr).not.toContain('/cgi/oai2');
    host.requests.length = 0;
    const outcome = await init(host.origin, '--verbose');
    expect(outcome).toMatchObject({ code: 3 });
    expect(outcome.stderr.match(/\/cgi\/oai2: /g)).toHaveLength(1);
    for (const tried of [
      '/server/api',
      '/rest/status',
      '/server/oai/request',
      '/assets/config.json',
      '/cgi/oai2',
    ])
      expect(outcome.stderr).toContain(`${host.origin}${tried}: `);
    expect(host.requests.length).toBeLessThanOrEqual(20);
  });

  test('a place that is there, and not well at present, is named', async () => {
    const host = await repositoryHost({
      '/': page(),
      '/cgi/oai2': { status: 503, type: 'text/plain', body: '' },
    });
    const { stderr, code } = await init(host.origin);
    expect(code).toBe(3);
    expect(stderr).toContain(`; ${host.origin}/cgi/oai2 answered: HTTP status 503: it may be the one`);
    expect(stderr).toContain('What helps: try again later, or find');
  });

  test('of a pasted endpoint, too, the failure names first what that said', async () => {
    const host = await repositoryHost({
      '/oai': { status: 403, type: 'text/html', body: '<html>no</html>' },
    });
    const { stderr, code } = await init(`${host.origin}/oai`);
    expect(code).toBe(3);
    expect(stderr).toMatch(new RegExp(`^rsbridge: ${host.origin}/oai\\S* answered .*403`));
  });

  test.each([
    ['a link by its path', '<a href="/ir/oai-handler/">harvest us</a>', '/ir/oai-handler/'],
    ['a request', '<p><a href="repo.php?page=o&amp;verb=Identify">machines</a></p>', '/repo.php'],
    ['a link by what it says', '<a href="/machines"><b>OAI-PMH</b> interface</a>', '/machines'],
    ['a link in the head', '<link rel="alternate" title="OAI-PMH" href="/dp">', '/dp'],
  ])('%s on the home page leads to the endpoint', async (_what, link, path) => {
    const body = `<!DOCTYPE html><html><head><title>x</title></head><body>
      <a href="https://www.openarchives.org/pmh/">OAI-PMH</a><a href="/oai-pmh.pdf">manual</a>${link}</body></html>`;
    const host = await repositoryHost({ '/': { type: 'text/html', body }, [path]: oaiEndpoint });
    expect(await init(host.origin)).toMatchObject({ code: 0 });
    expect(String(written().source.url)).toContain(`${host.origin}${path}`);
    expect(host.requests).not.toContain('/oai-pmh.pdf?verb=Identify');
  });

  test('a link to the OAI-PMH of a DSpace elsewhere on the host leads to its REST API', async () => {
    const body = '<html><a href="/repo/server/oai/request?verb=Identify">OAI</a></html>';
    const host = await repositoryHost({ '/': { type: 'text/html', body } });
    host.routes.set('/repo/server/oai/request', oaiEndpoint);
    host.routes.set('/repo/server/api', dspaceRoot(host.origin));
    expect(await init(host.origin)).toMatchObject({ code: 0 });
    expect(written().source).toMatchObject({ adapter: 'dspace', url: `${host.origin}/repo/server/api` });
  });

  test('a link leads to no private address, and not more than a few are followed', async () => {
    const links = Array.from({ length: 50 }, (_, index) => `<a href="/${index}/oai">x</a>`).join('');
    const body = `<html><a href="http://10.255.255.1/oai?verb=Identify">OAI</a>${links}</html>`;
    const host = await repositoryHost({ '/': { type: 'text/html', body } });
    const { code, stderr } = await init(host.origin, '--verbose');
    expect(code).toBe(3);
    expect(stderr).toMatch(/10\.255\.255\.1 is not a public address/);
    expect(host.requests.filter((path) => /^\/\d+\/oai/.test(path))).toHaveLength(4);
  });

  test('a host that takes connections and says nothing is given up, all probes together', async () => {
    const limits = { total: 600, guess: 250 };
    const flags = { json: false, force: false, dryRun: true, verbose: false };
    const host = await repositoryHost();
    host.silent = (target) => !target.startsWith('/?');
    host.routes.set('/', page());
    await expect(initCommand(host.origin, flags, quietIo(directory), limits)).rejects.toMatchObject({
      code: 'upstream-unreachable',
      message: expect.stringMatching(new RegExp(`^${host.origin}/ answered: an HTML page`)),
    });
    // Three guesses used it up.
    expect(host.requests.length).toBeLessThanOrEqual(4);
    host.silent = () => true;
    await expect(initCommand(`${host.origin}/oai`, flags, quietIo(directory), limits)).rejects.toMatchObject({
      code: 'upstream-unreachable',
      message: expect.stringContaining('took longer than 0.6 seconds'),
    });
    host.silent = (path) => path.includes('ListMetadataFormats');
    host.routes.set('/oai', oaiEndpoint);
    await expect(initCommand(`${host.origin}/oai`, flags, quietIo(directory), limits)).rejects.toMatchObject({
      message: expect.stringContaining('took longer than'),
    });
  });

  test('a host that cannot be reached ends it at once', async () => {
    const { stderr, code } = await init('http://127.0.0.1:1/xmlui/');
    expect({ code, lines: stderr.match(/ECONNREFUSED/g)?.length }).toEqual({ code: 3, lines: 1 });
  });

  test('a choice that is none is a wrong command', async () => {
    expect(await init('http://127.0.0.1:1/', '--adapter', 'sword')).toMatchObject({ code: 2 });
  });
});

test.each([
  ['http://localhost:9000', 9000],
  ['http://127.0.0.1:9000/rs', 9000],
  ['http://localhost:8080', undefined],
  ['http://repo.example.org/rs', undefined],
  // Somebody else speaks TLS, at that port.
  ['https://repo.example.org:8443/rs', undefined],
])('--base-url %s listens at %s', async (baseUrl, port) => {
  const host = await repositoryHost({ '/oai': oaiEndpoint });
  expect(await init(`${host.origin}/oai`, '--base-url', baseUrl)).toMatchObject({ code: 0 });
  expect(parse(written().text)).toMatchObject({ baseUrl });
  expect(parse(written().text).listen).toEqual(port === undefined ? undefined : { port });
});

test('an address with a password in it is refused, and not repeated', async () => {
  const outcome = await init('http://reader:secret@127.0.0.1:1/server/api');
  expect(outcome).toMatchObject({ code: 2, stderr: expect.stringContaining('leave them out') });
  expect(outcome.stderr).not.toContain('secret');
});

test('settings of a user interface lead to no private address', async () => {
  const ui = await repositoryHost({ '/home': page('DSpace 7.6') });
  const rest = { ssl: false, host: '10.255.255.1', port: 8080, nameSpace: '/server' };
  ui.routes.set('/assets/config.json', JSON.stringify({ rest }));
  const outcome = await init(`${ui.origin}/home`, '--verbose');
  expect(outcome).toMatchObject({ code: 3, stderr: expect.stringContaining('10.255.255.1') });
  expect(outcome.stderr).toMatch(/10\.255\.255\.1 is not a public address/);
});

test('no source is called as a page of ours is', async () => {
  expect(await init('https://repo.example.org', '--name', 'search')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('a page of its own called search'),
  });
});
