import { failure } from '../core/errors.ts';
import { addRequests, type Run, type RunKind } from '../store/runs/runs.ts';
import { noteSettings } from '../store/sources/run-settings.ts';
import type { HarvestDeps, HarvestSource } from './harvest-source.ts';

/** By which settings a run is done, whether it begins or goes on. */
export async function noteRunSettings(
  { database }: HarvestDeps,
  { shownSettings }: HarvestSource,
  run: Run<RunKind>,
): Promise<void> {
  const settings = shownSettings?.();
  if (settings) await database.transaction((trx) => noteSettings(trx, run, settings));
}

/**
 * What was asked of the repository for a run, once that is over here; who goes on with it adds to it. A run is what it is
 * without this: where another process has taken over, or the database is away, it is not written.
 */
export async function noteRequests(
  { database, log }: HarvestDeps,
  { id }: Pick<Run<RunKind>, 'id'>,
  requests: number | undefined,
): Promise<void> {
  if (requests === undefined) return;
  try {
    await database.transaction((trx) => addRequests(trx, id, requests));
  } catch (error) {
    log.debug({ runId: id, ...failure(error) }, 'the requests of a run were not written');
  }
}
