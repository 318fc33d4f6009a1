import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type Database, openDatabase } from '../../../src/store/engine/database.ts';
import { lookAtClock } from '../../../src/store/runs/clock-ahead.ts';
import { askFor } from '../../../src/store/runs/due.ts';
import { rsbridge } from '../cli/processes.ts';
import { runBeside } from '../cli/run-beside.ts';
import type { Outcome } from '../cli/run-main.ts';
import { type SilentProxy, startSilentProxy } from '../postgres/silent-proxy.ts';
import { freePort } from '../process/free-port.ts';
import { clockAhead } from './clock-ahead.ts';
import { wrongInJournal, wrongInLists } from './promises.ts';
import type { Repositories } from './repositories.ts';

/** One `rsbridge serve` with a way to the database of its own. */
export interface Served {
  readonly role: 'web' | 'work' | 'all';
  readonly child: ChildProcess;
  readonly proxy: SilentProxy;
  /** Where it answers. */
  readonly url: string;
  /** What it has said until now. */
  said(): string;
}

export interface ServedSettings {
  readonly role: Served['role'];
  readonly aheadMs?: number;
  /** What is not as in the configuration. */
  readonly config?: object;
}

const leaseSeconds = 2;
const timeoutSeconds = 1;
/** Real processes at one PostgreSQL that work with the same repositories. */
export class Installation {
  readonly repositories: Repositories;
  readonly directory = mkdtempSync(join(tmpdir(), 'rsbridge-faults-'));
  readonly running: Served[] = [];
  readonly base = 'http://127.0.0.1:9';
  /** Of the test. */
  database: Database;
  #url: string;

  constructor(repositories: Repositories, url: string) {
    this.repositories = repositories;
    this.#url = url;
    this.database = openDatabase({ client: 'pg', url, poolSize: 4 });
  }

  /** It is another server from now on. */
  async moveTo(url: string): Promise<void> {
    await this.database.close();
    this.database = openDatabase({ client: 'pg', url, poolSize: 4 });
    this.#url = url;
    for (const { proxy } of this.running) proxy.lead(url);
  }

  /** @returns when it is ready to do what its role is */
  async serve({ role, aheadMs = 0, config = {} }: ServedSettings): Promise<Served> {
    const port = await freePort();
    const proxy = await startSilentProxy(this.#url);
    const name = `${role}-${this.running.length}.yaml`;
    writeFileSync(
      join(this.directory, name),
      JSON.stringify({ ...this.#config(proxy.url, port), ...config }),
    );
    const args = ['serve', '--role', role, '--config', name, '--json'];
    const { child, finished } = rsbridge(args, this.directory, clockAhead(aheadMs));
    let text = '';
    child.stderr?.on('data', (chunk: string) => {
      text += chunk;
    });
    const served: Served = { role, child, proxy, url: `http://127.0.0.1:${port}`, said: () => text };
    this.running.push(served);
    await new Promise<void>((resolve, reject) => {
      child.stdout?.once('data', () => resolve());
      void finished.then(({ stderr }) => reject(new Error(stderr)));
    });
    return served;
  }

  /** Has all sources read now, by whoever works. */
  async ask(kind: 'harvest' | 'full' = 'harvest'): Promise<void> {
    await askFor(this.database, { sources: this.repositories.names, kind }, await lookAtClock(this.database));
  }

  /** `rsbridge ARGS` beside them. */
  run(...args: string[]): Promise<Outcome> {
    writeFileSync(join(this.directory, 'rsbridge.yaml'), JSON.stringify(this.#config(this.#url, 0)));
    return runBeside(this.directory, args);
  }

  /** Whether the journal of a source has come to what there is. */
  async isRead(name: string): Promise<boolean> {
    return (await wrongInJournal(this.database, name, this.repositories.truth(name))).length === 0;
  }

  /** What is not as it is in the repositories; nothing, sooner or later. */
  async untilLevel(): Promise<void> {
    // Who stands still while nobody else asks is waited for for a minute, by those who come (`askerMs`).
    const until = performance.now() + 120_000;
    for (;;) {
      const wrong = await this.#wrong().catch((error: unknown) => [String(error)]);
      if (wrong.length === 0) return;
      if (performance.now() > until) {
        const said = this.running.map((one) => `--- ${one.role}\n${one.said()}`).join('\n');
        throw new Error(`${wrong.slice(0, 10).join('\n')}\n${said}`);
      }
      await setTimeout(200);
    }
  }

  async #wrong(): Promise<readonly string[]> {
    const wrong: string[] = [];
    for (const name of this.repositories.names) {
      const truth = this.repositories.truth(name);
      wrong.push(...(await wrongInJournal(this.database, name, truth)));
      const web = this.running.find(({ role, child }) => role !== 'work' && child.signalCode === null);
      if (web && wrong.length === 0)
        wrong.push(...(await wrongInLists(this.database, name, { url: web.url, base: this.base })));
    }
    return wrong;
  }

  async close(): Promise<void> {
    for (const { child } of this.running) child.kill('SIGKILL');
    await Promise.all(this.running.map(({ proxy }) => proxy.close()));
    await this.database.close();
    rmSync(this.directory, { recursive: true, force: true });
  }

  #config(url: string, port: number): object {
    const sources = this.repositories.names.map((name) => [
      name,
      {
        url: this.repositories.url(name),
        schedule: '0 0 1 1 *',
        fullPass: false,
        files: { mode: 'none' },
        requestsPerHost: 8,
      },
    ]);
    return {
      baseUrl: this.base,
      database: { client: 'pg', url, leaseSeconds, timeoutSeconds, poolSize: 6 },
      listen: { port },
      logLevel: 'info',
      groups: {},
      sources: Object.fromEntries(sources),
    };
  }
}
