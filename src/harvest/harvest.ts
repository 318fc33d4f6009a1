import type { Page } from '../core/adapter.ts';
import { toIso } from '../core/datetime.ts';
import { eitherOf } from '../core/either-signal.ts';
import { failure as cannot, describeError, isBridgeError } from '../core/errors.ts';
import { type TrackedWork, untracked } from '../core/under-way.ts';
import type { Database } from '../store/engine/database.ts';
import { askForAllFiles } from '../store/files/redelivered-files.ts';
import { type Settled, settle } from '../store/pages/settle.ts';
import { type MappedPage, type StoredPage, storePage } from '../store/pages/store-page.ts';
import { pageWithoutPrivate } from '../store/removal/private-items.ts';
import { pageWithoutWithdrawn } from '../store/removal/withdrawals.ts';
import type { Lease } from '../store/runs/leases.ts';
import { endRun, type Run } from '../store/runs/runs.ts';
import { isTimeToLook, refreshStatistics } from '../store/schema/statistics.ts';
import { ensureSource, findSource, type StoredSource } from '../store/sources/sources.ts';
import { settleTally } from '../store/tally/file-tally.ts';
import { fileRules } from './file-rules.ts';
import { NewFiles } from './files/checks/new-files.ts';
import { askUnconfirmed } from './files/unconfirmed-files.ts';
import { type HarvestDeps, type HarvestOptions, type HarvestSource, instant } from './harvest-source.ts';
import { introduce, keepLessons, toFailure } from './introduction.ts';
import { askFormerItems } from './items/former-items.ts';
import { askUnreadable, besideChanges } from './items/unreadable-again.ts';
import { mapPage } from './mapped-page.ts';
import { type HarvestReport, toReport } from './report.ts';
import { refreshCollections } from './run/collections.ts';
import { finishRun } from './run/finish.ts';
import { openRun } from './run/open-run.ts';
import { readAhead } from './run/read-ahead.ts';
import { retain } from './run/retention.ts';
import { countUncounted } from './run/uncounted-items.ts';
import { noteRequests, noteRunSettings } from './run-facts.ts';
import { endFailed, withLease } from './run-lease.ts';

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
  const { database, clock, log } = deps;
  await ensureSource(database, source.name, toIso(clock.now()));
  return withLease(deps, source, options.signal, async ({ lease, deps: held, signal }) => {
    const kind = options.mode === 'full' ? 'full' : 'harvest';
    const work = deps.presence?.begin({ kind, source: source.name }) ?? untracked;
    try {
      return await runOnce(held, source, { ...options, signal }, lease, work, options.mode === 'full');
    } catch (error) {
      if (!isBridgeError(error, 'changes-incomplete') || options.mode === 'full') throw error;
      log.info({ source: source.name, ...cannot(error) }, 'everything is compared');
      return await runOnce(held, source, { ...options, mode: 'full', signal }, lease, work, false);
    } finally {
      work.end();
    }
  });
}

