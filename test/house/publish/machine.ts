import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../../src/core/adapter.ts';
import { toIso } from '../../../src/core/datetime.ts';
import type { ObjectStore } from '../../../src/core/payloads/object-store.ts';
import {
  type PublishedBucketSettings,
  usePublishedBucket,
} from '../../../src/publish/bucket/published-bucket.ts';
import type { Policy } from '../../../src/publish/policy.ts';
import {
  openPublication,
  type Publication,
  publicationRoot,
} from '../../../src/publish/published/publication.ts';
import { createPublisher, type Publisher } from '../../../src/publish/publisher.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { baseUrl, silent } from './seed.ts';

/** A machine with a disk of its own at a database that others share. */
export class Machine {
  readonly directory: string;
  readonly publication: Publication;
  readonly publisher: Publisher;
  readonly #database: Database;
  readonly #clock: Clock;

  static async begin(database: Database, clock: Clock, policy: Partial<Policy> = {}): Promise<Machine> {
    return new Machine(await mkdtemp(join(tmpdir(), 'rsbridge-machine-')), database, clock, policy);
  }

  private constructor(directory: string, database: Database, clock: Clock, policy: Partial<Policy>) {
    this.directory = directory;
    this.#database = database;
    this.#clock = clock;
    this.publication = openPublication(directory);
    const limits = { entries: 4, bytes: 1_000_000 };
    this.publisher = createPublisher({ database, directory, baseUrl, clock, log: silent, limits, policy });
  }

  /** Keeps what it publishes in a bucket. */
  use(store: ObjectStore, settings: Partial<PublishedBucketSettings> = {}): this {
    usePublishedBucket(publicationRoot(this.directory), {
      database: this.#database,
      store,
      documents: true,
      packages: true,
      redirectSeconds: 0,
      cacheBytes: 1024 ** 3,
      now: () => toIso(this.#clock.now()),
      ...settings,
    });
    return this;
  }

  /** Another disk is put in. */
  lose(): Promise<void> {
    return rm(this.directory, { recursive: true, force: true });
  }

  async end(): Promise<void> {
    usePublishedBucket(publicationRoot(this.directory), undefined);
    await this.lose();
  }
}
