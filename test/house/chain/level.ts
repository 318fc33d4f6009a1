import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { type Front, listenAlone } from '../../../src/bridge/answering.ts';
import { type Bridge, openBridge } from '../../../src/bridge/bridge.ts';
import { type DatabaseConfig, parseConfig } from '../../../src/core/config/config.ts';
import { runFileJob } from '../../../src/harvest/files/file-job.ts';
import { harvest } from '../../../src/harvest/harvest.ts';
import { identifierPass } from '../../../src/harvest/identifiers/identifier-pass.ts';
import { listResources } from '../../../src/store/reading/listing.ts';
import { latestRun } from '../../../src/store/runs/runs.ts';
import { findSource } from '../../../src/store/sources/sources.ts';
import { freePort } from '../process/free-port.ts';
import { placeMigrated } from '../store/databases.ts';
import { listProblems } from '../store/told-problems.ts';

const never = new AbortController().signal;
const log = pino({ level: 'silent' });

/** One bridge of a chain: it follows something, and publishes it at a port of its own. */
export class Level {
  readonly url: string;
  readonly name: string;
  bridge: Bridge;
  readonly #config: () => ReturnType<typeof parseConfig>;
  readonly #directory: string;
  #front: Front;

  /** @param source its settings */
  static async open(
    name: string,
    source: Record<string, unknown>,
    database?: DatabaseConfig,
  ): Promise<Level> {
    const directory = mkdtempSync(join(tmpdir(), 'rsbridge-level-'));
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/rs`;
    const own = database ?? ({ client: 'sqlite', file: placeMigrated(join(directory, 'level.db')) } as const);
    const config = () =>
      parseConfig({
        baseUrl: url,
        directory,
        database: own,
        listen: { port, host: '127.0.0.1' },
        workers: 0,
        sources: { [name]: { allowPrivateAddresses: true, requestsPerHost: 4, ...source } },
      });
    const bridge = await openBridge(config(), log, 'migrate');
    const front = await listenAlone(bridge, { host: '127.0.0.1', port }, {});
    return new Level({ name, url, directory, config, bridge, front });
  }

  private constructor(parts: {
    name: string;
    url: string;
    directory: string;
    config: () => ReturnType<typeof parseConfig>;
    bridge: Bridge;
    front: Front;
  }) {
    this.name = parts.name;
    this.url = parts.url;
    this.bridge = parts.bridge;
    this.#front = parts.front;
    this.#directory = parts.directory;
    this.#config = parts.config;
  }

  /** Of its Source. */
  get set(): string {
    return `${this.url}/${this.name}/capabilitylist.xml`;
  }

  /** One turn: what is new comes in, and is published. */
  turn(mode: 'full' | 'incremental' = 'incremental', limit?: number) {
    return this.turnOf(this.name, mode, limit);
  }

  /** The same of another of its sources. */
  async turnOf(name: string, mode: 'full' | 'incremental', limit?: number) {
    const { database, clock } = this.bridge;
    const source = this.bridge.source(name);
    const report = await harvest({ database, clock, log }, source, {
      mode,
      stop: never,
      signal: never,
      ...(limit !== undefined && { limit }),
    });
    const { files } = source.config;
    if (files.mode !== 'none')
      await runFileJob(this.bridge.fileWork(name), source, { stop: never, signal: never });
    await this.publish();
    return report;
  }

  async identifiers() {
    const { database, clock } = this.bridge;
    return identifierPass({ database, clock, log }, this.bridge.source(this.name), {
      stop: never,
      signal: never,
    });
  }

  async publish(resourceList: 'always' | 'if-missing' = 'if-missing'): Promise<void> {
    const sets = this.bridge.sets();
    for (const set of sets) await this.bridge.publisher.publish(set, { resourceList, flat: 'always' });
    await this.bridge.publisher.publishSite(sets);
  }

  /** By path below the source: hash of metadata, with its collections and lastmod. */
  async metadata(): Promise<
    ReadonlyMap<
      string,
      { hash: string; collections: readonly string[]; lastmod: string; vias: readonly string[] }
    >
  > {
    const found = new Map();
    for (const entry of await this.#resources()) {
      if (entry.kind !== 'metadata') continue;
      const links = entry.links.filter(({ rel }) => rel === 'collection' || rel === 'via');
      found.set(entry.path.slice(this.name.length), {
        hash: entry.hash ?? '',
        lastmod: entry.lastmod ?? '',
        collections: links
          .flatMap(({ rel, href }) => (rel === 'collection' ? href.replace(/^[^/]+\//, '') : []))
          .sort(),
        vias: links.flatMap(({ rel, href }) => (rel === 'via' ? href : [])),
      });
    }
    return found;
  }

  /** By path below the source (by address in mode `link`): what is said of the bytes. */
  async files(): Promise<
    ReadonlyMap<string, { hash: string | undefined; length: number | undefined; vias: readonly string[] }>
  > {
    const found = new Map();
    for (const { kind, path, hash, length, links } of await this.#resources()) {
      if (kind !== 'file') continue;
      const vias = links.flatMap(({ rel, href }) => (rel === 'via' ? href : []));
      found.set(path.startsWith(`${this.name}/`) ? path.slice(this.name.length) : path, {
        hash,
        length,
        vias,
      });
    }
    return found;
  }

  async problems() {
    const { reader } = this.bridge.database;
    const source = await findSource(reader, this.name);
    const run = source && (await latestRun(reader, source.id));
    return run ? listProblems(reader, run.id, 1000) : [];
  }

  async #resources() {
    const set = this.bridge.sets().find(({ path }) => path === this.name);
    if (!set) throw new Error(`${this.name} has no set`);
    const entries = [];
    for await (const page of listResources(this.bridge.database.reader, set)) entries.push(...page);
    return entries;
  }

  /** As after a crash: what was in memory is gone. */
  async restart(): Promise<void> {
    await this.#front.close();
    await this.bridge.close();
    this.bridge = await openBridge(this.#config(), log, 'migrate');
    this.#front = await listenAlone(
      this.bridge,
      { host: '127.0.0.1', port: Number(new URL(this.url).port) },
      {},
    );
  }

  async close(): Promise<void> {
    await this.#front.close();
    await this.bridge.close();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
