import type { RepositoryInfo } from '../core/adapter.ts';
import { toIso } from '../core/datetime.ts';
import { BridgeError } from '../core/errors.ts';
import type { Database } from '../store/database.ts';
import type { Lease } from '../store/leases.ts';
import { endRun, latestFullPass, type Run, type RunState } from '../store/runs.ts';
import { completePass, type StoredSource } from '../store/sources.ts';
import { countUnseen, type Swept, sweep } from '../store/sweep.ts';
import type { HarvestDeps, HarvestSource } from './harvest.ts';
import { type HarvestReport, toReport } from './report.ts';

export interface FinishedPass {
  readonly source: HarvestSource;
  readonly run: Run;
  readonly info: RepositoryInfo;
  /** As it was before this run. */
  readonly stored: StoredSource;
  readonly acceptDeletions: boolean | undefined;
  readonly signal: AbortSignal;
}

/** The pass is complete: delete what it proves to be gone, and remember how far we are. */
export async function finishRun(deps: HarvestDeps, lease: Lease, pass: FinishedPass): Promise<HarvestReport> {
  const { database, clock } = deps;
  const { run, source } = pass;
  const judgement =
    run.mode === 'full' ? await judge(deps, lease, pass) : { deleted: 0, unseen: 0, problem: undefined };
  const state: RunState = judgement.problem ? 'needs-attention' : 'succeeded';
  const at = toIso(clock.now());
  await database.transaction(async (trx) => {
    await endRun(trx, run.id, { state, at, error: judgement.problem });
    await completePass(trx, lease.sourceId, {
      asOf: coveredUntil(pass),
      fullAt: run.mode === 'full' ? at : undefined,
      selection: run.selection,
    });
  });
  return toReport(source.name, run, { state, ...judgement });
}

/** A run that began later than the last good one ended (`--since`) leaves a gap, which the next one has to read. */
function coveredUntil({ run, stored }: FinishedPass): string | undefined {
  const gap = run.since !== undefined && stored.asOf !== undefined && run.since > stored.asOf;
  return gap ? undefined : (run.asOf ?? run.startedAt);
}

interface Judgement {
  readonly deleted: number;
  readonly unseen: number;
  readonly problem: BridgeError | undefined;
}

/**
 * What a complete full pass did not see is gone, unless the upstream keeps tombstones of everything (then
 * those are the word), unless the pass is in doubt somewhere, and unless so much would go at once that a
 * person should look first.
 */
async function judge(deps: HarvestDeps, lease: Lease, pass: FinishedPass): Promise<Judgement> {
  const { database, clock } = deps;
  const { run, signal } = pass;
  const now = () => ({ iso: toIso(clock.now()), milliseconds: clock.now().getTime() });
  const remove = (which: Swept) => sweep(database, lease, run.id, which, now, signal);
  const { formats } = pass.source.config;
  // The operator took these formats out of the configuration: that is a decision, not a loss.
  const dropped = formats === undefined ? 0 : await remove({ formatsOtherThan: formats });
  if (!pass.acceptDeletions && (await tombstonesSuffice(database, pass))) {
    return { deleted: dropped, unseen: 0, problem: undefined };
  }
  const { unseen, total } = await countUnseen(database.writer, lease.sourceId, run.id);
  const problem = pass.acceptDeletions ? undefined : refusal(pass, unseen, total);
  const deleted = problem ? 0 : await remove({});
  return { deleted: dropped + deleted, unseen, problem };
}

/** They answer for what we asked before; and what a person was asked to look at stays a question. */
async function tombstonesSuffice(database: Database, { info, stored, run }: FinishedPass): Promise<boolean> {
  const sameAsBefore = stored.selection === undefined || stored.selection === run.selection;
  if (info.deletedRecords !== 'persistent' || !sameAsBefore) return false;
  return (await latestFullPass(database.reader, run.sourceId))?.state !== 'needs-attention';
}

function refusal({ run, source }: FinishedPass, unseen: number, total: number): BridgeError | undefined {
  const { share, atLeast } = source.config.deletionFuse;
  const tooMany = unseen > atLeast && unseen > total * share;
  if (unseen === 0 || (run.unidentified === 0 && !tooMany)) return undefined;
  const why =
    run.unidentified > 0
      ? `the pass was not to be trusted in ${run.unidentified} places (rsbridge status names them)`
      : `that is more than ${share * 100} % of ${total}`;
  return new BridgeError(
    'deletions-refused',
    `${unseen} resources of ${source.name} were not in the list any more and would be deleted, but ${why}`,
  );
}
