import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Clock, Log } from '../../core/adapter.ts';
import { suggest } from '../../core/config/suggestion.ts';
import { toIso } from '../../core/datetime.ts';
import { BridgeError, failure } from '../../core/errors.ts';
import { definitionOf, type ResourceSet } from '../../core/resource-set.ts';
import type { Limits } from '../../core/sitemap.ts';
import { readFact } from '../../store/alerts/installation-facts.ts';
import type { Database } from '../../store/engine/database.ts';
import { forgetFormerSteps } from '../../store/joint/former-steps.ts';
import { mendLost } from '../../store/joint/lost-changes.ts';
import { takeUp } from '../../store/joint/take-up.ts';
import { jointOf } from '../../store/reading/joint-changes.ts';
import { findUnknownCollections, listCollections } from '../../store/sources/collections.ts';
import { type JournalState, momentOf, readJournal, renameJournal } from '../../store/sources/journal.ts';
import {
  compareEverything,
  isReused,
  lostChanges,
  wentBack,
} from '../../store/sources/journals-gone-back.ts';
import { formatVersion, type Pointer } from '../disk/pointer.ts';
import { publicationError } from '../disk/publication-error.ts';
import { lockPublication, type PublicationLock } from '../disk/publication-lock.ts';
import { SetDirectory } from '../disk/set-directory.ts';
import type { Policy } from '../policy.ts';
import { publicationRoot } from '../published/publication.ts';
import { ArchivePublication } from './archive-publication.ts';
import { DumpPublication } from './dump-publication.ts';
import { isPublishable } from './inhabited.ts';
import { PackageExpulsion } from './package-expulsion.ts';
import { type DocumentReport, SetDraft } from './set-draft.ts';
import type { SetSettings } from './set-part.ts';
import { SetPublication } from './set-publication.ts';
import { SetTroubles } from './set-troubles.ts';
import { registerSet } from './site-publication.ts';

export interface EditorSettings {
  readonly database: Database;
  /** The data directory; documents go to `publication/` in it. */
  readonly directory: string;
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: Limits;
  readonly policy: Policy;
}

/** One set, held by us and ready to be moved on. */
export interface Editing {
  readonly lists: SetPublication;
  readonly dumps: DumpPublication;
  readonly archives: ArchivePublication;
  readonly expulsion: PackageExpulsion;
  /** Readers see something of the set already. */
  readonly isServed: boolean;
  /** There is a Resource List, or there was one that has to be rendered anew. */
  readonly hadList: boolean;
}

/** Whoever asked for it: may stop it, and is told how far it is. */
type Watcher = Pick<SetSettings, 'signal' | 'onProgress' | 'uncounted'>;

/** Lets one hand at a time work on what a set publishes. */
export class SetEditor {
  readonly #settings: EditorSettings;
  readonly #root: string;
  readonly #directories = new Map<string, SetDirectory>();
  readonly #troubles: SetTroubles;

  constructor(settings: EditorSettings) {
    this.#settings = settings;
    this.#root = publicationRoot(settings.directory);
    this.#troubles = new SetTroubles(settings);
  }

  /**
   * @param work moves the publication on; what it does not switch is as if it were not done
   * @returns what was written; undefined for a set that never had a resource: it is not published
   * @throws BridgeError `publication-busy`, `unknown-collection`, and what `work` throws
   */
  async edit(
    set: ResourceSet,
    watcher: Watcher,
    work: (editing: Editing) => Promise<void>,
  ): Promise<readonly DocumentReport[] | undefined> {
    const { database, baseUrl, clock, log } = this.#settings;
    if (set.members) await takeUp(database, jointOf(set), toIso(clock.now()));
    const journal = await readJournal(database.reader, set.source);
    if (!journal) return undefined;
    const isPossible = await isPublishable(database.reader, set, journal);
    if (journal.seq === 0 && !isPossible) return undefined;
    await refuseUnknownCollections(database, set);
    const directory = this.#directoryOf(set);
    if (!isPossible && !(await directory.hasPointer())) return undefined;
    const lock = await enter(directory, set, database.leaseMs);
    try {
      const { draft, editing } = await this.#open(set, directory, journal, lock, watcher);
      await work(editing);
      await directory.sweep();
      if (set.members) await forgetFormerSteps(database, set.source, toIso(clock.now()));
      await registerSet(this.#root, { baseUrl, clock, leaseMs: database.leaseMs }, set);
      await this.#troubles.isOver(set.path);
      return draft.reports;
    } catch (error) {
      await this.#troubles.note(set.path, error);
      await directory
        .sweep()
        .catch((cause: unknown) =>
          log.warn({ ...failure(cause), err: cause, set: set.path }, 'leftovers stay'),
        );
      throw publicationError(error, set.path, watcher.signal);
    } finally {
      directory.rest();
      await lock.release();
    }
  }

  async #open(
    set: ResourceSet,
    directory: SetDirectory,
    found: JournalState,
    lock: PublicationLock,
    { signal, onProgress, uncounted }: Watcher,
  ): Promise<{ readonly draft: SetDraft; readonly editing: Editing }> {
    const { database, baseUrl, clock, log, limits, policy, directory: dataDirectory } = this.#settings;
    const definition = definitionOf(set.filter);
    await directory.load(baseUrl);
    const { pointer } = directory;
    const published = pointer?.journal === found.id ? pointer : undefined;
    const journal =
      (await this.#whole(set, published, found)) ?? (await this.#renamed(set, published, found)) ?? found;
    const usable = await directory.load(baseUrl, journal);
    const lostUntil = usable ? undefined : await this.#lostUntil(directory.pointer, journal);
    const redefined = usable && directory.pointer?.definition !== definition;
    const base = usable && !redefined ? directory.pointer : undefined;
    if (lostUntil !== undefined) {
      log.warn({ set: set.path, lostUntil }, wentBack);
      if (!set.members) await compareEverything(database, set.source);
    } else if (!usable && (await directory.hasPointer())) {
      log.warn({ set: set.path }, 'the publication is rendered anew');
    }
    if (redefined) log.warn({ set: set.path }, 'the set is defined anew: its Change Lists begin now');
    const draft = new SetDraft(
      set,
      directory,
      base ?? {
        version: formatVersion,
        baseUrl,
        journal: journal.id,
        definition,
        ...(set.members ? { isJoint: true } : {}),
        documents: {},
        snapshots: [],
      },
      { clock, confirm: lock.confirm },
    );
    const settings = { database, baseUrl, clock, limits, policy, signal, onProgress, uncounted };
    const members = set.members?.map(({ source }) => source);
    if (members && !isDeepStrictEqual(members, draft.state.members)) draft.edit({ members });
    const lists = new SetPublication(set, settings, directory, draft);
    if (redefined) await lists.beginAnew();
    else if (lostUntil !== undefined) await lists.beginAfter(lostUntil);
    else if (set.members && !base) await lists.beginWith(journal);
    else if (journal.seq === 0 && !base) await lists.beginAnew();
    const editing = {
      lists,
      dumps: new DumpPublication(set, { ...settings, dataDirectory }, directory, draft),
      archives: new ArchivePublication(set, settings, directory, draft),
      expulsion: new PackageExpulsion(set, settings, directory, draft),
      isServed: base !== undefined,
      hadList: lists.hasResourceList || (!base && (await hadResourceList(directory, set))),
    };
    return { draft, editing };
  }

  /**
   * Of a journal that has lost what was published, as when a replica took the place of a primary: its sequences are used once more, and
   * must not be taken for those that were. Everything is rendered anew from it.
   * @returns the journal by its new name
   */
  async #renamed(
    set: ResourceSet,
    published: Pointer | undefined,
    journal: JournalState,
  ): Promise<JournalState | undefined> {
    const { database, log } = this.#settings;
    if (!published?.changes) return undefined;
    if (!(await isReused(database.reader, journal.sourceId, published.changes))) return undefined;
    await renameJournal(database, journal);
    log.warn({ set: set.path, published: published.changes.seq }, lostChanges);
    return readJournal(database.writer, set.source);
  }

