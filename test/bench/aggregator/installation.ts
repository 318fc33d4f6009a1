import { type ChildProcess, spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../../../src/cli/demo/free-port.ts';
import {
  accessKeyId,
  type ObjectServer,
  secretAccessKey,
  startVersitygw,
  versitygw,
} from '../../house/objects/versitygw.ts';
import {
  type Cluster,
  createCluster,
  type RunningServer,
  startCluster,
} from '../../house/postgres/server.ts';
import { type SilentProxy, startSilentProxy } from '../../house/postgres/silent-proxy.ts';
import { processorTime } from '../growth/processor-time.ts';
import { bin, ofRole } from '../once/processes.ts';
import { rounded } from './figures.ts';
import { type EndpointPlan, requestsAtPlatform } from './plans.ts';

/** Those that work, and those that answer. */
export const processes = {
  'work 1': 'work',
  'work 2': 'work',
  'web 1': 'web',
  'web 2': 'web',
} as const;
export type Name = keyof typeof processes;
export const names = Object.keys(processes) as Name[];

/** From the root of the package, where npm runs benchmarks: it is not compiled. */
const clock = join(process.cwd(), 'test', 'house', 'faults', 'clock-ahead.cjs');
const aheadMs = 600_000;
const serverSettings = {
  shared_buffers: '256MB',
  max_connections: 200,
  max_wal_size: '4GB',
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track': 'top',
};

interface Peaks {
  rssMB: number;
  openFiles: number;
}

/**
 * Two processes that work and two that answer, at one PostgreSQL and one object storage, each with a disk of its own. The
 * first comes to the database through a network that can fail; the clock of the second is ten minutes ahead.
 */
export class Installation {
  readonly objects: ObjectServer | undefined;
  readonly database: pg.Pool;
  readonly databaseUrl: string;
  /** Between `work 1` and the database. */
  readonly network: SilentProxy;
  readonly ports: ReadonlyMap<Name, number>;
  readonly peaks = new Map<Name, Peaks>();
  readonly #directory: string;
  readonly #cluster: Cluster;
  #server: RunningServer;
  readonly #running = new Map<Name, ChildProcess>();
  /** Milliseconds of processes that have ended. */
  #spent = 0;

  static async start(directory: string): Promise<Installation> {
    const cluster = createCluster();
    const server = await startCluster(cluster, await freePort(), serverSettings);
    const network = await startSilentProxy(server.url);
    const objects = versitygw === undefined ? undefined : await startVersitygw();
    const ports = new Map<Name, number>();
    for (const name of names) ports.set(name, await freePort());
    return new Installation({ directory, cluster, server, network, objects, ports });
  }

  private constructor(given: {
    directory: string;
    cluster: Cluster;
    server: RunningServer;
    network: SilentProxy;
    objects: ObjectServer | undefined;
    ports: ReadonlyMap<Name, number>;
  }) {
    this.#directory = given.directory;
    this.#cluster = given.cluster;
    this.#server = given.server;
    this.network = given.network;
    this.objects = given.objects;
    this.ports = given.ports;
    this.databaseUrl = given.server.url;
    this.database = new pg.Pool({ connectionString: given.server.url, max: 3 });
    // It is stopped before what waits for it.
    this.database.on('error', () => undefined);
  }

  /** What addresses begin with, and where the other one answers. */
  get bases(): readonly string[] {
    return names
      .filter((name) => processes[name] === 'web')
      .map((name) => `http://127.0.0.1:${this.ports.get(name)}`);
  }

  /** @param port at which the repositories answer @param periodMinutes from one harvest of a source to its next */
  async configure(plans: readonly EndpointPlan[], port: string, periodMinutes: number): Promise<void> {
    const { objects } = this;
    const groups = {
      each: { files: { mode: 'mirror' } },
      hosting: {
        files: { mode: 'mirror' },
        politenessGroup: 'hosting',
        requestsPerHost: requestsAtPlatform,
      },
    };
    const sources = Object.fromEntries(
      plans.map(({ name, host, platform, limit }, index) => [
        name,
        {
          url: `http://${host}:${port}/oai`,
          schedule: spreadSchedule(index, periodMinutes),
          ...(platform === undefined ? { group: 'each', requestsPerHost: limit } : { group: platform }),
        },
      ]),
    );
    for (const name of names) {
      const directory = join(this.#directory, name.replace(' ', '-'));
      await mkdir(directory, { recursive: true });
      const url = name === 'work 1' ? this.network.url : this.databaseUrl;
      const settings = {
        baseUrl: this.bases[0],
        // One machine without an object storage: all see the same directory.
        directory: objects ? directory : this.#directory,
        database: { client: 'pg', url },
        listen: { port: this.ports.get(name) },
        logLevel: 'warn',
        ...(objects && {
          storage: {
            s3: { endpoint: objects.endpoint, bucket: objects.bucket },
            files: 's3',
            documents: 's3',
            dumps: 's3',
          },
        }),
        groups,
        sources,
        sets: { all: {} },
      };
      await writeFile(this.#file(name), JSON.stringify(settings));
    }
  }

  run(name: Name): void {
    const args = ['serve', '--role', processes[name], '--config', this.#file(name), '--json'];
    const { flags, environment } = ofRole[processes[name]];
    const shift = name === 'work 2' ? ['--require', clock] : [];
    const child = spawn(process.execPath, [...flags, ...shift, bin, ...args], {
      cwd: this.#directory,
      env: {
        ...process.env,
        ...environment,
        AWS_ACCESS_KEY_ID: accessKeyId,
        AWS_SECRET_ACCESS_KEY: secretAccessKey,
        CLOCK_AHEAD_MS: String(aheadMs),
      },
      stdio: ['ignore', 'ignore', openSync(this.#log(name), 'a')],
    });
    process.once('exit', () => child.kill('SIGKILL'));
    this.#running.set(name, child);
  }

  signal(name: Name, signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void {
    const child = this.#running.get(name);
    if (signal === 'SIGKILL') this.#spent += processorTime(child?.pid ?? 0);
    child?.kill(signal);
  }

  /** It loses its power, and what it has not written to the disk. */
  stopDatabase(): Promise<void> {
    return this.#server.end('SIGQUIT');
  }

  async startDatabase(): Promise<void> {
    this.#server = await startCluster(this.#cluster, Number(new URL(this.databaseUrl).port), serverSettings);
  }

  async lookAtProcesses(): Promise<void> {
    for (const [name, { pid }] of this.#running) {
      const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
      const rssMB = Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
      const openFiles = (await readdir(`/proc/${pid}/fd`).catch(() => [])).length;
      const before = this.peaks.get(name) ?? { rssMB: 0, openFiles: 0 };
      this.peaks.set(name, {
        rssMB: Math.max(before.rssMB, rssMB),
        openFiles: Math.max(before.openFiles, openFiles),
      });
    }
  }

  /** Longest delay of the event loop since the last look, by the process itself, in milliseconds. */
  async eventLoopDelays(): Promise<object> {
    const told: Record<string, number> = {};
    for (const [name, port] of this.ports) {
      const metrics = await fetch(`http://127.0.0.1:${port}/metrics`).then((one) => one.text());
      const seconds = /^nodejs_eventloop_lag_max_seconds(?:\{[^}]*\})? (\S+)/m.exec(metrics)?.[1];
      told[name] = Math.round(Number(seconds) * 1000);
    }
    return told;
  }

  /** Of all processes of ours, in seconds, also of those that have ended. */
  processorSeconds(): number {
    const running = [...this.#running.values()].filter(({ signalCode }) => signalCode === null);
    return rounded((this.#spent + running.reduce((sum, { pid }) => sum + processorTime(pid ?? 0), 0)) / 1000);
  }

  processorSecondsOf(name: Name): number {
    return processorTime(this.#running.get(name)?.pid ?? 0) / 1000;
  }

  databaseSeconds(): number {
    return rounded(processorTime(this.#server.pid) / 1000);
  }

  async one(sql: string): Promise<number> {
    return Number(Object.values((await this.database.query(sql)).rows[0] ?? {})[0] ?? 0);
  }

  /** What the processes said was an error, and how often. */
  async errors(): Promise<object> {
    const told = new Map<string, number>();
    for (const name of names)
      for (const line of (await readFile(this.#log(name), 'utf8')).split('\n')) {
        const { level = 0, msg = '', code = '', reason = line } = parsed(line);
        if (level < errorLevel) continue;
        const what = [msg, code, reason.replaceAll(/repository-\d+|127[.\d]+:\d+/g, '…')]
          .join(', ')
          .slice(0, 200);
        told.set(what, (told.get(what) ?? 0) + 1);
      }
    return Object.fromEntries([...told].sort(([, a], [, b]) => b - a).slice(0, 20));
  }

  async close(): Promise<void> {
    for (const child of this.#running.values()) child.kill('SIGKILL');
    await this.database.end();
    await this.network.close();
    await this.#server.end('SIGINT');
    this.#cluster.remove();
    await this.objects?.close();
  }

  #log(name: Name): string {
    return join(this.#directory, `${name.replace(' ', '-')}.log`);
  }

  #file(name: Name): string {
    return join(this.#directory, `${name.replace(' ', '-')}.json`);
  }
}

const errorLevel = 50;

interface Line {
  readonly level?: number;
  readonly msg?: string;
  readonly code?: string;
  readonly reason?: string;
}

/** What is no line of the log is of Node, and an error. */
function parsed(line: string): Line {
  if (line === '') return {};
  try {
    return JSON.parse(line) as Line;
  } catch {
    return { level: errorLevel };
  }
}

/** As the default schedule is spread over its quarter of an hour, over a period of so many minutes. */
function spreadSchedule(index: number, periodMinutes: number): string {
  const second = (index * 97) % (periodMinutes * 60);
  return `${second % 60} ${Math.floor(second / 60)}-59/${periodMinutes} * * * *`;
}
