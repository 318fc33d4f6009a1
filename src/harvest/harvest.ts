import type { Adapter, Clock, Log, Page, RepositoryInfo } from '../core/adapter.ts';
import type { SourceConfig } from '../core/config.ts';
import { toIso } from '../core/datetime.ts';
import { eitherOf } from '../core/either-signal.ts';
import { BridgeError, describeError, failure, isBridgeError } from '../core/errors.ts';
import { mapItem } from '../core/mapping.ts';
import type { FileRules } from '../core/published-files.ts';
import { isDspace, publishedFormats } from '../core/published-formats.ts';
import type { Database } from '../store/database.ts';
import { acquireLease, isBorrowed, type Lease, releaseLease, renewLease } from '../store/leases.ts';
import { askForAllFiles } from '../store/redelivered-files.ts';
import { isCalledFor } from '../store/refusals.ts';
import { endRun, type Run, type RunMode } from '../store/runs.ts';
import { type Settled, settle, settleRefusals } from '../store/settle.ts';
import {
  ensureSource,
  findSource,
  loadLessons,
  saveInfo,
  saveLessons,
  saveTrouble,
} from '../store/sources.ts';
import { type MappedPage, type StoredPage, storePage } from '../store/store-page.ts';
import { pageWithoutWithdrawn } from '../store/withdrawals.ts';
import { refreshCollections } from './collections.ts';
import { finishRun } from './finish.ts';
import type { LessonBook } from './lessons.ts';
import { type FileCheck, NewFiles } from './new-files.ts';
import { openRun } from './open-run.ts';
import { readAhead } from './read-ahead.ts';
import { type HarvestReport, toReport } from './report.ts';
import { retain } from './retention.ts';
import { askUnconfirmed } from './unconfirmed-files.ts';

export interface HarvestDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
}

/** A configured source with the adapter that reads it. */
export interface HarvestSource {
  readonly name: string;
  readonly config: SourceConfig;
  readonly adapter: Adapter;
  /** What its endpoint taught us; the adapter writes into it. */
  readonly lessons: LessonBook;
  /** Asks for files before they are published; undefined: they are published as stated. */
  readonly fileCheck?: FileCheck | undefined;
  /** What is known of it is a copy without payloads: there is nothing to mend. */
  readonly isCopy?: boolean | undefined;
}

export interface HarvestOptions {
  /** Asked for; the first run, and one after a change of the selection, is full in any case. */
  readonly mode: RunMode;
  /** Instead of the last good run's time. */
  readonly since?: string | undefined;
  /** Stop after about this many items, as if interrupted. */
  readonly limit?: number | undefined;
  /** Nobody has to look first, however much would go at once: the whole repository is ours, a sample. */
  readonly withoutFuse?: boolean | undefined;
  /** First Ctrl-C: finish the page. */
  readonly stop: AbortSignal;
  /** Second Ctrl-C: stop now. */
  readonly signal: AbortSignal;
  readonly onProgress?: ((progress: HarvestProgress) => void) | undefined;
}

export interface HarvestProgress {
  readonly source: string;
  readonly run: Run;
  /** Items read by this process in this run. */
  readonly items: number;
  readonly expectedTotal: number | undefined;
}

/**
 * One run of one source: its pages from where the last run stopped, mapped and stored one by one, then, if
 * the pass was complete and full, the deletion of what it did not see.
 * @throws BridgeError whatever ended the run early; what was stored stays, and the next run continues
 */
export async function harvest(
  deps: HarvestDeps,
  source: HarvestSource,
  options: HarvestOptions,
): Promise<HarvestReport> {
  const { database, clock } = deps;
  await ensureSource(database, source.name, toIso(clock.now()));
  return withLease(deps, source, options.signal, (lease) => runOnce(deps, source, options, lease));
}

/**
 * Work on a source that is nobody else's meanwhile, however long it takes.
 * @throws BridgeError `lease-held`, and what the work throws
 */
export async function withLease<Result>(
  deps: HarvestDeps,
  source: Pick<HarvestSource, 'name' | 'config'>,
  signal: AbortSignal,
  work: (lease: Lease) => Promise<Result>,
): Promise<Result> {
  const lease = await takeLease(deps, source.name, signal);
  const heartbeat = keepAlive(deps, lease, source);
  try {
    return await work(lease);
  } finally {
    await heartbeat.end();
    await releaseLease(deps.database, lease);
  }
}

