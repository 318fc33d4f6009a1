import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { systemClock } from '../../../src/bridge/system-clock.ts';
import { toSegment } from '../../../src/core/segment.ts';
import { createSampleRepository } from '../../../src/demo/sample-repository.ts';
import { endServed, type Served, served } from '../../house/cli/processes.ts';
import { runMain } from '../../house/cli/run-main.ts';
import { freePort } from '../../house/process/free-port.ts';
import { migratedPostgres } from '../../house/store/databases.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

/** Of the sample repository `journal:bulletin` is to be private: what is told of it, by whom, and when. */
describe.each(['sqlite', 'pg'] as const)('a private set of a public source, on %s', (kind) => {
  const repository = createSampleRepository({ clock: systemClock, records: 24, seed: 23 });
  let directory: string;
  let bases: string[];
  let url: string;
  let config: Record<string, unknown>;
  let serving: Served[] = [];
  let drop: (() => Promise<void>) | undefined;
  /** Identifiers by what the repository says of them. */
  let inside: string[];
  let outside: string[];
  let token: string;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'rsbridge-private-set-'));
    ({ url } = await repository.listen(0));
    inside = await identifiersOf('&set=journal:bulletin');
    outside = (await identifiersOf('')).filter((identifier) => !inside.includes(identifier));
    expect([inside.length > 2, outside.length > 2]).toEqual([true, true]);
    const ports = [await freePort(), await freePort()];
    bases = ports.map((port) => `http://127.0.0.1:${port}`);
    const made = kind === 'pg' ? await migratedPostgres() : undefined;
    drop = made?.drop;
    config = {
      baseUrl: bases[0],
      contact: 'repository@example.ac.jp',
      listen: { port: ports[0] },
      ...(made && { database: made.config }),
      sources: { sample: source() },
      sets: { all: { dumps: true } },
      oai: true,
    };
    configure();
    expect(await run('harvest')).toMatchObject({ code: 0 });
    serving = await Promise.all([
      served(directory),
      served(directory, '--role', 'web', '--port', String(ports[1])),
    ]);
  });
  afterAll(async () => {
    await endServed(...serving);
    await repository.close();
    rmSync(directory, { recursive: true, force: true });
    await drop?.();
  });

  async function identifiersOf(more: string): Promise<string[]> {
    const list = await (await fetch(`${url}?verb=ListIdentifiers&metadataPrefix=oai_dc${more}`)).text();
    return [...list.matchAll(/<header>\s*<identifier>([^<]+)/g)].map(([, identifier = '']) => identifier);
  }
  function source(access?: object): object {
    const bulletin = { collections: ['journal:bulletin'], ...(access && { access }) };
    return {
      ...{ url, schedule: false, fullPass: false, identifierPass: false, overlapSeconds: 5 },
      ...{ files: { mode: 'none' }, formats: ['oai_dc'], oai: true },
      ...{ sets: { bulletin }, dumps: ['all', 'metadata', 'bulletin'] },
    };
  }
  const configure = () => writeFileSync(join(directory, 'rsbridge.yaml'), stringify(config));
  const run = (...args: string[]) => runMain(directory, args);
  async function reload(access?: object): Promise<void> {
    config.sources = { sample: source(access) };
    configure();
    expect((await run('reload')).code).toBe(0);
  }

  const ask = (path: string, secret?: string, base = bases[0]) =>
    fetch(`${base}${path}`, {
      redirect: 'manual',
      headers: secret === undefined ? {} : { authorization: `Bearer ${secret}` },
    });
  /** The statuses of both processes. */
  const both = (path: string, secret?: string) =>
    Promise.all(bases.map(async (base) => (await ask(path, secret, base)).status));
  const text = async (path: string, secret?: string) => (await ask(path, secret)).text();
  const patience = { timeout: 90_000, interval: 200 };
  /** Which of these a document names. */
  const named = (document: string, identifiers: readonly string[]) =>
    identifiers.filter((identifier) => document.includes(`/items/${toSegment(identifier)}/`));
  const metadataOf = (list: string) =>
    [...list.matchAll(/<loc>([^<]+\/oai_dc\.xml)<\/loc>/g)].map(([, loc = '']) => new URL(loc).pathname);
  const listsOfAll = [
    '/sample/resourcelist.xml',
    '/sample/metadata/resourcelist.xml',
    '/all/resourcelist.xml',
  ];

  test('is a set like any other as long as it has no access', async () => {
    for (const path of listsOfAll)
      await expect
        .poll(async () => metadataOf(await text(path)).length, patience)
        .toBe(inside.length + outside.length);
    await expect
      .poll(async () => metadataOf(await text('/sample/sets/bulletin/resourcelist.xml')).length, patience)
      .toBe(inside.length);
    for (const path of ['/all/resourcedump.xml', '/sample/resourcedump.xml'])
      await expect.poll(async () => (await packagesOf(path)).length, patience).toBe(1);
  });

  test('closes with everything in it as soon as the configuration says so, also in what holds it with others', async () => {
    const paths = metadataOf(await text('/sample/sets/bulletin/resourcelist.xml'));
    const dumps = await packagesOf('/all/resourcedump.xml');
    const others = await packagesOf('/sample/resourcedump.xml');
    expect([paths.length, dumps.length, others.length]).toEqual([inside.length, 1, 1]);
    await reload({});
    // Both processes work by it now.
    const set = '/sample/sets/bulletin/resourcelist.xml';
    await expect.poll(() => both(set), patience).toEqual([401, 401]);
    for (const path of paths) {
      expect([path, await both(path)]).toEqual([path, [410, 410]]);
      const address = `${bases[0]}${path}`;
      for (const service of [`/timegate/${address}`, `/timemap/link/${address}`])
        expect([service, (await both(service)).every((status) => status === 404)]).toEqual([service, true]);
    }
    // Neither process hands a list out that names it, nor a package that has it.
    for (const path of [...dumps, ...others])
      expect([path, (await both(path)).every((status) => status === 410)]).toEqual([path, true]);
    for (const base of bases)
      for (const path of listsOfAll) {
        const answer = await ask(path, undefined, base);
        const list = await answer.text();
        expect([path, [200, 503].includes(answer.status), named(list, inside)]).toEqual([path, true, []]);
      }
  });

  test('is deleted in the lists of everybody, and in nothing that is written from then on', async () => {
    const deleted = async (path: string) =>
      [...(await text(path)).matchAll(/<loc>([^<]+\/oai_dc\.xml)<\/loc>(?:(?!<\/url>).)*change="deleted"/gs)]
        .length;
    for (const path of ['/sample/changelist.xml', '/sample/metadata/changelist.xml', '/all/changelist.xml'])
      await expect.poll(() => deleted(path), patience).toBe(inside.length);
    for (const path of listsOfAll)
      await expect.poll(async () => metadataOf(await text(path)).length, patience).toBe(outside.length);
    await expect.poll(() => text('/.well-known/resourcesync'), patience).not.toContain('bulletin');
    for (const path of ['/', '/about', '/robots.txt', '/metrics', '/readyz', '/sample/about'])
      expect(await text(path), path).not.toContain('bulletin');
    // No count has it.
    for (const base of bases) {
      const home = async () =>
        (await ask('/?format=json', undefined, base)).json() as Promise<{
          totals: { items: number };
          sources: { name: string; items: number }[];
        }>;
      await expect.poll(async () => (await home()).totals.items, patience).toBe(outside.length);
      const { sources } = await home();
      expect(sources.map(({ name, items }) => [name, items])).toEqual([['sample', outside.length]]);
      const metrics = async () => (await ask('/metrics', undefined, base)).text();
      await expect.poll(metrics, patience).toContain(`rsbridge_items{source="sample"} ${outside.length}\n`);
      expect(await metrics()).toContain(`rsbridge_resources{source="sample"} ${outside.length}\n`);
      const page = await (await ask('/', undefined, base)).text();
      expect(page).toContain(`${outside.length} items`);
      expect(page).not.toContain(`${inside.length + outside.length} items`);
      const about = async () => (await ask('/sample/about?format=json', undefined, base)).json();
      await expect.poll(about, patience).toMatchObject({ resources: outside.length });
    }
    // At the address of the source, and at that of all of them.
    for (const oai of ['/sample/oai', '/oai']) {
      const records = `${oai}?verb=ListRecords&metadataPrefix=oai_dc`;
      const tombstones = async () => (await text(records)).match(/status="deleted"/g)?.length ?? 0;
      await expect.poll(tombstones, patience).toBe(inside.length);
      expect(await text(records)).not.toContain('journal:bulletin');
      for (const verb of ['ListSets', 'Identify'])
        expect(await text(`${oai}?verb=${verb}`), verb).not.toContain('bulletin');
    }
    await expect
      .poll(
        async () =>
          (await Promise.all((await packagesOf('/all/resourcedump.xml')).map((one) => both(one)))).flat(),
        patience,
      )
      .toEqual([200, 200]);
  });

  test('is there for whoever has a token for it, as a source of its own', async () => {
    expect(await run('harvest')).toMatchObject({ code: 0 });
    const made = await run('admin', 'tokens', 'add', 'partner', '--set', 'sample/bulletin', '--json');
    ({ token } = JSON.parse(made.stdout) as { token: string });
    const list = '/sample-bulletin/resourcelist.xml';
    await expect.poll(() => both(list, token), patience).toEqual([200, 200]);
    await expect.poll(async () => metadataOf(await text(list, token)).length, patience).toBe(inside.length);
    const answer = await ask(list, token);
    expect(answer.headers.get('cache-control')).toMatch(/^private/);
    for (const path of metadataOf(await answer.text())) {
      expect([path, await both(path, token), await both(path)]).toEqual([path, [200, 200], [401, 401]]);
    }
    expect((await ask('/sample/sets/bulletin/resourcelist.xml', token)).headers.get('location')).toBe(
      `${bases[0]}${list}`,
    );
    await expect.poll(() => both('/sample-bulletin/resourcedump.xml', token), patience).toEqual([200, 200]);
    expect(await text('/sample-bulletin/oai?verb=ListIdentifiers&metadataPrefix=oai_dc', token)).toContain(
      inside[0],
    );
    // The public source reads the same repository again, and shows nothing more.
    expect(await run('harvest', 'sample', '--full')).toMatchObject({ code: 0 });
    expect(metadataOf(await text('/sample/resourcelist.xml'))).toHaveLength(outside.length);
    expect((await run('admin', 'tokens', 'add', 'x', '--set', 'sample/buletin')).stderr).toContain(
      'did you mean "bulletin"?',
    );
  });

  test('is in no export unless it is asked for', async () => {
    const { stderr, code } = await run('export', 'site');
    expect([code, stderr]).toEqual([0, expect.stringContaining('sample-bulletin is private and left out')]);
    expect(existsSync(join(directory, 'site/sample-bulletin'))).toBe(false);
    const list = readFileSync(join(directory, 'site/sample/resourcelist.xml'), 'utf8');
    expect([metadataOf(list).length, named(list, inside)]).toEqual([outside.length, []]);
  });

  test('opens again when the configuration says so, with the next harvest', async () => {
    await reload();
    expect(await run('harvest')).toMatchObject({ code: 0 });
    for (const path of listsOfAll)
      await expect
        .poll(async () => metadataOf(await text(path)).length, patience)
        .toBe(inside.length + outside.length);
    const created = async () =>
      (await text('/sample/changelist.xml')).match(/change="created"/g)?.length ?? 0;
    await expect.poll(created, patience).toBeGreaterThanOrEqual(inside.length);
    const [path = ''] = metadataOf(await text('/sample/sets/bulletin/resourcelist.xml'));
    expect(await both(path)).toEqual([200, 200]);
    // What was a source of its own is none any more, and no more open than it was.
    expect(await both('/sample-bulletin/resourcelist.xml')).toEqual([401, 401]);
  });

  async function packagesOf(path: string): Promise<string[]> {
    const list = await text(path);
    return [...list.matchAll(/<loc>([^<]+\.zip)<\/loc>/g)].map(([, loc = '']) => new URL(loc).pathname);
  }
});
