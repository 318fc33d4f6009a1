import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SourceFile } from '../../../src/core/adapter.ts';
import { toIso } from '../../../src/core/datetime.ts';
import type { FileRules } from '../../../src/core/files/published-files.ts';
import { mapItem } from '../../../src/core/mapping/mapping.ts';
import { type ResourceSet, resourceSets, type SetChoices } from '../../../src/core/resource-set.ts';
import type { Limits } from '../../../src/core/sitemap.ts';
import type { Policy } from '../../../src/publish/policy.ts';
import { openPublication, type Publication } from '../../../src/publish/published/publication.ts';
import { createPublisher, type Publisher } from '../../../src/publish/publisher.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { saveRemoteFiles } from '../../../src/store/files/remote-file-writing.ts';
import { settle } from '../../../src/store/pages/settle.ts';
import { storePage } from '../../../src/store/pages/store-page.ts';
import { acquireLease, type Lease, releaseLease } from '../../../src/store/runs/leases.ts';
import { startRun } from '../../../src/store/runs/runs.ts';
import { ensureSource } from '../../../src/store/sources/sources.ts';
import { keepContent } from '../store/kept-content.ts';
import { baseUrl, HandClock, silent } from './seed.ts';

/** A record as it is delivered. */
export interface Delivery {
  readonly text?: string;
  readonly collections?: readonly string[];
  readonly deleted?: boolean;
  /** It is there, and not for everybody: deleted as well. */
  readonly refused?: boolean;
  /** Where its metadata is at the repository. */
  readonly at?: string;
  readonly files?: readonly SourceFile[];
}

let sources = 0;

/** A source whose records come by the writing side of the store, published by the real publisher. */
export class LivingSource {
  readonly name: string;
  readonly directory: string;
  readonly clock: HandClock;
  readonly publication: Publication;
  fileMode: FileRules['mode'] = 'proxy';
  readonly #database: Database;

  /** @param beside another one, of the same installation */
  static async begin(database: Database, beside?: LivingSource): Promise<LivingSource> {
    const directory = beside?.directory ?? (await mkdtemp(join(tmpdir(), 'rsbridge-living-')));
    sources += 1;
    const clock = beside?.clock ?? new HandClock('2026-11-21T12:00:00Z');
    const source = new LivingSource(database, `living${sources}`, directory, clock);
    await ensureSource(database, source.name, toIso(source.clock.now()));
    return source;
  }

  private constructor(database: Database, name: string, directory: string, clock: HandClock) {
    this.#database = database;
    this.clock = clock;
    this.name = name;
    this.directory = directory;
    this.publication = openPublication(directory);
  }

  publisher(policy: Partial<Policy> = {}, limits?: Limits): Publisher {
    const { directory, clock } = this;
    return createPublisher({
      database: this.#database,
      directory,
      baseUrl,
      clock,
      log: silent,
      limits,
      policy,
    });
  }

  /** @param name `all`, `metadata`, or that of a configured set */
  set(name: string, choices: SetChoices = {}): ResourceSet {
    const path = { all: this.name, metadata: `${this.name}/metadata` }[name] ?? `${this.name}/sets/${name}`;
    const found = resourceSets(this.name, choices).find((set) => set.path === path);
    if (!found) throw new Error(`no set ${name}`);
    return found;
  }

  async deliver(
    identifier: string,
    { text = 'text', collections = [], deleted = false, refused = false, at, files = [] }: Delivery = {},
  ): Promise<void> {
    const iso = toIso(this.clock.now());
    const milliseconds = this.clock.now().getTime();
    const lease = await acquireLease(this.#database, this.name, milliseconds);
    const run = await startRun(this.#database.writer, {
      sourceId: lease.sourceId,
      mode: 'incremental',
      selection: '{}',
      since: iso,
      startedAt: iso,
    });
    const item = mapItem(this.name, {
      identifier,
      datestamp: '2026-01-01T00:00:00Z',
      collections,
      speaksFor: { formats: ['oai_dc'], files: { name: 'oai_dc', rank: 95 } },
      deleted: deleted || refused,
      refused,
      metadata: [
        {
          format: 'oai_dc',
          content: Buffer.from(`<dc>${text}</dc>`),
          ...(at === undefined ? {} : { upstreamUrl: at }),
        },
      ],
      files,
    });
    const page = { items: [item], problems: [], checkpoint: undefined, awaited: [], files: this.#rules };
    await storePage(this.#database, lease, run, page, { iso, milliseconds });
    await releaseLease(this.#database, lease);
  }

  /** What the file job does for a file that it downloaded. */
  async mirror(url: string, content: Uint8Array, mediaType = 'application/pdf'): Promise<void> {
    const { hash, length } = await keepContent(this.#database, this.directory, content);
    const facts = { mediaType, length, contentHash: hash, contentLength: length };
    await this.#withLease((lease) =>
      saveRemoteFiles(this.#database, lease.sourceId, [{ url, outcome: 'confirmed', failures: 0, ...facts }]),
    );
    await this.settle();
  }

  async settle(): Promise<void> {
    const now = this.clock.now();
    const moment = () => ({ iso: toIso(now), milliseconds: now.getTime() });
    await this.#withLease((lease) => settle(this.#database, lease, this.#rules, moment));
  }

  get #rules(): FileRules {
    return { mode: this.fileMode, perItem: 100, verify: true, landingPages: false };
  }

  async #withLease(work: (lease: Lease) => Promise<unknown>): Promise<void> {
    const lease = await acquireLease(this.#database, this.name, this.clock.now().getTime());
    await work(lease);
    await releaseLease(this.#database, lease);
  }

  end(): Promise<void> {
    return rm(this.directory, { recursive: true, force: true });
  }
}
