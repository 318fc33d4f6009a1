import { toIso } from '../core/datetime.ts';
import type { Lease } from '../store/leases.ts';
import { endRun, findRun, type Run, type RunState } from '../store/runs.ts';
import { completePass } from '../store/sources.ts';
import type { HarvestDeps } from './harvest.ts';
import { type HarvestReport, toReport } from './report.ts';
import { type CompletePass, deleteVanished } from './vanished.ts';

export interface FinishedPass extends CompletePass {
  readonly run: Run;
}

/** The pass is complete: delete what it proves to be gone, and remember how far we are. */
export async function finishRun(deps: HarvestDeps, lease: Lease, pass: FinishedPass): Promise<HarvestReport> {
  const { database, clock } = deps;
  const { run, source } = pass;
  const { unseen, problem } =
    run.mode === 'full' ? await deleteVanished(deps, lease, pass) : { unseen: 0, problem: undefined };
  const state: RunState = problem ? 'needs-attention' : 'succeeded';
  const at = toIso(clock.now());
  await database.transaction(async (trx) => {
    await endRun(trx, run.id, { state, at, error: problem });
    await completePass(trx, lease.sourceId, {
      asOf: coveredUntil(pass),
      fullAt: run.mode === 'full' ? at : undefined,
      selection: run.selection,
    });
  });
  return toReport(source.name, await findRun(database.writer, run), { state, unseen });
}

/**
 * Undefined where the next run has to begin where this one did: one that began later than the last good one ended
 * (`--since`) leaves a gap, and one that could not read a part of its list has seen less than it asked for. A full pass
 * counts all the same: what it could not read now it could not read last week.
 */
function coveredUntil({ run, stored }: FinishedPass): string | undefined {
  const gap = run.since !== undefined && stored.asOf !== undefined && run.since > stored.asOf;
  const doubtful = run.mode === 'incremental' && run.unidentified > 0;
  return gap || doubtful ? undefined : (run.asOf ?? run.startedAt);
}
