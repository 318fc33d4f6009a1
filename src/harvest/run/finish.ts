import { countOf } from '../../core/count-of.ts';
import { toIso } from '../../core/datetime.ts';
import { type BridgeError, refusal } from '../../core/errors.ts';
import type { Database } from '../../store/engine/database.ts';
import type { Lease } from '../../store/runs/leases.ts';
import { endRun, findRun, listRuns, type Run, type RunState } from '../../store/runs/runs.ts';
import { forgetUnmet } from '../../store/runs/unreadable.ts';
import { countVanished, recordVanished } from '../../store/runs/vanished.ts';
import { completePass } from '../../store/sources/sources.ts';
import { type HarvestDeps, instant } from '../harvest-source.ts';
import { type HarvestReport, toReport } from '../report.ts';
import { type CompletePass, deleteVanished } from '../vanished/vanished.ts';

export interface FinishedPass extends CompletePass {
  readonly run: Run;
}

/** The pass is complete: delete what it proves to be gone, and remember how far we are. */
export async function finishRun(deps: HarvestDeps, lease: Lease, pass: FinishedPass): Promise<HarvestReport> {
  const { database, clock } = deps;
  const { run, source } = pass;
  const { unseen, problem: found = unreadParts(pass) } =
    run.mode === 'full' ? await deleteVanished(deps, lease, pass) : { unseen: 0 };
  if (run.mode === 'full') await recordVanished(database, lease, run, instant(clock));
  const problem = await asQuestion(database, pass, found);
  const state: RunState = problem ? 'needs-attention' : 'succeeded';
  const at = toIso(clock.now());
  const asOf = await coveredUntil(deps, pass);
  await database.transaction(async (trx) => {
    await endRun(trx, run.id, { state, at, error: problem });
    if (run.mode === 'full') await forgetUnmet(trx, lease.sourceId, run.id);
    await completePass(trx, lease.sourceId, {
      asOf,
      fullAt: run.mode === 'full' ? at : undefined,
      selection: run.selection,
      successAt: state === 'succeeded' ? at : undefined,
    });
  });
  return toReport(source.name, await findRun(database.writer, run), {
    state,
    unseen,
    ...(await suspectedIn(deps, pass)),
  });
}

async function suspectedIn(
  { database }: HarvestDeps,
  { run }: FinishedPass,
): Promise<{ suspected?: number }> {
  if (run.mode !== 'full') return {};
  return { suspected: (await countVanished(database.writer, run.sourceId)).items };
}

/** A run that never saw a part of its list is no success, of whatever kind it is, even if nothing is missed. */
export function unreadParts({ run }: Pick<CompletePass, 'run'>): BridgeError | undefined {
  if (run.unidentified === 0) return undefined;
  const parts = run.unidentified === 1 ? 'a part' : countOf(run.unidentified, 'part');
  return refusal('oai-list-incomplete', 'list-parts-unread', { parts });
}

/**
 * Of a pass whose suspects are recorded. All that is missing may be in the parts that it could not read: then there is nothing for a
 * person to decide, and the next pass that reads them tells.
 */
export async function asQuestion(
  database: Database,
  pass: Pick<CompletePass, 'run'>,
  problem: BridgeError | undefined,
): Promise<BridgeError | undefined> {
  if (problem?.code !== 'deletions-refused' || pass.run.unidentified === 0) return problem;
  const { items } = await countVanished(database.writer, pass.run.sourceId);
  return items === 0 ? unreadParts(pass) : problem;
}

const passesAtMost = 3;

/**
 * Undefined where the next run has to begin where this one did: one that began later than the last good one ended
 * (`--since`) leaves a gap, and one that could not read a part of its list has seen less than it asked for. A first
 * pass is made again up to three times; what could not be read then is left to the weekly ones.
 */
async function coveredUntil(
  { database }: HarvestDeps,
  { run, stored }: FinishedPass,
): Promise<string | undefined> {
  const gap = run.since !== undefined && stored.asOf !== undefined && run.since > stored.asOf;
  if (gap) return undefined;
  const covered = run.asOf ?? run.startedAt;
  if (run.unidentified === 0) return covered;
  if (stored.asOf !== undefined) return undefined;
  const before = (await listRuns(database.writer, run.sourceId, passesAtMost)).filter(
    ({ id }) => id !== run.id,
  );
  const inVain = before.filter(({ mode, state }) => mode === 'full' && state === 'needs-attention').length;
  return inVain + 1 < passesAtMost ? undefined : covered;
}
