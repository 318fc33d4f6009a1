import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { later } from '../core/datetime.ts';
import { BridgeError } from '../core/errors.ts';
import type { SourceSet } from '../resourcesync/discovery/found-source.ts';
import { type NotingPort, notingPort } from '../resourcesync/discovery/noting-port.ts';
import { chooseSet } from '../resourcesync/discovery/source-set.ts';
import { createAuthority } from '../resourcesync/reading/authority.ts';
import { Remarks } from '../resourcesync/reading/remarks.ts';
import { rememberingPort } from '../resourcesync/reading/remembered-documents.ts';
import type { SourcePort } from '../resourcesync/source-port.ts';
import { Quota } from './choice/quota.ts';
import { createSelector, isEverything } from './choice/selection.ts';
import { chooseWay, type OtherSet, type Way } from './choice/way.ts';
import { Copying, newCopyTally } from './content/copying.ts';
import { Parts } from './content/parts.ts';
import { beginWork, endWork, recover } from './content/recovery.ts';
import { ToldChanges } from './content/told-changes.ts';
import { openSink } from './open-sink.ts';
import { heldBackOf, SourceCopying } from './source-copying.ts';
import { offersChanges, offersList, SourceReading } from './source-reading.ts';
import { type Comparison, Findings } from './stages/comparison.ts';
import { HeldFiles } from './stages/held-files.ts';
import { KnownPackages } from './stages/known-packages.ts';
import type { Filler, Staging } from './stages/staging.ts';
import { forgetFuture } from './state/ahead.ts';
import { CopyDatabase, ownFolder } from './state/copy-database.ts';
import { DueResources } from './state/due-resources.ts';
import { ExpectedFiles } from './state/expected-files.ts';
import { HeldResources } from './state/held-resources.ts';
import { KeptDocuments } from './state/kept-documents.ts';
import { ListedResources } from './state/listed-resources.ts';
import { forgetSet } from './state/other-set.ts';
import { type Intent, keepIntent, readIntent } from './sync-intent.ts';
import type { SyncDeps, SyncOptions } from './sync-options.ts';
import { Meter } from './sync-progress.ts';
import type { SyncReport } from './sync-report.ts';

const givesToken =
  'give the token with --access-token-file FILE, or as RSBRIDGE_ACCESS_TOKEN in the environment';
/** Failures that are named in a report; the others are counted. */
const namedFailures = 10;

/**
 * Brings a copy up to date with a Source: reads what has changed, or everything where that is not enough; fetches what
 * differs; deletes what is gone. What is known is kept at once and fetched after that, so that a run may be stopped or
 * killed anywhere and the next one goes on.
 * @throws BridgeError where the Source cannot be read at all, the copy is another one's, or another process works on it
 */
export async function synchronise(options: SyncOptions, deps: SyncDeps): Promise<SyncReport> {
  const database = openCopy(options);
  try {
    return await synchroniseOpened(database, options, deps);
  } finally {
    database.close();
  }
}

/** The state of a copy, which nobody else works on until it is closed. @throws BridgeError `copy-busy` */
export function openCopy({ directory, isDryRun }: SyncOptions): CopyDatabase {
  const isNew = !existsSync(join(directory, ownFolder, 'state.db'));
  const database = CopyDatabase.open(isDryRun && isNew ? undefined : directory);
  if (isDryRun) database.beginTrial();
  return database;
}

/** One run. */
export async function synchroniseOpened(
  database: CopyDatabase,
  options: SyncOptions,
  deps: SyncDeps,
): Promise<SyncReport> {
  const intent = readIntent(database, options);
  return new Synchronisation(database, intent, options, deps).run();
}

class Synchronisation {
  readonly #database: CopyDatabase;
  readonly #held: HeldResources;
  readonly #due: DueResources;
  readonly #intent: Intent;
  readonly #options: SyncOptions;
  readonly #deps: SyncDeps;
  readonly #remarks = new Remarks();
  readonly #notes = new Set<string>();
  readonly #meter: Meter;
  readonly #documents: KeptDocuments;
  #comparison: Comparison | undefined;
  readonly #noting: NotingPort;
  /** By which documents are read. */
  readonly #port: SourcePort;

