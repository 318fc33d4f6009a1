import { failure } from '../core/errors.ts';
import { endRun, type Run, type RunEnd, type RunKind } from '../store/runs/runs.ts';
import type { HarvestDeps } from './harvest-source.ts';

/**
 * What a run failed with says more than that its end cannot be written: another process goes on with it by now, or the
 * database is away, and then it is continued as after a crash.
 */
export async function endFailed(
  { database, log }: HarvestDeps,
  { id }: Pick<Run<RunKind>, 'id'>,
  end: RunEnd,
): Promise<void> {
  try {
    await database.transaction((trx) => endRun(trx, id, end));
  } catch (error) {
    log.debug({ runId: id, ...failure(error) }, 'the end of a run was not written');
  }
}
