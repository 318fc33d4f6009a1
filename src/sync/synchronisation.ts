import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { earlier, later, toMilliseconds } from '../core/datetime.ts';
import { BridgeError, describeError, isBridgeError } from '../core/errors.ts';
import type { SourceSet } from '../resourcesync/discovery/found-source.ts';
import { chooseSet } from '../resourcesync/discovery/source-set.ts';
import { createAuthority } from '../resourcesync/reading/authority.ts';
import type { Validators } from '../resourcesync/reading/fetched-document.ts';
import { Remarks } from '../resourcesync/reading/remarks.ts';
import { tooManyDeletions } from './choice/deletion-fuse.ts';
import { createSelector } from './choice/selection.ts';
import { chooseWay, isDumpCheaper, type Way } from './choice/way.ts';
import { Copying, newCopyTally } from './content/copying.ts';
import { workThroughDue } from './content/due-work.ts';
import { takePackage } from './content/package-contents.ts';
import { Parts } from './content/parts.ts';
import { beginWork, endWork, recover } from './content/recovery.ts';
import { Places } from './places/places.ts';
import { DirectorySink } from './sinks/directory-sink.ts';
import { stageChanges } from './stages/change-stage.ts';
import { listPackages } from './stages/dump-stage.ts';
import { stageList } from './stages/list-stage.ts';
import { newTally, type Staging, type Tally } from './stages/staging.ts';
import { CopyDatabase, ownFolder } from './state/copy-database.ts';
import { DueResources } from './state/due-resources.ts';
import { HeldResources } from './state/held-resources.ts';
import { type Intent, keepIntent, readIntent } from './sync-intent.ts';
import type { SyncDeps, SyncOptions } from './sync-options.ts';
import type { SyncReport } from './sync-report.ts';

/** Failures that are named in a report; the others are counted. */
const namedFailures = 10;
/** Who copied for so long looks once more what has changed meanwhile. */
const longMs = 60_000;
/** Before anybody published anything. */
const beginning = '1970-01-01T02:00:00Z';

/**
 * Brings a copy up to date with a Source: reads what has changed, or everything where that is not enough; fetches what
 * differs; deletes what is gone. What is known is kept at once and fetched after that, so that a run may be stopped or
 * killed anywhere and the next one goes on.
 * @throws BridgeError where the Source cannot be read at all, the copy is another one's, or another process works on it
 */
export async function synchronise(options: SyncOptions, deps: SyncDeps): Promise<SyncReport> {
  const { directory, isDryRun } = options;
  const isNew = !existsSync(join(directory, ownFolder, 'state.db'));
  const database = CopyDatabase.open(isDryRun && isNew ? undefined : directory);
  try {
    if (isDryRun) database.beginTrial();
    const intent = readIntent(database, options);
    return await new Synchronisation(database, intent, options, deps).run();
  } finally {
    database.close();
  }
}

class Synchronisation {
  readonly #database: CopyDatabase;
  readonly #held: HeldResources;
  readonly #due: DueResources;
  readonly #intent: Intent;
  readonly #options: SyncOptions;
  readonly #deps: SyncDeps;
  readonly #remarks = new Remarks();
  readonly #read: Tally = newTally();
  readonly #ways: { way: Way; why: string }[] = [];
  readonly #notes = new Set<string>();
  #packages = 0;

  constructor(database: CopyDatabase, intent: Intent, options: SyncOptions, deps: SyncDeps) {
    this.#database = database;
    this.#intent = intent;
    this.#options = options;
    this.#deps = deps;
    this.#held = new HeldResources(database);
    this.#due = new DueResources(database);
  }