  constructor(database: CopyDatabase, intent: Intent, options: SyncOptions, deps: SyncDeps) {
    this.#database = database;
    this.#intent = intent;
    this.#options = options;
    this.#deps = deps;
    this.#held = new HeldResources(database);
    this.#due = new DueResources(database);
    this.#meter = new Meter(deps.onProgress);
    this.#documents = new KeptDocuments(database);
    this.#noting = notingPort(deps.port);
    this.#port = rememberingPort(this.#noting, this.#documents);
  }

  async run(): Promise<SyncReport> {
    const { address, set: name, isDryRun } = this.#options;
    const login = { isSent: this.#deps.port.isAuthorised === true, how: givesToken };
    const choice = { address, name, known: this.#intent.knownSet, naming: '--set', login };
    const set = await chooseSet(choice, this.#port, this.#remarks);
    const other = this.#otherSet(set);
    if (other?.isNamed === false) this.#note(`the set has moved from ${other.before} to ${set.uri}`);
    const first = this.#chooseWay(set);
    const copying = isDryRun ? undefined : await this.#openCopying(set);
    try {
      return await this.#run(set, first, copying);
    } finally {
      this.#comparison?.close();
      // Whatever ended it, what was done is written with this.
      if (copying) {
        await copying.deps.sink.close();
        endWork(copying.deps);
      }
      this.#database.flush();
    }
  }

  async #run(
    set: SourceSet,
    first: { way: Way; why: string },
    copying: Copying | undefined,
  ): Promise<SyncReport> {
    const { transfers, maximumDeletions, maximumTransfer, way: asked } = this.#options;
    const { stop, threads } = this.#deps;
    const note = (text: string) => this.#note(text);
    const listed = copying && new ListedResources(copying.deps.expected, this.#held, this.#due);
    const work =
      copying &&
      listed &&
      new SourceCopying({
        ...{ set, copying, listed, remarks: this.#remarks, note, meter: this.#meter },
        ...{ transfers, maximumDeletions, maximumTransfer, stop, threads },
      });
    if (copying) {
      await recover(copying.deps);
      beginWork(copying.deps);
    }
    if (this.#otherSet(set) !== undefined && offersList(set)) forgetSet(this.#database, set.uri);
    const { isOtherSelection } = this.#intent;
    this.#comparison = this.#openComparison();
    const staging = this.#staging(set, work, listed);
    const reading = new SourceReading({ set, staging, note, asked, isOtherSelection });
    await reading.read(first);
    keepIntent(this.#database, this.#intent, set.uri);
    this.#documents.forgetOthers();
    this.#database.flush();
    const due = work?.due() ?? this.#due.sum();
    if (work === undefined || copying === undefined) {
      const heldBack = heldBackOf({ held: this.#held, database: this.#database }, maximumDeletions);
      return this.#report(set, reading, {
        due,
        left: due.count,
        copied: newCopyTally(),
        packages: 0,
        heldBack,
      });
    }
    await work.copy(async () => {
      const cursor = this.#cursor;
      if (cursor !== undefined && offersChanges(set)) await reading.readNewest(cursor);
    });
    const heldBack = await work.delete();
    const left = work.due().count;
    return this.#report(set, reading, {
      due,
      left,
      copied: copying.tally,
      packages: work.packages,
      heldBack,
    });
  }

  get #cursor(): string | undefined {
    return this.#database.setting('cursor');
  }

  /** Undefined: it is the one of before, or there is none before. */
  #otherSet({ uri }: SourceSet): OtherSet | undefined {
    const { set: before, knownSet } = this.#intent;
    if (before === undefined || before === uri) return undefined;
    return { before, isNamed: knownSet === undefined };
  }

  #chooseWay(set: SourceSet): { way: Way; why: string } {
    const now = this.#deps.now();
    const future = forgetFuture(this.#database, later(now, this.#noting.servedAt ?? now));
    const chosen = chooseWay({
      future,
      asked: this.#options.way,
      cursor: this.#cursor,
      offersChanges: offersChanges(set),
      offersList: offersList(set),
      isOtherSelection: this.#intent.isOtherSelection,
      otherSet: this.#otherSet(set),
    });
    if (!('refused' in chosen)) return chosen;
    // Of what is not there nothing that is typed makes more.
    const code = offersChanges(set) || offersList(set) ? 'usage' : 'upstream-protocol';
    throw new BridgeError(code, `${set.uri}: ${chosen.refused}`);
  }

  /** Whoever asks for an audit wants to know of his files. */
  #openComparison(): Comparison | undefined {
    const { way, combined, directory, isDryRun } = this.#options;
    if (way !== 'audit') return undefined;
    const isTree = this.#intent.sink === 'directory';
    return new Findings(combined, isTree ? new HeldFiles(directory, !isDryRun) : undefined);
  }

  #staging(set: SourceSet, work: SourceCopying | undefined, listed: ListedResources | undefined): Staging {
    const { now } = this.#deps;
    const { resourcedump, changedump } = set.lists;
    // What is due decides whether a package is worth it.
    const hasPackages = resourcedump.length > 0 || changedump.length > 0;
    return {
      port: this.#port,
      database: this.#database,
      held: this.#held,
      due: this.#due,
      remarks: this.#remarks,
      isWanted: createSelector(this.#intent.selection),
      dropsExcluded: this.#options.dropsExcluded,
      isAllowed: createAuthority(set.uri, this.#intent.hosts),
      readPackage: work && ((...asked) => work.readPackage(...asked)),
      packages: new KnownPackages(this.#documents),
      filler: work?.canFill && isEverything(this.#intent.selection) ? this.#filler(set, work) : undefined,
      listed: work?.canFill && !hasPackages ? listed : undefined,
      now,
      comparison: this.#comparison,
      onProgress: (done) => this.#meter.entries(done),
    };
  }

  /** What comes belongs to this Source, whatever ends the run. */
  #filler(set: SourceSet, work: SourceCopying): Filler {
    return {
      fetch: (member) => {
        keepIntent(this.#database, this.#intent, set.uri);
        return work.fetch(member);
      },
      close: () => work.filled(),
    };
  }

  async #openCopying(set: SourceSet): Promise<Copying> {
    const { directory, maximumOctets, backup, quota: limits = {} } = this.#options;
    const { port, telling, now, openBucket, author } = this.#deps;
    const parts = new Parts(join(directory, ownFolder, 'parts'));
    const [database, held, due] = [this.#database, this.#held, this.#due];
    const rules = this.#intent.places;
    const aside = join(directory, ownFolder, 'aside');
    const place = {
      directory,
      parts: parts.folder,
      aside,
      backup,
      rules,
      held,
      database,
      now,
      openBucket,
      author,
    };
    const sink = await openSink(this.#intent.sink, place);
    const isAllowed = createAuthority(set.uri, this.#intent.hosts);
    const told = new ToldChanges(telling);
    const onOctets = this.#meter.transfer.bind(this.#meter);
    const { count, octets } = held.sum();
    const quota = new Quota(limits, { count, octets: sink.takesContents ? octets : 0 });
    const expected = new ExpectedFiles(database);
    const state = { database, held, due, expected, sink, told, quota };
    const isBoundByLength = maximumOctets === Number.MAX_SAFE_INTEGER;
    return new Copying({ port, parts, maximumOctets, isBoundByLength, isAllowed, onOctets, ...state, now });
  }

  #report(
    set: SourceSet,
    { ways, tally: read }: SourceReading,
    done: Pick<SyncReport, 'due' | 'left' | 'copied' | 'packages' | 'heldBack'>,
  ): SyncReport {
    const { isDryRun } = this.#options;
    const { left } = done;
    const isStopped = this.#deps.stop.aborted;
    const isDone = left === 0 && this.#held.countDoomed() === 0 && this.#cursor !== undefined && !isStopped;
    return {
      ...{ set: set.uri, ways, read, ...done },
      looked: this.#comparison?.looked,
      failures: this.#due.failures(namedFailures),
      obstacles: this.#due.obstacles(namedFailures),
      held: this.#held.count(),
      cursor: this.#cursor,
      notes: [...this.#notes],
      remarks: this.#remarks.list(),
      isDryRun,
      isStopped,
      isComplete: isDryRun || (isDone && this.#notes.size === 0),
    };
  }

  #note(text: string): void {
    this.#notes.add(text);
  }
}
