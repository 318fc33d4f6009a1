import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { systemClock } from '../../../src/bridge/system-clock.ts';
import { toSegment } from '../../../src/core/segment.ts';
import { createSampleRepository } from '../../../src/demo/sample-repository.ts';
import { endServed, rsbridge, type Served, served } from '../../house/cli/processes.ts';
import { freePort } from '../../house/process/free-port.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

/** A backup is of before; who may not have something does not get it back with it. */
describe('a backup that is put back', () => {
  const repository = createSampleRepository({ clock: systemClock, records: 12, seed: 31 });
  let directory: string;
  let base: string;
  let identifiers: string[];
  let serving: Served | undefined;
  let gone: string;
  let tokens: Record<'kept' | 'revoked' | 'later', string>;
  let restored: { readonly next: readonly string[]; readonly carriedOver: unknown };

  /** In processes of their own: on Node 20 one that had the database open may have it still. */
  async function run(...args: string[]) {
    const { finished } = rsbridge(args, directory);
    const { code, stdout, stderr } = await finished;
    expect([args[0], code, stderr], stdout).toEqual([args[0], 0, expect.anything()]);
    return stdout;
  }
  const made = async (name: string): Promise<{ readonly id: number; readonly token: string }> =>
    JSON.parse(await run('admin', 'tokens', 'add', name, '--json'));
  const itemPath = (identifier: string, rest = '/oai_dc.xml') =>
    `/sample/items/${toSegment(identifier)}${rest}`;
  const pathOf = (at: number, rest?: string) => itemPath(identifiers[at] ?? '', rest);
  const statusOf = async (path: string, token?: string) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    return (await fetch(`${base}${path}`, { headers })).status;
  };

  const set = () => `${base}/sample/capabilitylist.xml`;
  const resourceList = async () => (await fetch(`${base}/sample/resourcelist.xml`)).text();
  /** @returns what it is called */
  function deletedUpstream(): string {
    for (;;) {
      const { kind, identifier } = repository.edit({ mayRemove: true });
      if (kind === 'deleted' && !identifiers.slice(0, 4).includes(identifier)) return identifier;
    }
  }

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'rsbridge-what-holds-'));
    const { url } = await repository.listen(0);
    const port = await freePort();
    base = `http://127.0.0.1:${port}`;
    const list = await (await fetch(`${url}?verb=ListIdentifiers&metadataPrefix=oai_dc`)).text();
    const headers = list.matchAll(/<header>\s*<identifier>([^<]+)/g);
    identifiers = [...headers].map(([, identifier = '']) => identifier);
    const sample = { url, schedule: false, fullPass: false, identifierPass: false, files: { mode: 'none' } };
    const config = { baseUrl: base, listen: { port }, sources: { sample } };
    writeFileSync(join(directory, 'rsbridge.yaml'), stringify(config));
    await run('harvest');
    await run('withdraw', identifiers[0] ?? '');
    const [kept, revoked] = [await made('kept'), await made('revoked')];
    await run('backup', 'before.db');
    tokens = { kept: kept.token, revoked: revoked.token, later: (await made('later')).token };
    await run('admin', 'tokens', 'revoke', String(revoked.id));
    await run('restore', identifiers[0] ?? '');
    await run('withdraw', identifiers[1] ?? '', '--reason', 'a court');
    await run('withdraw', `${base}${pathOf(2)}`);
    serving = await served(directory);
    gone = deletedUpstream();
    await run('harvest');
    await vi.waitFor(async () => expect(await statusOf(itemPath(gone))).toBe(410), 60_000);
    await vi.waitFor(async () => {
      const list = await resourceList();
      expect([list.includes(pathOf(3)), list.includes(itemPath(gone))]).toEqual([true, false]);
    }, 60_000);
    await run('sync', set(), 'copy');
    await endServed(serving);
    restored = JSON.parse(await run('restore', 'before.db', '--json'));
    serving = await served(directory);
  });
  afterAll(async () => {
    if (serving) await endServed(serving);
    await repository.close();
    rmSync(directory, { recursive: true, force: true });
  });

  test('says what holds on, and what is withdrawn again', () => {
    expect(restored.carriedOver).toEqual({
      ...{ withdrawals: 2, refusals: 0, gone: expect.any(Number), access: true },
      restored: [identifiers[0]],
    });
    // Of the item that its repository deleted since.
    expect((restored.carriedOver as { gone: number }).gone).toBeGreaterThan(0);
    expect(restored.next).toContain('2 withdrawals made since the backup hold on');
    expect(restored.next.join('\n')).toContain(`rsbridge restore ${identifiers[0]}`);
  });

  test('publishes nothing that was withdrawn since, from the first request on', async () => {
    const statuses = [0, 1, 2, 3].map((at) => statusOf(pathOf(at)));
    expect(await Promise.all(statuses)).toEqual([410, 410, 410, 200]);
    expect(await statusOf(pathOf(2, ''))).toBe(200);
    expect(await statusOf(itemPath(gone))).toBe(410);
    await expect.poll(resourceList).toContain(pathOf(3));
    for (const at of [0, 1, 2]) await expect.poll(resourceList).not.toContain(pathOf(at));
    await run('harvest', '--full');
    expect(await statusOf(pathOf(1))).toBe(410);
    expect(await run('status')).toContain('a court');
  });

  test('is told to those who follow: the Change Lists begin anew, and they compare', async () => {
    const synced = async () => {
      const { stdout } = await rsbridge(['sync', set(), 'copy', '--json'], directory).finished;
      return (JSON.parse(stdout) as { summary: { held: number; ways: readonly { way: string }[] } }).summary;
    };
    expect((await synced()).ways.at(-1)).toMatchObject({ way: 'audit' });
    // Once there is a change, there is a Change List, which begins with it.
    const ways = async () => (await synced()).ways.map(({ way }) => way);
    await expect.poll(ways, { timeout: 60_000 }).toEqual(['incremental']);
    // It is written anew a moment after the last change.
    const entries = async () => (await resourceList()).match(/<url>/g)?.length;
    await expect.poll(entries, { timeout: 60_000 }).toBe((await synced()).held);
  });

  test('lets in whoever may come in now', async () => {
    const own = (['kept', 'revoked', 'later'] as const).map((name) =>
      statusOf('/api/v1/sources', tokens[name]),
    );
    expect(await Promise.all(own)).toEqual([200, 401, 200]);
    expect(await run('admin', 'log')).toMatch(/restored a backup[\s\S]*revoked a token/);
  });
});