  async run(): Promise<SyncReport> {
    const { port } = this.#deps;
    const { address, set: name, way: asked, isDryRun } = this.#options;
    const choice = { address, name, known: this.#intent.knownSet, naming: '--set' };
    const set = await chooseSet(choice, port, this.#remarks);
    if (this.#intent.set !== undefined && this.#intent.set !== set.uri)
      this.#note(`the set has moved from ${this.#intent.set} to ${set.uri}`);
    const chosen = chooseWay({
      asked,
      cursor: this.#cursor,
      offersChanges: set.lists.changelist.length > 0,
      offersList: set.lists.resourcelist.length > 0,
      isOtherSelection: this.#intent.isOtherSelection,
    });
    if ('refused' in chosen) throw new BridgeError('usage', `${set.uri}: ${chosen.refused}`);
    const staging = this.#staging(set);
    const copying = isDryRun ? undefined : this.#openCopy(staging.isAllowed);
    if (copying) await recover(copying.deps);
    await this.#stage(set, chosen, staging);
    keepIntent(this.#database, this.#intent, set.uri);
    this.#database.flush();
    const due = this.#due.sum();
    if (copying === undefined) return this.#report(set, due, newCopyTally(), this.#heldBack());
    beginWork(copying.deps);
    try {
      await this.#copy(set, staging, copying);
      const heldBack = await this.#delete(copying);
      return this.#report(set, due, copying.tally, heldBack);
    } finally {
      // Whatever ended it, what was done is written with this.
      endWork(copying.deps);
      this.#database.flush();
    }
  }

  get #cursor(): string | undefined {
    return this.#database.setting('cursor');
  }

  #staging(set: SourceSet): Staging {
    const { port, now, onProgress } = this.#deps;
    return {
      port,
      database: this.#database,
      held: this.#held,
      due: this.#due,
      remarks: this.#remarks,
      isWanted: createSelector(this.#intent.selection),
      dropsExcluded: this.#options.dropsExcluded,
      isAllowed: createAuthority(set.uri, this.#intent.hosts),
      now,
      onProgress: (done) => onProgress?.({ work: 'entries', done, total: undefined }),
    };
  }

  /** Everything that is known becomes rows, and the cursor moves with it. */
  async #stage(set: SourceSet, first: { way: Way; why: string }, staging: Staging): Promise<void> {
    const { changelist } = set.lists;
    this.#ways.push(first);
    const before = this.#cursor;
    let gap: string | undefined;
    if (first.way === 'incremental') {
      gap = await this.#stageChanges(set, before ?? beginning, staging);
      if (gap === undefined || set.lists.resourcelist.length === 0) return;
      // Who asked for changes alone gets nothing else.
      if (this.#options.way === 'incremental') return;
      this.#ways.push({ way: 'audit', why: gap });
    }
    const at = await this.#stageLists(
      set.lists.resourcelist,
      staging,
      gap !== undefined || first.why === 'as asked',
    );
    if (at === undefined || changelist.length === 0) return;
    // A list that is older than what is known takes nothing of it back.
    const from = before !== undefined && gap === undefined ? later(before, at) : at;
    this.#database.keep('cursor', from);
    await this.#stageChanges(set, from, staging);
  }

  /** @returns the gap that keeps the cursor where it is */
  async #stageChanges(set: SourceSet, from: string, staging: Staging): Promise<string | undefined> {
    const { changelist: uris, resourcelist } = set.lists;
    const hasList = resourcelist.length > 0;
    const staged = await stageChanges(uris, from, staging);
    this.#add(staged);
    if (staged.gap === undefined || !hasList) this.#database.keep('cursor', staged.cursor);
    if (staged.gap === undefined) return undefined;
    // What changed before anybody looked is missing from changes alone.
    if (hasList || from !== beginning) this.#note(`changes may be missing: ${staged.gap}`);
    return staged.gap;
  }

  /**
   * @param isNeeded read it, even if it is the same as the last time
   * @returns the earliest moment that all of them are complete at; undefined: they are not
   */
  async #stageLists(
    uris: readonly string[],
    staging: Staging,
    isNeeded: boolean,
  ): Promise<string | undefined> {
    let at: string | undefined;
    for (const uri of uris) {
      const name = `list ${uri}`;
      const known = this.#intent.isOtherSelection || isNeeded ? undefined : this.#database.setting(name);
      const { at: knownAt, validators } = known === undefined ? {} : (JSON.parse(known) as KnownList);
      const staged = await stageList(uri, staging, this.#cursor === undefined ? {} : validators);
      if (staged) this.#add(staged);
      if (staged?.incomplete !== undefined) {
        this.#note(`${uri} was not read to its end: ${staged.incomplete}`);
        return undefined;
      }
      const moment = staged?.at ?? knownAt;
      if (staged) this.#database.keep(name, JSON.stringify({ at: staged.at, validators: staged.validators }));
      if (moment !== undefined) at = at === undefined ? moment : earlier(at, moment);
    }
    if (at !== undefined) this.#database.keep('cursor', later(this.#cursor ?? at, at));
    return at;
  }

  #openCopy(isAllowed: Staging['isAllowed']): Copying {
    const { directory, maximumOctets, backup } = this.#options;
    const { port, tell, now } = this.#deps;
    const parts = new Parts(join(directory, ownFolder, 'parts'));
    const sink = new DirectorySink(directory, parts.folder, backup);
    const [database, held, due] = [this.#database, this.#held, this.#due];
    const places = new Places(this.#intent.places, held, sink);
    const state = { database, held, due, places, sink };
    return new Copying({ port, parts, maximumOctets, isAllowed, ...state, tell, now });
  }

  async #copy(set: SourceSet, staging: Staging, copying: Copying): Promise<void> {
    const { transfers } = this.#options;
    const { now, stop, onProgress } = this.#deps;
    const due = this.#due;
    const begun = toMilliseconds(now());
    await this.#takeDumps(set, copying);
    const fetchAll = async () => {
      const total = due.count();
      let done = 0;
      const work = async (resource: Parameters<Copying['copy']>[0]) => {
        await copying.copy(resource);
        done += 1;
        onProgress?.({ work: 'resources', done, total });
      };
      await workThroughDue(due, work, { atOnce: transfers, stop, now });
    };
    await fetchAll();
    const isLong = toMilliseconds(now()) - begun > longMs;
    const cursor = this.#cursor;
    if (isLong && cursor !== undefined && set.lists.changelist.length > 0 && !stop.aborted) {
      await this.#stageChanges(set, cursor, staging);
      await fetchAll();
    }
  }

  /** Where most is missing and small, by the package. What a dump does not have is fetched one by one. */
  async #takeDumps(set: SourceSet, copying: Copying): Promise<void> {
    const { port, stop, onProgress } = this.#deps;
    const { parts } = copying.deps;
    if (set.lists.resourcedump.length === 0 || !isDumpCheaper(this.#due.sum(), this.#held.count())) return;
    for (const uri of set.lists.resourcedump) {
      try {
        const { packages, incomplete } = await listPackages(uri, { port, remarks: this.#remarks });
        if (incomplete !== undefined) this.#note(`a dump was not read to its end: ${incomplete}`);
        for (const [done, { uri: address, hashes, length }] of packages.entries()) {
          if (stop.aborted || this.#due.count() === 0) return;
          onProgress?.({ work: 'packages', done, total: packages.length });
          const trouble = await takePackage(
            { uri: address, hashes, length },
            {
              port,
              parts,
              maximumOctets: Number.MAX_SAFE_INTEGER,
              due: this.#due,
              copying,
              remarks: this.#remarks,
            },
            stop,
          );
          this.#packages += 1;
          if (trouble !== undefined) this.#note(`a package was of no use: ${trouble}`);
        }
      } catch (error) {
        if (!isBridgeError(error) || !/^(?:upstream|response|too-many|address)/.test(error.code)) throw error;
        this.#note(`a dump was of no use: ${describeError(error)}`);
      }
    }
  }

  #heldBack(): SyncReport['heldBack'] {
    const count = this.#held.countDoomed();
    const limit = tooManyDeletions(count, this.#held.count(), this.#options.maximumDeletions);
    return limit === undefined ? undefined : { count, limit };
  }

  async #delete(copying: Copying): Promise<SyncReport['heldBack']> {
    const heldBack = this.#heldBack();
    if (heldBack !== undefined) return heldBack;
    const total = this.#held.countDoomed();
    for (
      let page = this.#held.doomedAfter(0);
      page.length > 0;
      page = this.#held.doomedAfter(page.at(-1)?.id ?? 0)
    ) {
      for (const resource of page) {
        if (this.#deps.stop.aborted) return undefined;
        if (!(await copying.remove(resource))) continue;
        this.#deps.onProgress?.({ work: 'deletions', done: copying.tally.deleted, total });
      }
    }
    return undefined;
  }

  #report(
    set: SourceSet,
    due: SyncReport['due'],
    copied: SyncReport['copied'],
    heldBack: SyncReport['heldBack'],
  ): SyncReport {
    const { isDryRun } = this.#options;
    const left = this.#due.count();
    const isStopped = this.#deps.stop.aborted;
    const isComplete = left === 0 && heldBack === undefined && this.#cursor !== undefined && !isStopped;
    return {
      ...{
        set: set.uri,
        ways: this.#ways,
        read: this.#read,
        due,
        copied,
        packages: this.#packages,
        heldBack,
        left,
      },
      failures: this.#due.failures(namedFailures),
      held: this.#held.count(),
      cursor: this.#cursor,
      notes: [...this.#notes],
      remarks: this.#remarks.list(),
      isDryRun,
      isStopped,
      isComplete: isDryRun || (isComplete && this.#notes.size === 0),
    };
  }

  #note(text: string): void {
    this.#notes.add(text);
  }

  #add(tally: Tally): void {
    for (const name of Object.keys(this.#read) as (keyof Tally)[]) this.#read[name] += tally[name];
  }
}

/** What was kept of a list, to ask only whether it is another. */
interface KnownList {
  readonly at?: string;
  readonly validators?: Validators;
}
