import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { systemClock } from '../../../src/bridge/system-clock.ts';
import { createSampleRepository } from '../../../src/demo/sample-repository.ts';
import { endServed, type Served, served } from '../../house/cli/processes.ts';
import { runMain } from '../../house/cli/run-main.ts';
import { freePort } from '../../house/process/free-port.ts';
import { migratedPostgres } from '../../house/store/databases.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const secret = 'in-a-file-of-its-own';
describe.each(['sqlite', 'pg'] as const)('on %s', (kind) => {
  const [open, hidden, later, leaving] = [21, 22, 23, 24].map((seed) =>
    createSampleRepository({ clock: systemClock, records: 6, seed }),
  );
  let directory: string;
  let bases: string[];
  let config: { sources: Record<string, object> } & Record<string, unknown>;
  let serving: Served[] = [];
  let drop: (() => Promise<void>) | undefined;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'rsbridge-private-'));
    const [port, other] = [await freePort(), await freePort()];
    bases = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${other}`];
    const source = async (repository: typeof open, more: object = {}) => ({
      url: (await repository?.listen(0))?.url,
      ...{ schedule: false, fullPass: false, identifierPass: false, overlapSeconds: 5 },
      ...{ files: { mode: 'none' }, ...more },
    });
    const made = kind === 'pg' ? await migratedPostgres() : undefined;
    drop = made?.drop;
    config = {
      baseUrl: bases[0],
      ...(made && { database: made.config }),
      listen: { port },
      sources: {
        open: await source(open),
        hidden: await source(hidden, { access: { tokenFile: 'token.txt' } }),
        later: await source(later, { patches: true }),
        leaving: await source(leaving),
      },
      sets: { all: {}, dc: { formats: ['oai_dc'] } },
    };
    writeFileSync(join(directory, 'token.txt'), `${secret}\n`);
    configure();
    expect(await run('harvest')).toMatchObject({ code: 0 });
    serving = await Promise.all([
      served(directory),
      served(directory, '--role', 'web', '--port', String(other)),
    ]);
  });
  afterAll(async () => {
    await endServed(...serving);
    await Promise.all([open, hidden, later, leaving].map((one) => one?.close()));
    rmSync(directory, { recursive: true, force: true });
    await drop?.();
  });

  const configure = () => writeFileSync(join(directory, 'rsbridge.yaml'), stringify(config));
  const run = (...args: string[]) => runMain(directory, args);

  /** The statuses of both processes. */
  async function both(path: string, token?: string): Promise<readonly number[]> {
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    return Promise.all(bases.map(async (base) => (await fetch(`${base}${path}`, { headers })).status));
  }
  const text = async (path: string) => (await fetch(`${bases[0]}${path}`)).text();
  const patience = { timeout: 90_000, interval: 200 };

  test('a private source is followed with its token, and named to nobody', async () => {
    await expect.poll(() => both('/hidden/resourcelist.xml', secret), patience).toEqual([200, 200]);
    await expect.poll(() => text('/all/resourcelist.xml'), patience).toContain('/open/items/');
    await expect
      .poll(() => text('/.well-known/resourcesync'), patience)
      .toContain('/open/capabilitylist.xml');
    for (const path of ['/hidden/resourcelist.xml', '/hidden/none.xml', '/hidden/about', '/hidden'])
      expect(await both(path)).toEqual([401, 401]);
    for (const path of [
      '/.well-known/resourcesync',
      '/all/resourcelist.xml',
      '/robots.txt',
      '/',
      '/about',
      '/metrics',
      '/readyz',
    ])
      expect(await text(path), path).not.toContain('hidden');
    expect(await text('/metrics')).toContain('source="open"');
  });

  test('a token for it counts at once in every process, and so does taking it back', async () => {
    const made = JSON.parse(
      (await run('admin', 'tokens', 'add', 'partner', '--set', 'hidden', '--json')).stdout,
    ) as {
      id: number;
      token: string;
    };
    expect(made).toMatchObject({ scope: 'content', sets: ['hidden'] });
    expect(await both('/hidden/resourcelist.xml', made.token)).toEqual([200, 200]);
    const part = JSON.parse(
      (await run('admin', 'tokens', 'add', 'half', '--set', 'hidden/metadata', '--json')).stdout,
    ) as { token: string };
    expect(await both('/hidden/metadata/resourcelist.xml', part.token)).toEqual([200, 200]);
    expect(await both('/hidden/resourcelist.xml', part.token)).toEqual([401, 401]);
    expect((await run('admin', 'tokens', 'list')).stdout).toMatch(/partner {2}content of hidden {2}/);
    expect((await run('admin', 'tokens', 'revoke', String(made.id))).code).toBe(0);
    expect(await both('/hidden/resourcelist.xml', made.token)).toEqual([401, 401]);
    expect((await run('admin', 'log')).stdout).toContain('made a token: partner (content of hidden)');
    // Neither one is in the database, with its logs of both kinds.
    const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((one) =>
      one.isFile(),
    );
    for (const { parentPath, name } of files) {
      // What is being published comes and goes.
      if (!name.startsWith('rsbridge.db')) continue;
      const bytes = readFileSync(join(parentPath, name));
      expect([name, bytes.includes(made.token), bytes.includes(secret)]).toEqual([name, false, false]);
    }
  });

  test('what is refused says what to do', async () => {
    expect(await run('admin', 'tokens', 'add', 'x', '--set', 'hiden')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean "hidden"?'),
    });
    expect(await run('admin', 'tokens', 'add', 'x', '--set', 'hidden/metdata')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean "metadata"?'),
    });
    expect((await run('admin', 'tokens', 'add', 'x', '--set', 'hidden', '--scope', 'read')).stderr).toContain(
      '--scope',
    );
  });

  test('an export leaves it out unless it is asked for', async () => {
    const without = await run('export', 'site');
    expect(without.stderr).toContain('hidden is private and left out');
    expect([existsSync(join(directory, 'site/open')), existsSync(join(directory, 'site/hidden'))]).toEqual([
      true,
      false,
    ]);
    const pages = ['index.html', 'robots.txt', '.well-known/resourcesync'];
    for (const page of pages)
      expect(readFileSync(join(directory, 'site', page), 'utf8')).not.toContain('hidden');
    const whole = await run('export', 'site', '--private');
    expect(whole.stderr).toContain('hidden is private and in the directory');
    expect(existsSync(join(directory, 'site/hidden/resourcelist.xml'))).toBe(true);
    // What was there once goes again.
    expect((await run('export', 'site')).code).toBe(0);
    expect(existsSync(join(directory, 'site/hidden/resourcelist.xml'))).toBe(false);
    const now = new Date(Date.now() - 1000).toISOString();
    expect((await run('export', 'past', '--at', now)).code).toBe(0);
    expect([existsSync(join(directory, 'past/open')), existsSync(join(directory, 'past/hidden'))]).toEqual([
      true,
      false,
    ]);
  });

  test('one that becomes private is in no answer that is for everybody from then on, and sets across sources are written anew', async () => {
    const lists = ['all', 'sets/dc'].flatMap((set) => [`/${set}/resourcelist.xml`, `/${set}/changelist.xml`]);
    expect(await run('harvest')).toMatchObject({ code: 0 });
    for (let count = 0; count < 3; count += 1) later?.edit();
    expect(await run('harvest')).toMatchObject({ code: 0 });
    const namesLater = async (path: string) =>
      (await Promise.all(bases.map(async (base) => (await fetch(`${base}${path}`)).text()))).map((text) =>
        text.includes('/later/items/'),
      );
    for (const path of lists) await expect.poll(() => namesLater(path), patience).toEqual([true, true]);
    const exported = () => {
      const all = readdirSync(join(directory, 'laid-out'), { recursive: true, withFileTypes: true });
      const files = all.filter((one) => one.isFile()).map(({ parentPath, name }) => join(parentPath, name));
      return files.filter((file) => !file.endsWith('.gz') && readFileSync(file, 'utf8').includes('/later/'));
    };
    expect(await run('export', 'laid-out')).toMatchObject({ code: 0 });
    expect(exported().length).toBeGreaterThan(10);
    expect(existsSync(join(directory, 'laid-out/later/patches'))).toBe(true);
    config.sources.later = { ...config.sources.later, access: {} };
    configure();
    expect((await run('reload')).code).toBe(0);
    await expect.poll(() => both('/later/about'), patience).toEqual([401, 401]);
    const descriptions = bases.map(async (base) => (await fetch(`${base}/.well-known/resourcesync`)).text());
    for (const description of await Promise.all(descriptions)) expect(description).not.toContain('/later/');
    // Nobody has to wait for what is written anew: before that it is refused.
    for (const path of lists) expect([path, await namesLater(path)]).toEqual([path, [false, false]]);
    await expect.poll(() => both('/all/resourcelist.xml'), patience).toEqual([200, 200]);
    await expect.poll(() => both('/sets/dc/resourcelist.xml'), patience).toEqual([200, 200]);
    for (const path of lists) expect([path, await namesLater(path)]).toEqual([path, [false, false]]);
    await expect.poll(() => both('/.well-known/resourcesync'), patience).toEqual([200, 200]);
    expect(await text('/.well-known/resourcesync')).toMatch(/^(?!.*\/later\/).*\/open\//s);
    expect(await text('/all/resourcelist.xml')).toContain('/open/items/');
    expect((await run('status')).stdout).toContain('all (All sources): a set across 2 sources');
    expect(await run('export', 'laid-out')).toMatchObject({ code: 0 });
    expect([exported(), existsSync(join(directory, 'laid-out/later'))]).toEqual([[], false]);
  });

  test('one that leaves the configuration leaves the sets across sources, whatever else happens', async () => {
    await expect.poll(() => text('/all/resourcelist.xml'), patience).toContain('/leaving/items/');
    const { leaving: _, ...others } = config.sources;
    config.sources = others;
    configure();
    expect((await run('status')).stdout).toContain(
      'what is published is of before a source left it (`rsbridge publish`, or `rsbridge serve`, writes it anew)',
    );
    expect((await run('reload')).code).toBe(0);
    for (const base of bases)
      await expect
        .poll(async () => (await fetch(`${base}/all/resourcelist.xml`)).text(), patience)
        .not.toContain('/leaving/items/');
    await expect
      .poll(async () => (await run('status')).stdout, patience)
      .not.toContain('of before a source left it');
  });

  test('it stays private when it has left the configuration', async () => {
    const { hidden: _, ...others } = config.sources;
    config.sources = others;
    const made = JSON.parse(
      (await run('admin', 'tokens', 'add', 'heir', '--set', 'hidden', '--json')).stdout,
    ) as {
      token: string;
    };
    configure();
    expect((await run('reload')).code).toBe(0);
    expect((await run('remove', 'hidden')).code).toBe(0);
    await expect.poll(() => both('/hidden/changelist.xml', made.token), patience).toEqual([200, 200]);
    expect(await both('/hidden/changelist.xml')).toEqual([401, 401]);
    // What the configuration had opens it no longer than the configuration is in force.
    // Asked seldom: ten wrong ones, and nobody is told anything.
    await expect
      .poll(() => both('/hidden/changelist.xml', secret), { ...patience, interval: 3_000 })
      .toEqual([401, 401]);
    expect(await both('/hidden/changelist.xml', made.token)).toEqual([200, 200]);
    for (const path of ['/.well-known/resourcesync', '/robots.txt', '/', '/metrics'])
      expect(await text(path), path).not.toContain('hidden');
  });
});
