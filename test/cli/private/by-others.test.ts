import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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

/** A configuration that has `access` is read by a command, and by no process that answers. */
describe.each(['sqlite', 'pg'] as const)(
  'a source that is private by what others have read, on %s',
  (kind) => {
    const repositories = [31, 32].map((seed) =>
      createSampleRepository({ clock: systemClock, records: 6, seed }),
    );
    let directory: string;
    let bases: string[];
    let settings: object;
    let urls: (string | undefined)[];
    let serving: Served[] = [];
    let drop: (() => Promise<void>) | undefined;

    beforeAll(async () => {
      directory = mkdtempSync(join(tmpdir(), 'rsbridge-private-by-'));
      const ports = [await freePort(), await freePort()];
      bases = ports.map((port) => `http://127.0.0.1:${port}`);
      urls = await Promise.all(repositories.map(async (one) => (await one.listen(0)).url));
      const made = kind === 'pg' ? await migratedPostgres() : undefined;
      drop = made?.drop;
      settings = {
        ...{ baseUrl: bases[0], listen: { port: ports[0] }, contact: 'repository@example.ac.jp', oai: true },
        ...(made && { database: made.config }),
        sets: { all: {} },
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
      await Promise.all(repositories.map((one) => one.close()));
      rmSync(directory, { recursive: true, force: true });
      await drop?.();
    });

    function configure(access?: object): void {
      const source = (url: string | undefined) => ({
        ...{ url, schedule: false, fullPass: false, identifierPass: false, overlapSeconds: 5 },
        ...{ files: { mode: 'none' }, formats: ['oai_dc'], oai: true },
      });
      const sources = { open: source(urls[0]), closing: { ...source(urls[1]), ...(access && { access }) } };
      writeFileSync(join(directory, 'rsbridge.yaml'), stringify({ ...settings, sources }));
    }
    const run = (...args: string[]) => runMain(directory, args);
    const both = async (path: string) =>
      Promise.all(bases.map(async (base) => (await fetch(`${base}${path}`)).status));
    const texts = async (path: string) =>
      (await Promise.all(bases.map(async (base) => (await fetch(`${base}${path}`)).text()))).join('\n');
    const patience = { timeout: 40_000, interval: 200 };
    const records = '/oai?verb=ListIdentifiers&metadataPrefix=oai_dc';

    test('is so for all of them, within a second or two', async () => {
      await expect.poll(() => both('/closing/resourcelist.xml'), patience).toEqual([200, 200]);
      await expect.poll(() => texts('/all/resourcelist.xml'), patience).toContain('/closing/items/');
      const list = await (await fetch(`${bases[0]}/closing/resourcelist.xml`)).text();
      const [address = ''] = /http[^<]+\/oai_dc\.xml/.exec(list) ?? [];
      const path = new URL(address).pathname;
      await expect.poll(() => texts(records), patience).toContain('<setSpec>closing:');
      const moment = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
      const memento = `/memento/${moment}/${bases[0]}/all/resourcelist.xml`;
      await expect.poll(() => texts(memento), patience).toContain('/closing/items/');
      // In memory, where anything is.
      for (let turn = 0; turn < 3; turn += 1) expect(await both(path)).toEqual([200, 200]);

      configure({});
      expect(await run('status')).toMatchObject({ code: 0 });
      await expect.poll(() => both(path), patience).toEqual([401, 401]);
      for (const one of [
        '/closing/resourcelist.xml',
        '/closing/about',
        '/closing/oai?verb=Identify',
        `/timegate/${address}`,
        `/timemap/link/${address}`,
        '/search?source=closing',
      ])
        expect([one, await both(one)]).toEqual([one, [401, 401]]);
      for (const one of ['/', '/about', '/metrics', '/readyz', '/robots.txt', '/.well-known/resourcesync'])
        expect(await texts(one), one).not.toContain('closing');
      expect(await texts('/all/resourcelist.xml')).not.toContain('/closing/items/');
      expect(await texts('/search')).not.toContain('/closing/items/');
      expect(await texts(memento)).not.toContain('/closing/items/');
      await expect.poll(() => texts(records), patience).not.toContain('closing');
      // They are written anew without anybody having to say so.
      for (const one of ['/all/resourcelist.xml', '/.well-known/resourcesync']) {
        await expect.poll(() => both(one), patience).toEqual([200, 200]);
        expect(await texts(one), one).not.toContain('closing');
      }
    });

    test('is for everybody again when a configuration says so', async () => {
      configure();
      expect(await run('status')).toMatchObject({ code: 0 });
      await expect.poll(() => both('/closing/resourcelist.xml'), patience).toEqual([200, 200]);
    });
  },
);
