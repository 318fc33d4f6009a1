import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Problem } from '../../../src/core/adapter.ts';
import { resourceSets } from '../../../src/core/resource-set.ts';
import { type FileJobReport, runFileJob } from '../../../src/harvest/files/file-job.ts';
import { harvest } from '../../../src/harvest/harvest.ts';
import type { HarvestOptions } from '../../../src/harvest/harvest-source.ts';
import { identifierPass } from '../../../src/harvest/identifiers/identifier-pass.ts';
import type { HarvestReport } from '../../../src/harvest/report.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import {
  type ChangeEntry,
  listChanges,
  listResources,
  type ResourceEntry,
} from '../../../src/store/reading/listing.ts';
import { latestRun } from '../../../src/store/runs/runs.ts';
import { findSource } from '../../../src/store/sources/sources.ts';
import type { Repository } from '../dspace/repository.ts';
import { type RestServer, sampleAccounts, startRestServer } from '../dspace/rest/rest-server.ts';
import type { RestVersion } from '../dspace/rest/rest-version.ts';
import type { SeenRequest, Switches } from '../dspace/switches.ts';
import type { Account } from '../dspace/viewer.ts';
import { type OpenSource, openSource, silent } from '../hostile/open-source.ts';
import { createVirtualClock, type VirtualClock } from '../hostile/virtual-clock.ts';
import { listProblems } from '../store/told-problems.ts';

export interface HouseOptions {
  readonly repository: Repository;
  readonly version?: RestVersion;
  readonly switches?: Partial<Switches>;
  readonly accounts?: readonly Account[];
  /** Of the source, beside its address. */
  readonly source?: Record<string, unknown>;
}

const never = new AbortController().signal;
let houses = 0;

/** One DSpace, one configured source, and the real client, adapters and store between them; both on one clock. */
export class House {
  readonly name: string;
  readonly repository: Repository;
  readonly server: RestServer;
  readonly clock: VirtualClock;
  /** Where another takes its place, `configure` again. */
  database: Database;
  source: OpenSource;
  /** What happens to the repository before it answers. */
  meanwhile: ((request: SeenRequest) => void) | undefined;
  readonly #directory = mkdtempSync(join(tmpdir(), 'rsbridge-house-'));
  #told = 0;

  private constructor(parts: { name: string; server: RestServer; clock: VirtualClock; database: Database }) {
    this.name = parts.name;
    this.server = parts.server;
    this.repository = parts.server.repository;
    this.clock = parts.clock;
    this.database = parts.database;
    this.source = this.#openSource({ url: this.server.url });
  }

  static async open(database: Database, options: HouseOptions): Promise<House> {
    const { repository, version = '10.1', switches = {}, source = {}, accounts = sampleAccounts } = options;
    const clock = createVirtualClock('2026-11-21T10:00:00Z');
    repository.now = clock.milliseconds;
    let house: House | undefined;
    const server = await startRestServer({
      repository,
      version,
      switches,
      accounts,
      oai: true,
      // Below one domain with the server, so that a page of a file leads to its bytes.
      ui: 'http://127.0.0.1',
      onRequest: (request) => house?.meanwhile?.(request),
    });
    houses += 1;
    house = new House({ name: `house-${houses}`, server, clock, database });
    await house.configure(source);
    return house;
  }

  /** Opens the source anew, as after an edit of the configuration; by REST unless told otherwise. */
  async configure(settings: Record<string, unknown>): Promise<void> {
    await this.source.close();
    const url = settings.adapter === 'oai-pmh' ? this.server.oaiUrl : this.server.url;
    this.source = this.#openSource({ url, ...settings });
  }

  #openSource({ url, ...settings }: { readonly url: string; readonly [key: string]: unknown }): OpenSource {
    const source = { adapter: 'dspace', files: {}, ...settings };
    return openSource(this.name, { url, source, contact: 'ops@example.org' }, this.clock, this.database);
  }

  run(mode: 'full' | 'incremental' = 'incremental', options: Partial<HarvestOptions> = {}) {
    this.clock.advance(60);
    const { database, clock, source } = this;
    const deps = { database, clock, log: silent };
    return harvest(deps, source, { mode, stop: never, signal: never, ...options });
  }

  /** Again until a run ends well, so many times at most. */
  async settle(mode: 'full' | 'incremental' = 'full', attempts = 5): Promise<HarvestReport> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.run(mode);
      } catch (error) {
        if (attempt === attempts) throw error;
        this.clock.advance(900);
      }
    }
  }

  lookThroughIdentifiers() {
    this.clock.advance(60);
    const { database, clock, source } = this;
    return identifierPass({ database, clock, log: silent }, source, { stop: never, signal: never });
  }

  workOnFiles(): Promise<FileJobReport> {
    this.clock.advance(60);
    const { database, clock, source } = this;
    const { found: http, gate } = source;
    const deps = { database, directory: this.#directory, http, gate, clock, log: silent };
    return runFileJob(deps, source, { stop: never, signal: never });
  }

  async resources(): Promise<ResourceEntry[]> {
    const entries: ResourceEntry[] = [];
    for await (const page of listResources(this.database.reader, this.#everything)) entries.push(...page);
    return entries;
  }

  async paths(): Promise<string[]> {
    return (await this.resources()).map(({ path }) => path).sort();
  }

  async journal(afterSeq = 0): Promise<ChangeEntry[]> {
    const entries: ChangeEntry[] = [];
    for await (const page of listChanges(this.database.reader, this.#everything, { afterSeq }))
      entries.push(...page);
    return entries;
  }

  /** What the journal says since this was last asked. */
  async news(): Promise<ChangeEntry[]> {
    const entries = await this.journal(this.#told);
    this.#told = entries.at(-1)?.seq ?? this.#told;
    return entries;
  }

  /** The same as `created PATH`, in order of the journal. */
  async lines(): Promise<string[]> {
    return (await this.news()).map(({ change, path }) => `${change} ${path}`);
  }

  /** Of the latest run. */
  async problems(): Promise<readonly Problem[]> {
    const source = await findSource(this.database.reader, this.name);
    const run = source && (await latestRun(this.database.reader, source.id));
    return run ? listProblems(this.database.reader, run.id, 1000) : [];
  }

  get #everything() {
    const [set] = resourceSets(this.name);
    if (set === undefined) throw new Error('a source has a set');
    return set;
  }

  async close(): Promise<void> {
    await Promise.all([this.source.close(), this.server.close()]);
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
