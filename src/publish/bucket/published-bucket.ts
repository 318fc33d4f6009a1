import { dirname, join, relative, sep } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { ObjectStore } from '../../core/payloads/object-store.ts';
import type { Database } from '../../store/engine/database.ts';
import {
  type PointerRow,
  readPointerNumbers,
  readPointerRow,
} from '../../store/objects/published-pointers.ts';
import { BucketCache } from './bucket-cache.ts';
import { switchesHere } from './switches.ts';

/**
 * Published files in an object storage, for the processes of all machines. A file has its name once and never gets other
 * bytes; what is published is said by a row of the database. Whoever reads looks for a file on the disk first, then among
 * the copies, then in the bucket: so files may be moved one by one while they are served.
 */
export interface PublishedBucketSettings {
  readonly database: Database;
  readonly store: ObjectStore;
  /** Whether new documents go there; those that are there are read in any case. */
  readonly documents: boolean;
  /** Whether new packages go there. */
  readonly packages: boolean;
  /** So long a reader of a package may be sent there; 0: it comes through us. */
  readonly redirectSeconds: number;
  /** What copies on the disk may take. */
  readonly cacheBytes: number;
  /** ISO UTC */
  readonly now: () => string;
}

/** One table for the process: wherever documents of a data directory are read or written, their bucket is known. */
const buckets = new Map<string, PublishedBucket>();

/** @param root where documents are published @param settings undefined: there is no bucket any more */
export function usePublishedBucket(root: string, settings: PublishedBucketSettings | undefined): void {
  if (settings) buckets.set(root, new PublishedBucket(root, settings));
  else buckets.delete(root);
}

/** @param directory of a set, or of the site */
export function bucketAt(directory: string): SetBucket | undefined {
  if (buckets.size === 0) return undefined;
  for (const [root, bucket] of buckets)
    if (directory === root || directory.startsWith(root + sep)) return bucket.of(directory);
  return undefined;
}

export interface PointerNumbers {
  /** When they were asked for, by a clock that never goes back. */
  readonly at: number;
  /** Of this process, until then. */
  readonly switches: number;
  readonly of: ReadonlyMap<string, number>;
}

/** One question for all sets. */
const numbersCountMs = 400;
const failureCountsMs = 1000;

export class PublishedBucket {
  readonly root: string;
  readonly settings: PublishedBucketSettings;
  readonly cache: BucketCache;
  readonly #sets = new Map<string, SetBucket>();
  #asking: Promise<PointerNumbers> | undefined;
  #numbers: PointerNumbers | undefined;
  #failed: { readonly at: number; readonly error: unknown } | undefined;

  constructor(root: string, settings: PublishedBucketSettings) {
    this.root = root;
    this.settings = settings;
    const { store, cacheBytes } = settings;
    this.cache = new BucketCache(join(dirname(root), 'published-cache'), store, cacheBytes);
  }

  of(directory: string): SetBucket {
    const known = this.#sets.get(directory);
    if (known) return known;
    const set = relative(this.root, directory).split(sep).join('/');
    const made = new SetBucket(this, directory, set);
    this.#sets.set(directory, made);
    return made;
  }

  /** How often each pointer was switched, as of a question of late. */
  numbers(): Promise<PointerNumbers> {
    const known = this.#numbers;
    const isFresh = known && performance.now() - known.at < numbersCountMs;
    if (isFresh && known.switches === switchesHere()) return Promise.resolve(known);
    // A database that does not answer is not waited for by everybody.
    if (this.#failed && performance.now() - this.#failed.at < failureCountsMs)
      return Promise.reject(this.#failed.error);
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #ask(): Promise<PointerNumbers> {
    const [at, switches] = [performance.now(), switchesHere()];
    try {
      this.#numbers = { at, switches, of: await readPointerNumbers(this.settings.database.reader) };
      this.#failed = undefined;
      return this.#numbers;
    } catch (error) {
      this.#failed = { at: performance.now(), error };
      throw error;
    }
  }
}

/** The files of one set. */
export class SetBucket {
  readonly bucket: PublishedBucket;
  readonly directory: string;
  /** Its path; empty: the site's. */
  readonly set: string;

  constructor(bucket: PublishedBucket, directory: string, set: string) {
    this.bucket = bucket;
    this.directory = directory;
    this.set = set;
  }

  get store(): ObjectStore {
    return this.bucket.settings.store;
  }

  get takesAny(): boolean {
    return this.bucket.settings.documents || this.bucket.settings.packages;
  }

  /** Whether a file that is written now goes there. */
  takes(file: string): boolean {
    const { documents, packages } = this.bucket.settings;
    return isPackage(file) ? packages : documents;
  }

  key(file: string): string {
    return prefixOf(this.set, isPackage(file)) + file;
  }

  prefixes(): readonly string[] {
    return [prefixOf(this.set, false), prefixOf(this.set, true)];
  }

  /** As it is now, whatever a replica says. */
  row(): Promise<PointerRow | undefined> {
    return readPointerRow(this.bucket.settings.database.writer, this.set);
  }

  /** For whoever serves it. */
  servedRow(): Promise<PointerRow | undefined> {
    return readPointerRow(this.bucket.settings.database.reader, this.set);
  }
}

function isPackage(file: string): boolean {
  return file.endsWith('.zip');
}

/** Paths of sets lie within each other; what belongs to one of them is to be found alone. */
function prefixOf(set: string, ofPackages: boolean): string {
  return `${ofPackages ? 'dumps' : 'documents'}/${set === '' ? '~site' : set.replaceAll('/', '~')}/`;
}