  /**
   * Where something was published that the journal does not know, as after a backup was put back: no Change List says how what was
   * published became what is here. Whoever has followed them has to see that they begin later than what he has.
   * @returns the last moment that he may know of; undefined: nothing is lost
   */
  async #lostUntil(published: Pointer | undefined, journal: JournalState): Promise<string | undefined> {
    const { database, clock } = this.#settings;
    const { reader } = database;
    const { changes } = published ?? {};
    if (changes) {
      const isShort = changes.seq > journal.seq;
      if (!isShort && published?.journal === journal.id) return undefined;
      const { at = toIso(clock.now()) } = changes;
      // One that was begun later than that, as in a database made anew, says so by its first change.
      if (((await momentOf(reader, journal.sourceId, 1)) ?? '') > at) return undefined;
      if (isShort || (await isReused(reader, journal.sourceId, changes))) return at;
    }
    const fact = published?.journal === journal.id ? undefined : await readFact(reader, 'went-back');
    return fact && toIso(new Date(Number(fact.at)));
  }

  /**
   * Of a set across sources that cannot tell any more what became of one of them: it begins anew.
   * @returns its journal then
   */
  async #whole(
    set: ResourceSet,
    published: Pointer | undefined,
    { sourceId }: JournalState,
  ): Promise<JournalState | undefined> {
    if (!set.members || !published?.changes) return undefined;
    const { database, clock, log } = this.#settings;
    const joint = { name: set.source, id: -sourceId };
    // What was deleted with it was perhaps not taken out of the packages yet.
    const told = Math.min(published.changes.seq, published.packageCheck?.seq ?? Number.POSITIVE_INFINITY);
    if (!(await mendLost(database, joint, told, toIso(clock.now())))) return undefined;
    log.warn({ set: set.path }, 'a source was removed before the set could say so: it begins anew');
    return readJournal(database.writer, set.source);
  }

  #directoryOf(set: ResourceSet): SetDirectory {
    const place = join(this.#root, ...set.path.split('/'));
    const known = this.#directories.get(set.path) ?? new SetDirectory(place);
    this.#directories.set(set.path, known);
    return known;
  }
}

async function enter(directory: SetDirectory, set: ResourceSet, leaseMs: number): Promise<PublicationLock> {
  try {
    await mkdir(directory.path, { recursive: true });
    return await lockPublication(directory.path, leaseMs);
  } catch (error) {
    throw publicationError(error, set.path);
  }
}

async function refuseUnknownCollections({ reader }: Database, set: ResourceSet): Promise<void> {
  // What one source has, another need not have.
  if (set.members) return;
  const { collections = [] } = set.filter;
  const unknown = await findUnknownCollections(reader, set.source, collections);
  if (unknown.length === 0) return;
  const known = (await listCollections(reader, set.source, 1000)).map(({ spec }) => spec);
  const names = unknown.map((spec) => `"${spec}"`).join(', ');
  throw new BridgeError(
    'unknown-collection',
    `the set ${set.path} names ${names}, which ${set.source} does not have${suggest(unknown[0] ?? '', known)}`,
  );
}

async function hadResourceList(directory: SetDirectory, set: ResourceSet): Promise<boolean> {
  const { pointer } = directory;
  if (!pointer) return directory.hasPointer();
  return Object.hasOwn(pointer.documents, `${set.path}/resourcelist.xml`);
}
