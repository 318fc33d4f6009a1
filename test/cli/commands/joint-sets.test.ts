import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { systemClock } from '../../../src/bridge/system-clock.ts';
import { createSampleRepository } from '../../../src/demo/sample-repository.ts';
import { openDatabase } from '../../../src/store/engine/database.ts';
import { rsbridge } from '../../house/cli/processes.ts';
import { runMain } from '../../house/cli/run-main.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

const patience = { timeout: 90_000, interval: 200 };

describe('sets across sources while rsbridge serves', () => {
  const [one, two] = [11, 12].map((seed) => createSampleRepository({ clock: systemClock, records: 6, seed }));
  let directory: string;
  let base: string;
  let served: ReturnType<typeof rsbridge>;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'rsbridge-joint-'));
    const port = await freePort();
    base = `http://127.0.0.1:${port}`;
    const source = async (repository: typeof one, more: object = {}) => ({
      url: (await repository?.listen(0))?.url,
      schedule: false,
      fullPass: false,
      identifierPass: false,
      overlapSeconds: 5,
      files: { mode: 'none' },
      dumps: [],
      ...more,
    });
    const config = {
      baseUrl: base,
      listen: { port },
      groups: { g: {} },
      sources: { first: await source(one), second: await source(two, { group: 'g' }) },
      sets: { all: { dumps: true }, grouped: { groups: ['g'], formats: ['oai_dc'] } },
    };
    writeFileSync(join(directory, 'rsbridge.yaml'), stringify(config));
    served = await serve();
  });
  afterEach(async () => {
    served.child.kill('SIGTERM');
    await served.finished;
    await Promise.all([one?.close(), two?.close()]);
    rmSync(directory, { recursive: true, force: true });
  });

  async function serve(): Promise<ReturnType<typeof rsbridge>> {
    const started = rsbridge(['serve', '--json'], directory);
    if (!started.child.stdout) throw new Error('the process has no output');
    await once(started.child.stdout, 'data');
    return started;
  }
  const read = async (path: string) => {
    const answer = await fetch(`${base}${path}`);
    return answer.status === 200 ? answer.text() : '';
  };
  const hashes = (list: string) =>
    new Map(
      [...list.matchAll(/<loc>([^<]*)<\/loc>.*? hash="sha-256:([^"]*)"/g)].map(([, loc, hash]) => [
        loc,
        hash,
      ]),
    );
  async function harvest(): Promise<void> {
    expect(await runMain(directory, ['harvest', '--json'])).toMatchObject({ code: 0 });
  }
  async function edit(): Promise<void> {
    for (let count = 0; count < 4; count += 1) for (const repository of [one, two]) repository?.edit();
    await harvest();
  }
  /** What lives in the store: every list may be a moment behind. */
  async function truth(): Promise<ReadonlyMap<string | undefined, string | undefined>> {
    const database = openDatabase({ client: 'sqlite', file: join(directory, 'data', 'rsbridge.db') });
    try {
      const rows: { path: string; hash: string }[] = await database
        .reader('resource')
        .whereNull('deleted_at')
        .select('path', 'hash');
      return new Map(rows.map(({ path, hash }) => [`${base}/${path}`, hash.replace('sha-256:', '')]));
    } finally {
      await database.close();
    }
  }

  test('one list is followed for all of them, through a kill; and every tool knows it', async () => {
    const isLevel = async () => isDeepStrictEqual(hashes(await read('/all/resourcelist.xml')), await truth());
    await expect.poll(async () => (await truth()).size > 10 && (await isLevel()), patience).toBe(true);
    const copy = hashes(await read('/all/resourcelist.xml'));

    await edit();
    served.child.kill('SIGKILL');
    await served.finished;
    await edit();
    served = await serve();
    const follow = async () => {
      for (const entry of (await read('/all/changelist.xml')).split('\n')) {
        const [, loc] = /<loc>([^<]*)<\/loc>/.exec(entry) ?? [];
        if (loc === undefined || !entry.startsWith('<url>')) continue;
        if (entry.includes('change="deleted"')) copy.delete(loc);
        else copy.set(loc, /hash="sha-256:([^"]*)"/.exec(entry)?.[1]);
      }
      return [...copy].sort();
    };
    await expect
      .poll(
        async () => JSON.stringify(await follow()) === JSON.stringify([...(await truth())].sort()),
        patience,
      )
      .toBe(true);
    for (const [loc = '', hash] of copy) {
      const bytes = Buffer.from(await (await fetch(loc)).arrayBuffer());
      expect(createHash('sha256').update(bytes).digest('hex'), loc).toBe(hash);
    }

    // Provenance is in every entry, and a resource leads to every list that has it (RS-DISC-13).
    const entries = (await read('/all/resourcelist.xml'))
      .split('\n')
      .filter((line) => line.startsWith('<url>'));
    for (const entry of entries) {
      expect(entry).toMatch(new RegExp(`rel="collection" href="${base}/(first|second)/about"`));
      expect(entry).toContain('rel="via"');
    }
    const [ofSecond = ''] = [...copy.keys()].filter(
      (loc) => loc?.includes('/second/') && loc.endsWith('oai_dc.xml'),
    );
    const link = (await fetch(ofSecond)).headers.get('link') ?? '';
    for (const set of ['second', 'second/metadata', 'all', 'sets/grouped'])
      expect(link).toContain(`<${base}/${set}/capabilitylist.xml>; rel="resourcesync"`);
    expect(hashes(await read('/sets/grouped/resourcelist.xml')).has(ofSecond)).toBe(true);
    expect(await read('/all/about')).toContain('All sources');

    const status = await runMain(directory, ['status']);
    expect(status.stdout).toContain(`all (All sources): a set across 2 sources, ${copy.size} resources.`);
    const gate = await fetch(`${base}/timegate/${base}/all/resourcelist.xml`, { redirect: 'manual' });
    expect(gate.status, await gate.text()).toBe(302);
    expect(hashes(await (await fetch(gate.headers.get('location') ?? '')).text()).size).toBeGreaterThan(0);

    const published = await runMain(directory, ['publish', 'all', '--close']);
    expect(published, published.stderr).toMatchObject({ code: 0 });
    for (const name of ['resourcedump', 'changedump'])
      expect(await read('/all/capabilitylist.xml')).toContain(`${base}/all/${name}.xml`);
    const [, zip = ''] = /<loc>([^<]*\.zip)<\/loc>/.exec(await read('/all/resourcedump.xml')) ?? [];
    const answer = await fetch(zip);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/zip']);
    expect(await (await fetch(zip.replace('.zip', '-manifest.xml'))).text()).toContain(
      `rel="collection" href="${base}/second/about"`,
    );
    const valid = await runMain(directory, ['validate', base, '--strict', '--json']);
    expect(valid.stdout.split('\n').filter((line) => line.includes('"rule'))).toEqual([]);
    expect(valid, valid.stdout + valid.stderr).toMatchObject({ code: 0 });
    const exported = await runMain(directory, ['export', 'out']);
    expect(exported, exported.stderr).toMatchObject({ code: 0 });
    for (const name of [
      'all/resourcelist.xml',
      'all/resourcedump.xml',
      'all/changedump.xml',
      'sets/grouped/changelist.xml',
    ])
      expect(existsSync(join(directory, 'out', name)), name).toBe(true);
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
