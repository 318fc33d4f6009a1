import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { catchSignals } from '../../src/bridge/signals.ts';
import { rsbridge } from '../house/cli/processes.ts';

function open(patience = { stopMs: 20, abortMs: 20, nowMs: 20 }) {
  const process = new EventEmitter();
  const heard: string[] = [];
  const codes: number[] = [];
  const signals = catchSignals({
    process,
    exit: (code) => codes.push(code),
    heard: (signal) => heard.push(signal),
    patience,
  });
  onTestFinished(() => signals.release());
  return { process, heard, codes, signals };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('signals', () => {
  it('SIGTERM stops, then breaks off, then ends, whatever hangs', async () => {
    const { process, signals, codes } = open();
    process.emit('SIGTERM', 'SIGTERM');
    expect([signals.stop.aborted, signals.abort.aborted]).toEqual([true, false]);
    await until(() => signals.abort.aborted);
    await until(() => codes.length > 0);
    expect(codes).toEqual([130]);
  });

  it('a second one breaks off now, after SIGINT, too', async () => {
    const { process, signals, codes } = open({ stopMs: 3_600_000, abortMs: 3_600_000, nowMs: 10 });
    process.emit('SIGINT', 'SIGINT');
    expect(signals.abort.aborted).toBe(false);
    process.emit('SIGTERM', 'SIGTERM');
    expect(signals.abort.aborted).toBe(true);
    await until(() => codes.length > 0);
  });

  it('SIGHUP is heard, and nothing else', () => {
    const { process, signals, heard } = open();
    process.emit('SIGHUP', 'SIGHUP');
    expect([signals.stop.aborted, signals.abort.aborted, heard]).toEqual([false, false, ['SIGHUP']]);
  });

  it('nobody listens while a migration holds the only thread', async () => {
    const { process, signals } = open();
    await signals.deaf(async () => expect(process.listenerCount('SIGTERM')).toBe(0));
    expect(process.listenerCount('SIGTERM')).toBe(1);
  });
});

describe('a process', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'rsbridge-signals-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  /** An endpoint that begins to answer and never comes to an end. */
  async function configure(): Promise<{ readonly asked: Promise<unknown> }> {
    const endpoint = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/xml' }).write('<?xml version="1.0"?>');
      const drip = setInterval(() => response.write(' '), 100);
      response.once('close', () => clearInterval(drip));
    });
    await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      endpoint.closeAllConnections();
      endpoint.close();
    });
    const { port } = endpoint.address() as AddressInfo;
    const yaml = `listen: { port: 0 }\nsources:\n  repo:\n    url: http://127.0.0.1:${port}/oai\n`;
    writeFileSync(join(directory, 'rsbridge.yaml'), yaml);
    return { asked: once(endpoint, 'request') };
  }

  it.each(['serve', 'harvest'])(
    '%s survives SIGHUP, and a second SIGTERM ends it',
    async (command) => {
      const { asked } = await configure();
      const { child, finished } = rsbridge([command], directory, { RSBRIDGE_LOG_LEVEL: 'info' });
      await asked;
      let said = '';
      child.stderr?.on('data', (text: string) => {
        said += text;
      });
      child.kill('SIGHUP');
      if (command === 'serve')
        await until(() => said.includes('configuration read again: nothing has changed'));
      expect(child.exitCode).toBe(null);
      child.kill('SIGTERM');
      if (command === 'serve') await until(() => said.includes('finishing current work'));
      // Two that come together are one to the kernel; one that comes while it exits kills it.
      const again = setInterval(() => child.kill('SIGTERM'), command === 'serve' ? 60_000 : 500);
      if (command === 'serve') child.kill('SIGTERM');
      const { signal, stderr } = await finished;
      clearInterval(again);
      expect(signal).toBe(null);
      if (command === 'serve') {
        for (const line of stderr.trim().split('\n')) expect(() => JSON.parse(line)).not.toThrow();
      }
    },
    60_000,
  );

  it('that nobody listens to any more is quiet', async () => {
    await configure();
    const { child, finished } = rsbridge(['--help'], directory);
    child.stdout?.destroy();
    expect(await finished).toMatchObject({ signal: null, stderr: '' });
  });
});
