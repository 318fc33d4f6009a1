import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { systemClock } from '../../../src/bridge/system-clock.ts';
import { exitCodes } from '../../../src/cli/terminal/exit-codes.ts';
import { createSampleRepository } from '../../../src/demo/sample-repository.ts';
import { rsbridge } from '../../house/cli/processes.ts';
import { runMain } from '../../house/cli/run-main.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

interface LogLine {
  readonly msg: string;
  readonly added?: readonly string[];
  readonly removed?: readonly string[];
  readonly changed?: readonly { name: string; settings: readonly string[] }[];
  readonly later?: readonly string[];
  readonly reason?: string;
}

describe('a configuration that changes while rsbridge serves', () => {
  const repository = createSampleRepository({ clock: systemClock, records: 5 });
  let directory: string;
  let url: string;
  let served: ReturnType<typeof rsbridge>;
  let address: string;
  const lines: LogLine[] = [];

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'rsbridge-reload-'));
    ({ url } = await repository.listen(0));
    write({ sources: { first: source() } });
    served = rsbridge(['serve', '--json'], directory);
    served.child.stderr?.on('data', (text: string) => {
      for (const line of text.split('\n').filter((one) => one !== '')) lines.push(JSON.parse(line));
    });
    if (!served.child.stdout) throw new Error('the process has no output');
    const [told] = await once(served.child.stdout, 'data');
    address = JSON.parse(String(told)).listening;
  });

  afterEach(async () => {
    served.child.kill('SIGTERM');
    await served.finished;
    expect(lines.filter(({ msg }) => msg === 'harvest failed')).toEqual([]);
    await repository.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const source = (more: object = {}) => ({
    url,
    schedule: false,
    fullPass: false,
    identifierPass: false,
    files: { mode: 'none' },
    ...more,
  });
  const write = (config: object) =>
    writeFileSync(join(directory, 'rsbridge.yaml'), stringify({ listen: { port: 0 }, ...config }));
  const statusOf = async (path: string) => (await fetch(`${address}${path}`)).status;
  const told = (msg: RegExp) => lines.findLast((line) => msg.test(line.msg));
  const until = (check: () => unknown) => expect.poll(check, { timeout: 60_000, interval: 50 }).toBeTruthy();

  test('sources come, change and go; one with errors changes nothing', async () => {
    await expect.poll(() => statusOf('/first/resourcelist.xml'), { timeout: 60_000 }).toBe(200);
    write({
      title: 'New',
      groups: { sample: { title: undefined, mementos: { links: 'none' } } },
      sources: { first: source({ group: 'sample' }), second: source() },
    });
    const { code, stdout, stderr } = await runMain(directory, ['reload']);
    expect(code, stderr).toBe(exitCodes.ok);
    expect(stdout).toMatch(
      /^The configuration can be used: 2 sources\. Every rsbridge serve .+ within 10 seconds/,
    );
    await until(() => told(/^configuration read again: added second; changed first/));
    expect(told(/^configuration read again/)).toMatchObject({
      added: ['second'],
      changed: [{ name: 'first', settings: ['group', 'mementos'] }],
      removed: [],
      later: ['title'],
    });
    await expect.poll(() => statusOf('/second/resourcelist.xml'), { timeout: 60_000 }).toBe(200);
    const description = async () => (await fetch(`${address}/.well-known/resourcesync`)).text();
    await expect.poll(description, { timeout: 60_000 }).toContain('/second/capabilitylist.xml');
    // The list is written anew, without the links that are no longer wanted.
    const hasTimeGates = async () =>
      (await (await fetch(`${address}/first/resourcelist.xml`)).text()).includes('timegate');
    await expect.poll(hasTimeGates, { timeout: 60_000 }).toBe(false);

    writeFileSync(join(directory, 'rsbridge.yaml'), 'sources: { first: { url: nowhere } }\n');
    served.child.kill('SIGHUP');
    await until(() => told(/^the configuration is as before/));
    expect(told(/^the configuration is as before/)?.reason).toContain(
      'sources.first.url: write the web address',
    );
    expect(await runMain(directory, ['reload'])).toMatchObject({ code: exitCodes.usage });
    writeFileSync(join(directory, 'rsbridge.yaml'), 'sources: {}\n');
    const before = lines.length;
    served.child.kill('SIGHUP');
    await until(() => lines.slice(before).some(({ reason }) => reason?.includes('names no source')));
    expect(await statusOf('/second/resourcelist.xml')).toBe(200);

    write({ sources: { second: source() } });
    served.child.kill('SIGHUP');
    await until(() => told(/^configuration read again: removed first$/));
    await until(() => told(/first.+rsbridge remove/));
    await expect.poll(description, { timeout: 60_000 }).not.toContain('/first/capabilitylist.xml');
    expect(await statusOf('/second/resourcelist.xml')).toBe(200);

    const added = await runMain(directory, ['sources', 'add', url, '--name', 'third']);
    expect(added.stderr).toContain('is read already, as the source second');
    const other = createSampleRepository({ clock: systemClock, records: 2 });
    const { url: otherUrl } = await other.listen(0);
    const { code: ended, stderr: why } = await runMain(directory, [
      'sources',
      'add',
      otherUrl,
      '--name',
      'third',
    ]);
    expect(ended, why).toBe(exitCodes.ok);
    await until(() => told(/^configuration read again: added third$/));
    await expect.poll(() => statusOf('/third/resourcelist.xml'), { timeout: 60_000 }).toBe(200);
    await runMain(directory, ['sources', 'pause', 'third']);
    await until(() => told(/^configuration read again: paused third$/));
    await runMain(directory, ['sources', 'remove', 'third']);
    await until(() => told(/^configuration read again: removed third; resumed third$/));
    await other.close();
  });
});
