import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { systemClock } from '../../src/bridge/system-clock.ts';
import { createSampleRepository } from '../../src/demo/sample-repository.ts';
import { rsbridge } from '../house/cli/processes.ts';
import { freePort } from '../house/process/free-port.ts';
import { binary } from '../house/process/script.ts';
import { makePostgres, makeSqlite } from '../house/store/databases.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

/** Where the release before is built: `.ci/run` finds it by its tag. */
const { UPGRADE_FROM: before = '' } = process.env;
if (before === '')
  process.stderr.write('SKIPPED: no release before this one (UPGRADE_FROM) to upgrade from\n');

interface Seen {
  readonly status: number;
  readonly etag: string;
  readonly type: string;
  /** Entries of a list, whatever stands around them; of anything else its hash. */
  readonly content: readonly string[];
}

/**
 * A database and a publication that the release before has made by itself, taken over by this one at the same address: whoever
 * follows it reads on as if nothing had happened.
 */
describe.skipIf(before === '').each(['sqlite', 'pg'] as const)('an upgrade on %s', (kind) => {
  const repository = createSampleRepository({ clock: systemClock, records: 60 });
  let own: ReturnType<typeof makeSqlite>;
  let directory: string;
  let base: string;
  let running: ReturnType<typeof rsbridge> | undefined;

  beforeAll(async () => {
    own = kind === 'sqlite' ? makeSqlite() : await makePostgres();
    directory = mkdtempSync(join(tmpdir(), 'rsbridge-upgrade-'));
    const [{ url }, port] = await Promise.all([repository.listen(0), freePort()]);
    base = `http://127.0.0.1:${port}`;
    const sample = { url, schedule: false, fullPass: false, overlapSeconds: 5 };
    const files = { files: { mode: 'mirror' }, allowPrivateAddresses: true };
    writeFileSync(
      join(directory, 'rsbridge.yaml'),
      stringify({
        ...{ baseUrl: base, listen: { port }, database: own.config, directory: 'data' },
        sources: { sample: { ...sample, ...files } },
        sets: { all: {} },
      }),
    );
  });
  afterAll(async () => {
    await stop();
    await repository.close();
    await own?.drop();
    if (directory) rmSync(directory, { recursive: true, force: true });
  });

  const serve = async (program: string) => {
    running = rsbridge(['serve'], directory, {}, program);
    const isReady = async () => expect((await fetch(`${base}/readyz`)).status).toBe(200);
    const isOver = running.finished.then(({ stderr }) =>
      Promise.reject(new Error(`serve has ended: ${stderr}`)),
    );
    await Promise.race([vi.waitFor(isReady, { timeout: 90_000, interval: 200 }), isOver]);
    isOver.catch(() => undefined);
  };
  const stop = async () => {
    running?.child.kill('SIGTERM');
    await running?.finished;
    running = undefined;
  };
  const typed = async (program: string, ...args: string[]) => {
    const { code, stderr } = await rsbridge(args, directory, {}, program).finished;
    expect([args.join(' '), code, code === 0 ? '' : stderr]).toEqual([args.join(' '), 0, '']);
  };

  async function look(url: string): Promise<Seen & { readonly leadsTo: readonly string[] }> {
    const answer = await fetch(url, {
      headers: { accept: 'application/xml', 'accept-encoding': 'identity' },
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    const type = answer.headers.get('content-type') ?? '';
    const text = type.includes('xml') ? bytes.toString('utf8') : '';
    const isList = text.includes('http://www.openarchives.org/rs/terms/');
    const entries = [...text.matchAll(/<(?:url|sitemap)>.*?<\/(?:url|sitemap)>/gs)].map(([entry]) => entry);
    const hash = createHash('sha256').update(bytes).digest('hex');
    return {
      ...{ status: answer.status, etag: answer.headers.get('etag') ?? '', type },
      content: isList ? entries.map((entry) => entry.replace(/\s+/g, ' ')).sort() : [hash],
      leadsTo: isList ? [...text.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, loc = '']) => loc) : [],
    };
  }

  /** Everything that can be found from the host on. */
  async function everything(): Promise<Map<string, Seen>> {
    const seen = new Map<string, Seen>();
    const waiting = [`${base}/.well-known/resourcesync`];
    for (let url = waiting.pop(); url !== undefined; url = waiting.pop()) {
      if (seen.has(url)) continue;
      const { leadsTo, ...what } = await look(url);
      seen.set(url, what);
      waiting.push(...leadsTo.filter((one) => one.startsWith(`${base}/`)));
    }
    return seen;
  }

  test('is noticed by nobody who reads', async () => {
    const old = join(before, 'src', 'launcher', 'rsbridge.cjs');
    await typed(old, 'harvest');
    await serve(old);
    const isThere = (path: string) =>
      vi.waitFor(async () => expect((await fetch(`${base}/${path}`)).status).toBe(200), {
        timeout: 90_000,
        interval: 500,
      });
    await isThere('all/resourcelist.xml');
    for (let edit = 0; edit < 12; edit += 1) repository.edit();
    await typed(old, 'harvest');
    await isThere('all/changelist.xml');
    await isThere('sample/changelist.xml');
    // Resource Lists follow within a minute: from then on nothing is written anew but by the upgrade.
    for (const set of ['sample', 'sample/metadata', 'all'])
      await vi.waitFor(
        async () => {
          const listed = (await look(`${base}/${set}/resourcelist.xml`)).leadsTo;
          const changed = (await look(`${base}/${set}/changelist.xml`)).content;
          const alive = changed.filter((entry) => !entry.includes('change="deleted"'));
          const facts = (entry: string) => /<loc>.*?<\/lastmod>/.exec(entry)?.[0] ?? entry;
          const there = new Set((await look(`${base}/${set}/resourcelist.xml`)).content.map(facts));
          expect(listed.length).toBeGreaterThan(0);
          expect(alive.map(facts).filter((entry) => !there.has(entry))).toEqual([]);
        },
        { timeout: 120_000, interval: 2000 },
      );
    const then = await everything();
    expect(then.size).toBeGreaterThan(200);
    expect([...then].filter(([, { status }]) => status !== 200 && status !== 410)).toEqual([]);
    await stop();

    await serve(binary());
    for (const _round of ['at once', 'after what is written anew']) {
      const lost: unknown[] = [];
      for (const [url, { status, etag, content }] of then) {
        const now = await look(url);
        const isSame = now.status === status && JSON.stringify(now.content) === JSON.stringify(content);
        // A list may have gained something; it has lost nothing.
        const isMore = now.status === 200 && content.every((entry) => now.content.includes(entry));
        if (!isSame && !isMore) lost.push([url, status, now.status, etag, now.etag]);
      }
      expect(lost).toEqual([]);
      await new Promise((resolve) => setTimeout(resolve, 10_000));
    }

    // The next harvest finds what was edited since, and nothing a second time.
    const changes = async () => (await look(`${base}/sample/metadata/changelist.xml`)).content;
    const earlier = await changes();
    await typed(binary(), 'harvest', 'sample');
    expect(await changes()).toEqual(earlier);
    const { identifier } = repository.edit({ mayRemove: false });
    await typed(binary(), 'harvest', 'sample');
    await vi.waitFor(
      async () => expect((await changes()).length).toBeGreaterThan(earlier.length - 3),
      30_000,
    );
    await vi.waitFor(
      async () => {
        const added = (await changes()).filter((entry) => !earlier.includes(entry));
        expect(added.length).toBeGreaterThan(0);
        for (const entry of added) expect(entry).toContain(encodeURI(identifier).replaceAll('/', '~2F'));
      },
      { timeout: 60_000, interval: 500 },
    );
  });
});
