import { tmpdir } from 'node:os';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import type { Problem } from '../../../src/core/adapter.ts';
import { publishedFormats } from '../../../src/core/config/published-formats.ts';
import { collectionPath, metadataPath } from '../../../src/core/uris.ts';
import { type FileJobReport, runFileJob } from '../../../src/harvest/files/file-job.ts';
import { harvest } from '../../../src/harvest/harvest.ts';
import type { HarvestOptions } from '../../../src/harvest/harvest-source.ts';
import { identifierPass } from '../../../src/harvest/identifiers/identifier-pass.ts';
import type { HarvestReport } from '../../../src/harvest/report.ts';
import { type AcceptanceReport, acceptDeletions } from '../../../src/harvest/vanished/accept-deletions.ts';
import { type Database, openDatabase } from '../../../src/store/engine/database.ts';
import { latestRun } from '../../../src/store/runs/runs.ts';
import { findSource } from '../../../src/store/sources/sources.ts';
import { migratedSqlite } from '../store/databases.ts';
import { listProblems } from '../store/told-problems.ts';
import { meaningOf } from './meaning.ts';
import { type OpenSource, openSource, silent } from './open-source.ts';
import { findFormat } from './provider/formats.ts';
import type { Misbehaviour } from './provider/misbehaviour.ts';
import { HostileProvider, type ProviderOptions } from './provider/provider.ts';
import { isDamaged, mended } from './provider/record-xml.ts';
import { difference, type Publication, publishedAs, readPublication } from './publication.ts';
import { Repository } from './repository.ts';
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts';

export interface SceneOptions {
  /** Records of the past. Default 25. */
  readonly records?: number;
  readonly pageSize?: number;
  /** What the repository offers. Default oai_dc. */
  readonly formats?: readonly string[];
  /** Of the source, beside its address. */
  readonly source?: Record<string, unknown>;
  readonly contact?: string;
  readonly clock?: VirtualClock;
  readonly provider?: Partial<ProviderOptions>;
  /** The path and query of the configured address, instead of `/oai`. */
  readonly path?: string;
}

/** One configured source before a hostile provider, with the real client, adapter and store between them. */
export interface Scene {
  readonly name: string;
  readonly repository: Repository;
  readonly provider: HostileProvider;
  readonly clock: VirtualClock;
  readonly database: Database;
  readonly source: OpenSource;
  misbehave(wrong: Misbehaviour): void;
  /** One harvest; incremental unless told otherwise. */
  run(options?: Partial<HarvestOptions>): Promise<HarvestReport>;
  /** A person lets go what the last pass did not meet. */
  accept(): Promise<AcceptanceReport>;
  /** As the scheduler does: again until a run ends well, so many times at most. */
  settle(attempts?: number, options?: Partial<HarvestOptions>): Promise<HarvestReport>;
  /** A look through all identifiers. */
  lookThroughIdentifiers(): Promise<Awaited<ReturnType<typeof identifierPass>>>;
  /** One turn of work on the files. */
  workOnFiles(): Promise<FileJobReport>;
  live(): Promise<Publication>;
  truth(): Publication;
  /** `created PATH` and so on, of everything since this was last asked, in the order of the journal. */
  changes(): Promise<readonly string[]>;
  problems(): Promise<readonly Problem[]>;
  /** The path of a record in a format. */
  path(identifier: string, format?: string): string;
  /**
   * What is published is what the repository has, and the changes since this was last asked are those that lead there
   * from what was published then: each once, nothing else.
   */
  expectTruth(): Promise<void>;
  /** Never more at a time than configured, and nobody came before the time that was named. */
  expectPoliteness(): void;
  /** Before the test has ended, which closes it in any case. */
  close(): Promise<void>;
}

let scenes = 0;

/** A database for the tests of a file; to be called at its top. @returns what opens a scene inside a test */
export function openStage(): (options?: SceneOptions) => Promise<Scene> {
  const { config, drop } = migratedSqlite();
  let database: Database | undefined;
  beforeAll(async () => {
    database = openDatabase(config);
  });
  afterAll(async () => {
    await database?.close();
    await drop();
  });
  return async (options = {}) => {
    if (database === undefined) throw new Error('a scene needs a test');
    return openScene(database, options);
  };
}

async function openScene(database: Database, options: SceneOptions): Promise<Scene> {
  const { formats = ['oai_dc'], clock = createVirtualClock(), pageSize = 10 } = options;
  const repository = new Repository(clock.iso);
  repository.fill(options.records ?? 25);
  const provider = new HostileProvider({ repository, clock, formats, pageSize, ...options.provider });
  await provider.listen();
  scenes += 1;
  const name = `hostile-${scenes}`;
  const source = openSource(name, { ...options, url: addressOf(provider, options) }, clock);
  let open = true;
  const close = async () => {
    if (open) await Promise.all([source.close(), provider.close()]);
    open = false;
  };
  onTestFinished(close);
  return new HostileScene({ name, repository, provider, clock, database, source, formats, close });
}

