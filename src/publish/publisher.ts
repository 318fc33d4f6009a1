import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { Clock, Log } from '../core/adapter.ts';
import type { ResourceSet } from '../core/resource-set.ts';
import type { Database } from '../store/database.ts';
import { readJournal } from '../store/journal.ts';
import { listChanges } from '../store/listing.ts';
import { type Limits, sitemapLimits } from './limits.ts';
import { publicationRoot } from './publication.ts';
import { publicationError } from './publication-error.ts';
import { lockPublication, type PublicationLock } from './publication-lock.ts';
import { SetDirectory } from './set-directory.ts';
import { type DocumentReport, SetPublication } from './set-publication.ts';
import { publishSite, registerSet } from './site-publication.ts';

export interface PublisherSettings {
  readonly database: Database;
  /** The data directory; documents go to `publication/` in it. */
  readonly directory: string;
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly log: Log;
  /** How far back the flat Change List reaches at most. */
  readonly changeListDays?: number | undefined;
  readonly limits?: Limits | undefined;
}

export interface PublishOptions {
  readonly resourceList: 'always' | 'if-missing' | 'never';
  /** `throttled`: not before four times the time it took last has passed. */
  readonly flat?: 'always' | 'throttled' | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface PublishReport {
  readonly set: string;
  /** False for a set that never had a resource: it is not published. */
  readonly published: boolean;
  /** What was written now. */
  readonly documents: readonly DocumentReport[];
  /** Milliseconds until `changelist.xml` may follow, if it was held back. */
  readonly flatDueIn?: number | undefined;
  readonly ms: number;
}

export interface Publisher {
  /**
   * Publishes what is new in a set; all of it where nothing usable is published yet.
   * @throws BridgeError `publication-busy`, `disk-full`, `publication-failed`, `interrupted`: what was published
   *   before is still served
   */
  publish(set: ResourceSet, options: PublishOptions): Promise<PublishReport>;
  /** The site-wide Source Description over those of `sets` that are published; others are no longer served. */
  publishSite(sets: readonly ResourceSet[]): Promise<void>;
}

/** While a long Resource List is written, the Change Lists follow the journal this often. */
const followMilliseconds = 1_000;
const restFactor = 4;

export function createPublisher(settings: PublisherSettings): Publisher {
  const { database, baseUrl, clock, log, limits = sitemapLimits, changeListDays = 30 } = settings;
  const root = publicationRoot(settings.directory);
  const directories = new Map<string, SetDirectory>();
  /** Per set: until when the flat list rests. */
  const flatRests = new Map<string, number>();

  function directoryOf(set: ResourceSet): SetDirectory {
    const known = directories.get(set.path) ?? new SetDirectory(join(root, ...set.path.split('/')));
    directories.set(set.path, known);
    return known;
  }

  async function hasChanges(set: ResourceSet): Promise<boolean> {
    for await (const page of listChanges(database.reader, set, { afterSeq: 0 }, 1)) return page.length > 0;
    return false;
  }

  async function enter(directory: SetDirectory, set: ResourceSet): Promise<PublicationLock> {
    try {
      await mkdir(directory.path, { recursive: true });
      return await lockPublication(directory.path);
    } catch (error) {
      throw publicationError(error, set.path);
    }
  }

  async function publish(set: ResourceSet, options: PublishOptions): Promise<PublishReport> {
    const started = performance.now();
    const journal = await readJournal(database.reader, set.source);
    if (!journal || !(await hasChanges(set)))
      return { set: set.path, published: false, documents: [], ms: 0 };
    const directory = directoryOf(set);
    const lock = await enter(directory, set);
    try {
      const usable = await directory.load(baseUrl, journal);
      const base = usable ? directory.pointer : undefined;
      const publication = new SetPublication(
        set,
        {
          database,
          baseUrl,
          journal: journal.id,
          clock,
          limits,
          changeListDays,
          signal: options.signal,
          confirm: lock.confirm,
        },
        directory,
        base,
      );
      if (!usable && (await directory.hasPointer())) {
        log.warn({ set: set.path }, 'the publication is rendered anew');
      }
      const hadList = publication.hasResourceList || (!usable && (await hadResourceList(directory, set)));
      if (wantsResourceList(options.resourceList, publication.hasResourceList, hadList)) {
        await publication.renderResourceList(follower(set, publication, base !== undefined));
      }
      const flatDueIn = await follow(set, publication, options.flat ?? 'always');
      await directory.sweep();
      await registerSet(root, { baseUrl, clock }, set);
      const { reports: documents } = publication;
      const ms = Math.round(performance.now() - started);
      return { set: set.path, published: true, documents, ...(flatDueIn > 0 ? { flatDueIn } : {}), ms };
    } catch (error) {
      await directory
        .sweep()
        .catch((cause: unknown) => log.warn({ err: cause, set: set.path }, 'leftovers stay'));
      throw publicationError(error, set.path, options.signal);
    } finally {
      await lock.release();
    }
  }

  /** @returns how long the flat list has still to wait, in milliseconds */
  async function follow(
    set: ResourceSet,
    publication: SetPublication,
    flat: 'always' | 'throttled',
  ): Promise<number> {
    const wait = flat === 'always' ? 0 : Math.max(0, (flatRests.get(set.path) ?? 0) - clock.now().getTime());
    const started = performance.now();
    await publication.followJournal(wait === 0);
    if (wait === 0) {
      const took = performance.now() - started;
      flatRests.set(set.path, clock.now().getTime() + Math.ceil(took * restFactor));
    }
    await publication.switch();
    return wait;
  }

  /** Nothing that is served may wait for a list that takes minutes. */
  function follower(set: ResourceSet, publication: SetPublication, isServed: boolean): () => Promise<void> {
    let last = performance.now();
    return async () => {
      if (!isServed || performance.now() - last < followMilliseconds) return;
      await follow(set, publication, 'throttled');
      last = performance.now();
    };
  }

  return {
    publish,
    publishSite: (sets) => publishSite(root, { baseUrl, clock }, sets),
  };
}

function wantsResourceList(option: PublishOptions['resourceList'], has: boolean, had: boolean): boolean {
  if (option === 'always') return true;
  // With another base or a damaged publication everything is rendered anew, whoever asks.
  return !has && (had || option === 'if-missing');
}

async function hadResourceList(directory: SetDirectory, set: ResourceSet): Promise<boolean> {
  const { pointer } = directory;
  if (!pointer) return directory.hasPointer();
  return Object.hasOwn(pointer.documents, `${set.path}/resourcelist.xml`);
}