async function runOnce(
  deps: HarvestDeps,
  source: HarvestSource,
  options: HarvestOptions,
  lease: Lease,
  work: TrackedWork,
  mends: boolean,
): Promise<HarvestReport> {
  const { database, clock, log } = deps;
  const now = () => toIso(clock.now());
  const info = await introduce(deps, source, lease, options);
  const stored = await findSource(database.reader, source.name);
  if (!stored) throw new Error(`source ${source.name} is not in the database`);
  const run = await openRun(deps, source, stored, info, options);
  work.tell({
    kind: run.mode === 'full' ? 'full' : 'harvest',
    phase: 'reading',
    run: run.id,
    ...doneOf(run),
  });
  log.debug(
    { source: source.name, runId: run.id, mode: run.mode, resumed: run.pages > 0 },
    'harvest started',
  );
  try {
    await noteRunSettings(deps, source, run);
    const { run: total, complete } = await storePages(deps, source, run, lease, {
      ...options,
      isFirst: stored.asOf === undefined,
      lastWhole: lastWhole(stored),
      mends,
      work,
    });
    if (complete) work.tell({ phase: run.mode === 'full' ? 'deleting' : 'ending', window: undefined });
    const { stop, signal } = options;
    // One that breaks its OAI-PMH server costs that minutes: looks through the identifiers, and full passes, ask for it.
    if (complete && run.mode === 'incremental' && source.config.adapter !== 'oai-pmh')
      await askUnreadable(deps, lease, { source, run: total, stop, signal }, besideChanges);
    if (complete) await askFormerItems(deps, lease, { source, run: total, stop, signal });
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
      await askForAllFiles(database, lease.sourceId, run.startedAt, now());
      await askUnconfirmed(deps, source, lease, run.startedAt, options);
    }
    if (complete) work.tell({ phase: 'settling' });
    const settled = complete ? await settleRun(deps, source, lease, run, options) : nothingSettled;
    if (complete) work.tell({ phase: 'ending' });
    const ending = eitherOf(options.stop, options.signal);
    if (complete) await retain(deps, source, lease, ending);
    if (complete) await settleTally(database, lease.sourceId, ending);
    if (complete) await countUncounted(database, lease.sourceId, ending);
    if (complete) await tellPostgres(deps, source);
    if (complete && run.mode === 'full') await refreshCollections(deps, source, lease, options.signal);
    const whole = withSettled(report, settled);
    log.info(whole, 'harvest ended');
    return whole;
  } catch (error) {
    const failure = toFailure(error, options);
    // That changes alone will not do is no failure: another run takes its place.
    const isLeft = failure.code === 'interrupted' || failure.code === 'changes-incomplete';
    const state = isLeft ? 'interrupted' : 'failed';
    await endFailed(deps, run, { state, at: now(), error: failure });
    log.warn(
      { source: source.name, runId: run.id, code: failure.code, reason: describeError(failure) },
      'harvest stopped',
    );
    throw failure;
  } finally {
    await noteRequests(deps, run, work.requests());
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
  options: HarvestOptions & {
    readonly isFirst: boolean;
    readonly lastWhole: string | undefined;
    readonly mends: boolean;
    readonly work: TrackedWork;
  },
): Promise<Reading> {
  const { database, clock, log } = deps;
  const { isFirst, lastWhole, mends } = options;
  // The page after this one may be on its way: leaving must not wait for it.
  const leaving = new AbortController();
  const pages = source.adapter.pages(
    { mode: run.mode, since: run.since, checkpoint: run.checkpoint, isFirst, lastWhole, mends },
    eitherOf(options.signal, leaving.signal),
  );
  const newFiles = new NewFiles(deps, source.fileCheck, source.config.files.checksPerRun);
  let total = run;
  let items = 0;
  try {
    for await (const page of readAhead(pages, leaving)) {
      const mapped = mapPage(source, page);
      const { asked } = newFiles.mayAsk(mapped)
        ? await newFiles.ask(lease, await openPage(database, source.name, mapped), options.signal)
        : mapped;
      const result = await storePage(database, lease, total, { ...mapped, asked }, instant(clock));
      await keepLessons(deps, lease, source);
      items += result.items;
      total = add(total, page, result);
      if (isTimeToLook(total.created - result.created, total.created))
        await tellPostgres(deps, source, lease.sourceId);
      log.debug({ source: source.name, runId: run.id, page: total.pages, ...result }, 'page stored');
      options.work.tell({ ...doneOf(total), window: page.window });
      options.onProgress?.({ source: source.name, run: total, items, expectedTotal: total.expectedTotal });
      const leaves = options.yield?.aborted === true && page.checkpoint !== undefined;
      if (options.stop.aborted || leaves || items >= (options.limit ?? Number.POSITIVE_INFINITY)) {
        return { run: total, complete: false };
      }
    }
    return { run: total, complete: true };
  } finally {
    leaving.abort();
    await keepLessons(deps, lease, source);
  }
}

/** What it knows of its tables makes it faster, and nothing else: that it may not, or takes too long, ends no harvest. */
async function tellPostgres(
  { database, log }: HarvestDeps,
  { name }: HarvestSource,
  grown?: number,
): Promise<void> {
  await refreshStatistics(database, grown).catch((error: unknown) => {
    const { code, reason } = cannot(error);
    log.warn({ source: name, code, reason }, 'PostgreSQL was not told what has grown');
  });
}

/** Nobody asks for files that are withdrawn, or private. */
async function openPage({ reader }: Database, source: string, mapped: MappedPage): Promise<MappedPage> {
  return pageWithoutWithdrawn(reader, source, await pageWithoutPrivate(reader, source, mapped));
}

/** One that needs a person's word did not end well. */
function lastWhole({ lastFullAt, lastSuccessAt }: StoredSource): string | undefined {
  return lastFullAt !== undefined && lastSuccessAt !== undefined && lastFullAt <= lastSuccessAt
    ? lastFullAt
    : undefined;
}

function doneOf({ items, expectedTotal }: Run) {
  return { done: items, expected: expectedTotal };
}

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
  const end = { state: 'interrupted', at: toIso(clock.now()) } as const;
  await database.transaction((trx) => endRun(trx, run.id, end));
  return toReport(source.name, run, { state: 'interrupted' });
}