function addressOf({ url }: HostileProvider, { path }: SceneOptions): string {
  return path === undefined ? url : url.replace(/\/oai$/, path);
}

type Props = Pick<Scene, 'name' | 'repository' | 'provider' | 'clock' | 'database' | 'source'> & {
  readonly formats: readonly string[];
  readonly close: () => Promise<void>;
};

class HostileScene implements Scene {
  readonly name: string;
  readonly repository: Repository;
  readonly provider: HostileProvider;
  readonly clock: VirtualClock;
  readonly database: Database;
  readonly source: OpenSource;
  readonly close: () => Promise<void>;
  readonly #formats: readonly string[];
  #wrong: Misbehaviour = {};
  #told = 0;
  #before: Publication = new Map();

  constructor(props: Props) {
    this.name = props.name;
    this.repository = props.repository;
    this.provider = props.provider;
    this.clock = props.clock;
    this.database = props.database;
    this.source = props.source;
    this.close = props.close;
    this.#formats = publishedFormats(props.source.config) ?? props.formats;
  }

  misbehave(wrong: Misbehaviour): void {
    this.#wrong = wrong;
    this.provider.misbehave(wrong);
  }

  run(options: Partial<HarvestOptions> = {}): Promise<HarvestReport> {
    const { database, clock, source } = this;
    const never = new AbortController().signal;
    return harvest({ database, clock, log: silent }, source, {
      mode: 'incremental',
      stop: never,
      signal: never,
      ...options,
    });
  }

  accept(): Promise<AcceptanceReport> {
    const { database, clock, source } = this;
    const never = new AbortController().signal;
    const acceptance = { run: undefined, stop: never, signal: never };
    return acceptDeletions({ database, clock, log: silent }, source, acceptance);
  }

  lookThroughIdentifiers() {
    const { database, clock, source } = this;
    const never = new AbortController().signal;
    return identifierPass({ database, clock, log: silent }, source, { stop: never, signal: never });
  }

  workOnFiles(): Promise<FileJobReport> {
    const { database, clock, source } = this;
    const never = new AbortController().signal;
    const deps = { database, directory: tmpdir(), http: source.found, gate: source.gate, clock, log: silent };
    return runFileJob(deps, source, { stop: never, signal: never });
  }

  async settle(attempts = 5, options: Partial<HarvestOptions> = {}): Promise<HarvestReport> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.run(options);
      } catch (error) {
        if (attempt === attempts) throw error;
        this.clock.advance(900);
      }
    }
  }

  live(): Promise<Publication> {
    return readPublication(this.database, this.name);
  }

  truth(): Publication {
    const { damage, setSpecs } = this.#wrong;
    const found = new Map<string, string>();
    for (const record of this.repository.living) {
      for (const prefix of this.#formats) {
        const format = findFormat(prefix);
        if (!format || (record.formats !== undefined && !record.formats.includes(prefix))) continue;
        const declarations = ` ${format.publishedDeclarations ?? format.declarations}`;
        const written = format.write(record, declarations, (index) => this.provider.fileUrl(record, index));
        const text = isDamaged(record, this.#wrong) ? mended(written, damage) : written;
        const sets = setSpecs === 'missing' ? [] : record.sets;
        const collections = sets.map((spec) => collectionPath(this.name, spec));
        found.set(this.path(record.identifier, prefix), publishedAs(meaningOf(text), collections));
      }
    }
    return found;
  }

  path(identifier: string, format = 'oai_dc'): string {
    return metadataPath(this.name, identifier.trim(), format);
  }

  async changes(): Promise<readonly string[]> {
    const source = await findSource(this.database.reader, this.name);
    const rows: { seq: number; kind: string; path: string }[] = await this.database
      .reader('change')
      .join('resource', 'resource.id', 'change.resource_id')
      .where({ 'change.source_id': source?.id ?? 0, 'resource.kind': 'metadata' })
      .where('change.seq', '>', this.#told)
      .orderBy('change.seq')
      .select('change.seq as seq', 'change.kind as kind', 'resource.path as path');
    this.#told = Math.max(this.#told, ...rows.map(({ seq }) => seq));
    return rows.map(({ kind, path }) => `${kind} ${path}`);
  }

  async problems(): Promise<readonly Problem[]> {
    const source = await findSource(this.database.reader, this.name);
    const run = source && (await latestRun(this.database.reader, source.id));
    return run ? listProblems(this.database.reader, run.id, 1000) : [];
  }

  async expectTruth(): Promise<void> {
    const truth = this.truth();
    const live = await this.live();
    expect(Object.fromEntries(live)).toEqual(Object.fromEntries(truth));
    const changes = await this.changes();
    expect([...changes].sort()).toEqual([...difference(this.#before, truth)].sort());
    this.#before = truth;
  }

  expectPoliteness(): void {
    const { traffic, faults } = this.provider;
    expect(faults).toEqual([]);
    expect(traffic.most).toBeLessThanOrEqual(this.source.config.requestsPerHost);
    expect(traffic.impatient).toEqual([]);
  }
}
