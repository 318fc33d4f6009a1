import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { stringify } from 'yaml';
import { systemClock } from '../../../src/bridge/system-clock.ts';
import { createSampleRepository } from '../../../src/demo/sample-repository.ts';
import { rsbridge } from '../cli/processes.ts';
import { runBeside } from '../cli/run-beside.ts';
import type { Outcome } from '../cli/run-main.ts';
import { freePort } from '../process/free-port.ts';

/** A repository that is edited, and processes of `rsbridge serve` at one database, which tell of it. */
export interface PushHouse {
  /** Of the first process, by which all are known. */
  readonly base: string;
  /** Changes of resources are told there. */
  readonly topic: string;
  /** A further one. @param env beside what every process has */
  start(env?: Record<string, string>): ReturnType<typeof rsbridge>;
  run(...args: string[]): Promise<Outcome>;
  /** Three edits are harvested, beside those that serve. */
  edit(): Promise<void>;
  ask(form: Record<string, string>): Promise<Response>;
  /** All that were started are killed, at once. */
  killAll(): Promise<void>;
  /** @throws Error with what a process said that has ended, and was not killed */
  expectNoneEnded(): void;
  close(): Promise<void>;
}

export async function openPushHouse(database: object, allow: readonly string[]): Promise<PushHouse> {
  const directory = mkdtempSync(join(tmpdir(), 'rsbridge-push-'));
  const repository = createSampleRepository({ clock: systemClock, seed: 5, records: 12 });
  const ports = [await freePort(), await freePort()];
  const base = `http://127.0.0.1:${ports[0]}`;
  const { url } = await repository.listen();
  const silent = { files: { mode: 'none' }, schedule: false, fullPass: false, identifierPass: false };
  const config = {
    ...{ baseUrl: base, database, directory: join(directory, 'data'), search: false },
    push: { hub: true, allow },
    sources: { repo: { url, allowPrivateAddresses: true, ...silent } },
  };
  writeFileSync(join(directory, 'rsbridge.yaml'), stringify(config));
  let running: ReturnType<typeof rsbridge>[] = [];
  const ended: string[] = [];
  const run = (...args: string[]) => runBeside(directory, args);
  const house: PushHouse = {
    ...{ base, topic: `${base}/repo/change-notification.xml`, run },
    start: (env = {}) => {
      const port = ports[running.length] ?? 0;
      const started = rsbridge(['serve', '--port', String(port)], directory, env);
      running.push(started);
      void started.finished.then(({ code, signal, stdout, stderr }) => {
        if (signal !== 'SIGKILL') ended.push(`a process has ended by itself (${code}): ${stdout}${stderr}`);
      });
      return started;
    },
    edit: async () => {
      for (let edit = 0; edit < 3; edit += 1) repository.edit();
      expect((await run('harvest', 'repo')).code).toBe(0);
    },
    ask: (form) => fetch(`${base}/hub`, { method: 'POST', body: new URLSearchParams(form) }),
    killAll: async () => {
      const killed = running;
      running = [];
      for (const { child } of killed) child.kill('SIGKILL');
      for (const { finished } of killed) await finished;
    },
    expectNoneEnded: () => {
      if (ended.length > 0) throw new Error(ended.join('\n'));
    },
    close: async () => {
      await house.killAll();
      await repository.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
  await house.edit();
  return house;
}
