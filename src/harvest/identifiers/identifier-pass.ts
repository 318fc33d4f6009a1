import type { RepositoryInfo } from '../../core/adapter.ts';
import { countOf } from '../../core/count-of.ts';
import { addSeconds, toIso } from '../../core/datetime.ts';
import { describeError } from '../../core/errors.ts';
import { type TrackedWork, untracked } from '../../core/under-way.ts';
import { excuseUnlisted, findAbsent } from '../../store/pages/identifier-pass.ts';
import { settle } from '../../store/pages/settle.ts';
import type { Lease } from '../../store/runs/leases.ts';
import {
  endRun,
  findRun,
  latestFullPass,
  latestIdentifierRun,
  latestRun,
  type Run,
  resumeRun,
  startRun,
} from '../../store/runs/runs.ts';
import { recordVanished } from '../../store/runs/vanished.ts';
import { findSource, type StoredSource } from '../../store/sources/sources.ts';
import { fileRules } from '../file-rules.ts';
import type { IdentifierOptions } from '../harvest-source.ts';
import { type HarvestDeps, type HarvestSource, instant } from '../harvest-source.ts';
import { introduce, keepLessons, toFailure } from '../introduction.ts';
import { type Asking, askedPerRun, askFor, failuresInARow, storeAnswers } from '../items/asked-item.ts';
import { askUnreadable } from '../items/unreadable-again.ts';
import { type HarvestReport, toReport } from '../report.ts';
import { asQuestion, unreadParts } from '../run/finish.ts';
import { describeSelection, isUnfinished, maxStalls } from '../run/open-run.ts';
import { noteRequests, noteRunSettings } from '../run-facts.ts';
import { endFailed, withLease } from '../run-lease.ts';
import type { Sample } from '../vanished/sample.ts';
import { deleteVanished } from '../vanished/vanished.ts';
import { readIdentifiers } from './listed-identifiers.ts';

/** There was nothing to compare the list with. */
export interface Skipped {
  readonly skipped: string;
}

/**
 * A look through the list of identifiers alone, which costs a fraction of a full pass: what is not in it is asked
 * for and deleted when it is gone; what is listed but not here, because an index lagged or a page was skipped
 * (quirks 18, 52), is fetched. It continues where the last one stopped.
 * @throws BridgeError whatever ended it early; what was marked stays, and the next one continues
 */
export async function identifierPass(
  deps: HarvestDeps,
  source: HarvestSource,
  options: IdentifierOptions,
): Promise<HarvestReport | Skipped> {
  const { database } = deps;
  const before = await findSource(database.reader, source.name);
  if (before?.lastFullAt === undefined) return { skipped: 'it has never been read to the end' };
  return withLease(deps, source, options.signal, async ({ lease, deps: held, signal }) => {
    const work = deps.presence?.begin({ kind: 'identifiers', source: source.name }) ?? untracked;
    try {
      return await lookThrough(held, source, { ...options, signal }, lease, work);
    } finally {
      work.end();
    }
  });
}

async function lookThrough(
  deps: HarvestDeps,
  source: HarvestSource,
  options: IdentifierOptions,
  lease: Lease,
  work: TrackedWork,
): Promise<HarvestReport | Skipped> {
  const { database, log, clock } = deps;
  const info = await introduce(deps, source, lease, options);
  const stored = await findSource(database.reader, source.name);
  if (!stored) throw new Error(`source ${source.name} is not in the database`);
  const selection = describeSelection(source, info);
  if (stored.selection !== selection) return { skipped: 'its next harvest reads everything anew' };
  const harvest = await latestRun(database.reader, stored.id);
  // It has marks of its own on what it met, and goes on with them.
  if (harvest && isUnfinished(harvest)) return { skipped: 'its last harvest has not come to its end' };
  const run = await openIdentifierRun(deps, stored, selection);
  log.debug({ source: source.name, runId: run.id, resumed: run.pages > 0 }, 'harvest of identifiers started');
  try {
    await noteRunSettings(deps, source, run);
    work.tell({ phase: 'reading', run: run.id, done: run.items });
    const report = await compare(deps, source, options, lease, { run, info, stored, work });
    log.info(report, 'harvest of identifiers ended');
    return report;
  } catch (error) {
    const failure = toFailure(error, options);
    const state = failure.code === 'interrupted' ? 'interrupted' : 'failed';
    await endFailed(deps, run, { state, at: toIso(clock.now()), error: failure });
    log.warn(
      { source: source.name, runId: run.id, code: failure.code, reason: describeError(failure) },
      'harvest of identifiers stopped',
    );
    throw failure;
  } finally {
    await noteRequests(deps, run, work.requests());
    await keepLessons(deps, lease, source);
  }
}