/** The files of the same source may just be settled by this process; that is a matter of seconds. */
async function takeLease(
  { database, clock }: HarvestDeps,
  source: string,
  signal: AbortSignal,
): Promise<Lease> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await acquireLease(database, source, clock.now().getTime());
    } catch (error) {
      if (!isBridgeError(error, 'lease-held') || !isBorrowed(source) || attempt >= 300) throw error;
      await clock.sleep(100, signal);
    }
  }
}

async function runOnce(
  deps: HarvestDeps,
  source: HarvestSource,
  options: HarvestOptions,
  lease: Lease,
): Promise<HarvestReport> {
  const { database, clock, log } = deps;
  const now = () => toIso(clock.now());
  const info = await introduce(deps, source, lease, options);
  const stored = await findSource(database.reader, source.name);
  if (!stored) throw new Error(`source ${source.name} is not in the database`);
  const run = await openRun(deps, source, stored, info, options);
  log.debug(
    { source: source.name, runId: run.id, mode: run.mode, resumed: run.pages > 0 },
    'harvest started',
  );
  try {
    const { run: total, complete } = await storePages(deps, source, run, lease, options);
    const report = complete
      ? await finishRun(deps, lease, {
          source,
          run: total,
          info,
          stored,
          withoutFuse: options.withoutFuse,
          stop: options.stop,
          signal: options.signal,
        })
      : await leaveUnfinished(deps, source, total);
    if (complete && run.mode === 'full') {
      await askForAllFiles(database.writer, lease.sourceId, run.startedAt, now());
      await askUnconfirmed(deps, source, lease, run.startedAt, options);
    }
    const settled = complete ? await settleRun(deps, source, lease, run, options) : nothingSettled;
    if (complete) await retain(deps, source, lease, eitherOf(options.stop, options.signal));
    if (complete && run.mode === 'full') await refreshCollections(deps, source, lease, options.signal);
    const whole = withSettled(report, settled);
    log.info(whole, 'harvest ended');
    return whole;
  } catch (error) {
    const failure = toFailure(error, options);
    const state = failure.code === 'interrupted' ? 'interrupted' : 'failed';
    await endRun(database.writer, run.id, { state, at: now(), error: failure });
    log.warn(
      { source: source.name, runId: run.id, code: failure.code, reason: describeError(failure) },
      'harvest stopped',
    );
    throw failure;
  }
}

const nothingSettled: Settled = { created: 0, updated: 0, deleted: 0 };

/** What the pages, and their end, left for when all formats are there. */
async function settleRun(
  { database, clock }: HarvestDeps,
  { config }: HarvestSource,
  lease: Lease,
  run: Run,
  { signal }: HarvestOptions,
): Promise<Settled> {
  return settle(database, lease, fileRules(config), () => instant(clock), { runId: run.id, signal });
}

function withSettled(report: HarvestReport, settled: Settled): HarvestReport {
  return {
    ...report,
    created: report.created + settled.created,
    updated: report.updated + settled.updated,
    deleted: report.deleted + settled.deleted,
  };
}

/** Who is there today. A run that cannot even begin leaves a word, for whoever asks how the source is doing. */
export async function introduce(
  { database, clock }: HarvestDeps,
  source: HarvestSource,
  lease: Lease,
  options: Pick<HarvestOptions, 'signal'>,
): Promise<RepositoryInfo> {
  try {
    source.lessons.fill(await loadLessons(database.reader, source.name));
    const info = await source.adapter.identify(options.signal);
    await saveInfo(database, lease.sourceId, info);
    return info;
  } catch (error) {
    const failure = toFailure(error, options);
    const { code } = failure;
    if (code !== 'interrupted') {
      const trouble = { code, message: describeError(failure), at: toIso(clock.now()) };
      await saveTrouble(database, lease.sourceId, trouble);
    }
    throw failure;
  }
}

interface Reading {
  /** The run with everything this process added to it. */
  readonly run: Run;
  /** False when it was stopped before the end of the list. */
  readonly complete: boolean;
}

