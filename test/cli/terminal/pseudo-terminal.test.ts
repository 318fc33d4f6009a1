import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { exitCodes } from '../../../src/cli/terminal/exit-codes.ts';
import { list, provide, record, repository } from '../../house/adapters/scripted-provider.ts';
import { Screen } from '../../house/cli/screen.ts';
import { binary } from '../../house/process/script.ts';

let directory: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-terminal-'));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
});

interface Session {
  readonly screen: Screen;
  /** What is typed; `\u0003` is Ctrl-C. */
  type(keys: string): void;
  readonly ended: Promise<number | null>;
}

/** `rsbridge ARGS` in a process of its own, at a terminal that the system made. */
function atTerminal(columns: number, args: string, env: Readonly<Record<string, string>> = {}): Session {
  const command = `stty cols ${columns} rows 24; exec "${process.execPath}" "${binary()}" ${args}`;
  const child = spawn('script', ['--quiet', '--return', '--flush', '--command', command, '/dev/null'], {
    cwd: directory,
    env: { PATH: process.env.PATH, TERM: 'xterm', SHELL: '/bin/sh', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  const screen = new Screen(columns);
  child.stdout?.setEncoding('utf8').on('data', (text: string) => screen.write(text));
  return {
    screen,
    type: (keys) => child.stdin?.write(keys),
    ended: new Promise((resolve) => child.once('close', resolve)),
  };
}

/** A repository of two pages; the second comes when it is let go. */
async function provideSlowly(): Promise<{ release(): void }> {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const token = '<resumptionToken completeListSize="2">more</resumptionToken>';
  const { url } = await provide(
    repository((query) => {
      if (!query.has('resumptionToken')) return list([record('oai:a:1')], token);
      return (response) => void released.then(() => response.end(list([record('oai:a:2')])));
    }),
  );
  const sources = { slow: { url, files: { mode: 'none' } } };
  writeFileSync(join(directory, 'rsbridge.yaml'), JSON.stringify({ sources }));
  return { release };
}

const seen = (screen: Screen, text: string | RegExp) =>
  vi.waitFor(() => expect(screen.text).toMatch(text), { timeout: 60_000, interval: 20 });
const widest = (text: string) => Math.max(...text.split('\n').map(({ length }) => length));

// util-linux has it; other systems' take other options.
const isThere = spawnSync('script', ['--version']).stdout?.toString().includes('util-linux') ?? false;

describe.runIf(isThere)('at a terminal of the system', () => {
  test('a harvest draws one line in 40 columns, and leaves its result alone', async () => {
    const { release } = await provideSlowly();
    const { screen, ended } = atTerminal(40, 'harvest');
    await seen(screen, /^slow .*50 % 1 of 2 records/m);
    expect(screen.text.split('\n')).toHaveLength(1);
    expect(widest(screen.text)).toBeLessThan(40);
    expect(screen.written.join('')).toContain('\u001b[32m');
    release();
    expect(await ended).toBe(exitCodes.ok);
    expect(screen.text).toMatch(/^slow: full harvest of 2 records: 2 created[^\n]*$/);
  });

  test('with NO_COLOR there are no colours', async () => {
    const { release } = await provideSlowly();
    const { screen, ended } = atTerminal(80, 'harvest', { NO_COLOR: '1' });
    await seen(screen, /█+░+.*1 of 2 records/);
    release();
    await ended;
    expect(screen.written.join('')).not.toContain('\u001b[32m');
    expect(screen.written.join('')).not.toContain('\u001b[2m');
  });

  test('Ctrl-C is answered in place of the bar; the page is finished', async () => {
    const { release } = await provideSlowly();
    const { screen, type, ended } = atTerminal(100, 'harvest');
    await seen(screen, /1 of 2 records/);
    type('\u0003');
    await seen(screen, /stopping/);
    release();
    expect(await ended).toBe(exitCodes.interrupted);
    expect(screen.text).toMatch(/^(?:\^C)?stopping[^\n]*press Ctrl-C again to stop now$/m);
    expect(screen.text).toContain('slow: full harvest of');
    expect(screen.text).not.toMatch(/[█░]/);
  });

  test('a second Ctrl-C ends it at once', async () => {
    await provideSlowly();
    const { screen, type, ended } = atTerminal(100, 'harvest');
    await seen(screen, /1 of 2 records/);
    type('\u0003');
    await seen(screen, /stopping/);
    type('\u0003');
    expect(await ended).toBe(exitCodes.interrupted);
    expect(screen.text).not.toMatch(/[█░]/);
  });
});
