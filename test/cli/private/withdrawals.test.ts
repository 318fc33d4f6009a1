import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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

/** What is withdrawn stays so, whichever of a source and its private sets an item is in. */
describe.each(['sqlite', 'pg'] as const)('a withdrawal and a private set, on %s', (kind) => {
  const repository = createSampleRepository({ clock: systemClock, records: 24, seed: 23 });
  let directory: string;
  let base: string;
  let config: Record<string, unknown>;
  let url: string;
  let drop: (() => Promise<void>) | undefined;
  let serving: Served;
  /** Of items that the repository has in `journal:bulletin`. */
  let inside: string[];
  let token: string;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'rsbridge-private-withdrawals-'));
    ({ url } = await repository.listen(0));
    const ask = `${url}?verb=ListIdentifiers&metadataPrefix=oai_dc&set=journal:bulletin`;
    const list = await (await fetch(ask)).text();
    inside = [...list.matchAll(/<header>\s*<identifier>([^<]+)/g)].map(([, identifier = '']) => identifier);
    expect(inside.length).toBeGreaterThan(4);
    const port = await freePort();
    base = `http://127.0.0.1:${port}`;
    const made = kind === 'pg' ? await migratedPostgres() : undefined;
    drop = made?.drop;
    config = { baseUrl: base, listen: { port }, ...(made && { database: made.config }) };
    configure();
    expect(await run('harvest')).toMatchObject({ code: 0 });
    serving = await served(directory);
  });
  afterAll(async () => {
    await endServed(serving);
    await repository.close();
    rmSync(directory, { recursive: true, force: true });
    await drop?.();
  });

  function configure(access?: object): void {
    const sample = {
      ...{ url, schedule: false, fullPass: false, identifierPass: false, overlapSeconds: 5 },
      ...{ files: { mode: 'none' }, formats: ['oai_dc'] },
      sets: { bulletin: { collections: ['journal:bulletin'], ...(access && { access }) } },
    };
    writeFileSync(join(directory, 'rsbridge.yaml'), stringify({ ...config, sources: { sample } }));
  }
  const run = (...args: string[]) => runMain(directory, args);
  const patience = { timeout: 90_000, interval: 200 };
  /** `serve` may be writing for as long as a command waits. */
  async function reloaded(access?: object): Promise<void> {
    configure(access);
    await expect.poll(async () => (await run('reload')).code, patience).toBe(0);
  }
  /** It may be at the same source. */
  const harvested = (...args: string[]) =>
    expect.poll(async () => (await run('harvest', ...args)).code, patience).toBe(0);
  const pathOf = (source: string, identifier: string) =>
    `/${source}/items/${toSegment(identifier)}/oai_dc.xml`;
  const statuses = (source: string, secret?: string) =>
    Promise.all(
      inside.slice(0, 4).map(async (identifier) => {
        const headers = secret === undefined ? {} : { authorization: `Bearer ${secret}` };
        return (await fetch(`${base}${pathOf(source, identifier)}`, { headers })).status;
      }),
    );

  test('what was withdrawn before its set became private is not in the private set', async () => {
    expect(await run('withdraw', inside[0] ?? '')).toMatchObject({ code: 0 });
    expect(await statuses('sample')).toEqual([410, 200, 200, 200]);
    await reloaded({});
    await harvested();
    const made = await run('admin', 'tokens', 'add', 'partner', '--set', 'sample/bulletin', '--json');
    ({ token } = JSON.parse(made.stdout) as { token: string });
    // It was never there.
    await expect.poll(() => statuses('sample-bulletin', token), patience).toEqual([404, 200, 200, 200]);
  });

  test('the identifier is enough, though both have the item; so is the address of its page', async () => {
    const named = await run('withdraw', inside[1] ?? '', '--json');
    expect(JSON.parse(named.stdout).sources).toContain('sample-bulletin');
    const page = `${base}/sample-bulletin/items/${toSegment(inside[2] ?? '')}`;
    expect(await run('withdraw', page)).toMatchObject({ code: 0 });
    expect(await statuses('sample-bulletin', token)).toEqual([404, 410, 410, 200]);
  });

  test('what was withdrawn in the private set is not published when the set is private no more', async () => {
    await reloaded();
    await harvested('--full');
    await expect.poll(() => statuses('sample'), patience).toEqual([410, 410, 410, 200]);
    expect((await run('status')).stdout).toContain(`sample/items/${toSegment(inside[2] ?? '')}`);
  });

  test('what is restored is published wherever it is now', async () => {
    const restored = await run('restore', `${base}/sample/items/${toSegment(inside[2] ?? '')}`);
    expect([restored.code, restored.stdout]).toEqual([0, expect.stringContaining('published again')]);
    await expect.poll(() => statuses('sample'), patience).toEqual([410, 410, 200, 200]);
    await reloaded({});
    await harvested('--full');
    await expect.poll(() => statuses('sample-bulletin', token), patience).toEqual([404, 410, 200, 200]);
    const again = await run('restore', inside[1] ?? '');
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('sample-bulletin has delivered')]);
    expect(again.stdout).not.toContain('does not have the item');
    await expect.poll(() => statuses('sample-bulletin', token), patience).toEqual([404, 200, 200, 200]);
  });
});
