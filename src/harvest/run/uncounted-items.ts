import type { Database } from '../../store/engine/database.ts';
import { isOlderAtWork } from '../../store/presence/processes.ts';
import { fillNext, openFilling } from '../../store/schema/backfill.ts';
import { migrations } from '../../store/schema/migrate.ts';
import { hasUncounted } from '../../store/sources/sources.ts';

const counting = '0098-published-items';

/** What is left then is left to the next harvest, and to `serve`: nobody waits long for a number. */
const mostSteps = 100;

/**
 * Counts the published items of a source of which that has not been done, or that a process of before has changed since: also where
 * no `serve` does so beside its work. Nearly always there is nothing to do.
 */
export async function countUncounted(
  database: Database,
  sourceId: number,
  signal: AbortSignal,
): Promise<void> {
  if (!(await hasUncounted(database.writer, sourceId))) return;
  const migration = migrations.find(({ name }) => name === counting);
  if (!migration || (await isOlderAtWork(database.writer, counting))) return;
  await openFilling(database.writer, counting);
  for (let step = 0; step < mostSteps && !signal.aborted; step += 1)
    if (!(await fillNext(database, migration))) return;
}