const staleSeconds = 86_400;

/** Harvests between two parts of a look do no harm: what they meet has the mark of a later run. */
async function openIdentifierRun(
  { database, clock }: HarvestDeps,
  { id: sourceId }: StoredSource,
  selection: string,
): Promise<Run<'identifiers'>> {
  const now = toIso(clock.now());
  const last = await latestIdentifierRun(database.reader, sourceId);
  if (last && isUnfinished(last)) {
    // Behind a complete harvest, or after a day, what was marked then says nothing about now.
    const harvested = await latestFullPass(database.reader, sourceId);
    const isFresh = last.updatedAt > addSeconds(now, -staleSeconds) && last.id > (harvested?.id ?? 0);
    const continues = last.checkpoint !== undefined && last.stalled < maxStalls && isFresh;
    if (continues && last.selection === selection)
      return database.transaction((trx) => resumeRun(trx, last, now));
    await database.transaction((trx) => endRun(trx, last.id, { state: 'interrupted', at: now }));
  }
  const mode = 'identifiers';
  const run = { sourceId, mode, selection, since: undefined, startedAt: now } as const;
  return database.transaction((trx) => startRun(trx, run));
}

interface Comparison {
  readonly run: Run<'identifiers'>;
  readonly info: RepositoryInfo;
  readonly stored: StoredSource;
  readonly work: TrackedWork;
}

async function compare(
  deps: HarvestDeps,
  source: HarvestSource,
  options: IdentifierOptions,
  lease: Lease,
  { run, info, stored, work }: Comparison,
): Promise<HarvestReport> {
  const { database, clock } = deps;
  const { stop, signal } = options;
  const end = async (state: 'interrupted' | 'needs-attention' | 'succeeded', unseen = 0) => {
    const whole = await findRun(database.writer, run);
    return toReport(source.name, whole, { state, unseen });
  };
  const read = await readIdentifiers(deps, source, { ...options, work }, lease, run);
  if (!read) {
    const at = toIso(clock.now());
    await database.transaction((trx) => endRun(trx, run.id, { state: 'interrupted', at }));
    return end('interrupted');
  }
  work.tell({ phase: 'comparing', window: undefined });
  // With what the list gave rise to doubt about.
  const listed = await findRun(database.writer, run);
  const asking = { source, run: listed, stop, signal };
  await fetchAbsent(deps, lease, asking, read.absent);
  // Not what was just asked for.
  await askUnreadable(deps, lease, asking, { most: askedPerRun, restSeconds: 60 });
  await excuseUnlisted(database, lease, run.id, read.formats, instant(clock));
  const pass = { ...asking, info, stored };
  work.tell({ phase: 'deleting' });
  const { unseen, problem: found = unreadParts(pass) } = await deleteVanished(deps, lease, pass);
  await recordVanished(database, lease, run, instant(clock));
  const problem = await asQuestion(database, pass, found);
  await settle(database, lease, fileRules(source.config), () => instant(clock), { runId: run.id, signal });
  const state = problem ? 'needs-attention' : 'succeeded';
  const at = toIso(clock.now());
  await database.transaction((trx) => endRun(trx, run.id, { state, at, error: problem }));
  return end(state, unseen);
}

async function fetchAbsent(deps: HarvestDeps, lease: Lease, asking: Asking, absent: Sample): Promise<void> {
  let inARow = 0;
  let unknown = 0;
  // A harvest may have come between the parts of the list.
  for (const identifier of await findAbsent(deps.database.writer, lease.sourceId, absent.values())) {
    if (asking.stop.aborted || inARow === failuresInARow) break;
    const answer = await askFor(deps, lease, asking, identifier);
    inARow = answer === 'failed' ? inARow + 1 : 0;
    // Listed and denied (quirk 69): there is nothing to be had.
    if (answer === 'unknown') unknown += 1;
  }
  const more = absent.total - absent.values().length;
  const sentences = [
    unknown > 0 &&
      `${countOf(unknown, 'item')} that it lists ${unknown === 1 ? 'does' : 'do'} not exist when asked for`,
    more > 0 &&
      `its list has ${countOf(more, 'more entry')} of items that no harvest has delivered; a full one may (rsbridge harvest ${asking.source.name} --full)`,
  ].filter((sentence) => sentence !== false);
  if (sentences.length === 0) return;
  const problems = sentences.map((message) => ({ code: 'endpoint-quirk', message }) as const);
  await storeAnswers(deps, lease, asking, { problems });
}