async function storePages(
  deps: HarvestDeps,
  source: HarvestSource,
  run: Run,
  lease: Lease,
  options: HarvestOptions,
): Promise<Reading> {
  const { database, clock, log } = deps;
  // The page after this one may be on its way: leaving must not wait for it.
  const leaving = new AbortController();
  const pages = source.adapter.pages(
    { mode: run.mode, since: run.since, checkpoint: run.checkpoint },
    eitherOf(options.signal, leaving.signal),
  );
  const newFiles = new NewFiles(deps, source.fileCheck, source.config.files.checksPerRun);
  let total = run;
  let items = 0;
  try {
    for await (const page of readAhead(pages, leaving)) {
      // Nobody asks for files that are withdrawn.
      const selected = await pageWithoutWithdrawn(database.reader, source.name, mapPage(source, page));
      const mapped = await newFiles.ask(lease, selected, options.signal);
      const result = await storePage(database, lease, total, mapped, instant(clock));
      await keepLessons(database, lease, source);
      items += result.items;
      total = add(total, page, result);
      log.debug({ source: source.name, runId: run.id, page: total.pages, ...result }, 'page stored');
      options.onProgress?.({ source: source.name, run: total, items, expectedTotal: total.expectedTotal });
      if (options.stop.aborted || items >= (options.limit ?? Number.POSITIVE_INFINITY)) {
        return { run: total, complete: false };
      }
    }
    return { run: total, complete: true };
  } finally {
    leaving.abort();
    await keepLessons(database, lease, source);
  }
}

export function instant(clock: Clock): { iso: string; milliseconds: number } {
  const now = clock.now();
  return { iso: toIso(now), milliseconds: now.getTime() };
}

export async function keepLessons(
  database: Database,
  lease: Lease,
  { lessons }: HarvestSource,
): Promise<void> {
  const changed = lessons.takeChanged();
  if (changed) await saveLessons(database, lease.sourceId, changed);
}

/** A page as the store takes it. */
export function mapPage({ name, config, isCopy }: HarvestSource, page: Page): MappedPage {
  return {
    ...page,
    items: page.items.map((item) => mapItem(name, item)),
    patches: config.patches,
    ...(isCopy && { isCopy }),
    files: fileRules(config),
  };
}

/** What the configuration says about the files of a source. */
export function fileRules(config: SourceConfig): FileRules {
  const { mode, from, perItem, verify, landingPagesPerRun } = config.files;
  const formats = publishedFormats(config);
  const landingPages = landingPagesPerRun > 0;
  const rules = { mode, perItem, verify, landingPages, formats, fuse: config.deletionFuse };
  return isDspace(config) ? rules : { ...rules, from, retired: [dspaceOrigin] };
}

/** By which DSpace's own lists of files are known; what it has said once does not outlive a move to OAI-PMH. */
const dspaceOrigin = 'dspace';

function add(run: Run, page: Page, result: StoredPage): Run {
  return {
    ...run,
    pages: run.pages + 1,
    items: run.items + result.items,
    created: run.created + result.created,
    updated: run.updated + result.updated,
    deleted: run.deleted + result.deleted,
    unchanged: run.unchanged + result.unchanged,
    problems: run.problems + result.problems,
    unidentified: run.unidentified + result.unidentified,
    asOf: run.asOf ?? page.asOf,
    expectedTotal: page.expectedTotal ?? run.expectedTotal,
  };
}

async function leaveUnfinished(
  { database, clock }: HarvestDeps,
  source: HarvestSource,
  run: Run,
): Promise<HarvestReport> {
  await endRun(database.writer, run.id, { state: 'interrupted', at: toIso(clock.now()) });
  return toReport(source.name, run, { state: 'interrupted' });
}

export function toFailure(error: unknown, { signal }: Pick<HarvestOptions, 'signal'>): BridgeError {
  if (isBridgeError(error)) return error;
  if (signal.aborted) return new BridgeError('interrupted', 'stopped at once as asked', { cause: error });
  return new BridgeError('internal', 'the harvest failed unexpectedly', { cause: error });
}

const heartbeatMs = 15_000;

/**
 * Waiting for a slow upstream must not look like death; nor does what is refused meanwhile wait for the end of the
 * harvest.
 */
function keepAlive(deps: HarvestDeps, lease: Lease, { config }: Pick<HarvestSource, 'config'>): Heartbeat {
  const { database, clock, log } = deps;
  const beat = async () => {
    try {
      await renewLease(database.writer, lease, clock.now().getTime());
    } catch (error) {
      log.warn({ source: lease.source, ...failure(error) }, 'lease not renewed');
      return;
    }
    try {
      if (!(await isCalledFor(database.writer, lease.sourceId, toIso(clock.now())))) return;
      await settleRefusals(database, lease, fileRules(config), () => instant(clock));
    } catch (error) {
      log.warn({ source: lease.source, ...failure(error) }, 'refused files not deleted yet');
    }
  };
  let beating: Promise<void> | undefined;
  const timer = setInterval(() => {
    beating ??= beat().finally(() => {
      beating = undefined;
    });
  }, heartbeatMs).unref();
  return {
    end: async () => {
      clearInterval(timer);
      await beating;
    },
  };
}

interface Heartbeat {
  end(): Promise<void>;
}
