import { lookAtClock } from '../../store/runs/clock-ahead.ts';
import { askFor, planAnewWhereAhead } from '../../store/runs/due.ts';
import type { StoredBridge } from '../stored-bridge.ts';
import { plansOf, workOf } from '../work/due-plans.ts';

/** Sources that failed do not wait any longer: somebody has done something about them. Whoever works begins at once. */
export async function askAgain(
  { database }: Pick<StoredBridge, 'database'>,
  sources: readonly string[],
): Promise<void> {
  if (sources.length === 0) return;
  const now = await lookAtClock(database);
  for (const kind of ['harvest', 'full', 'identifiers'] as const)
    await askFor(database, { sources, kind, onlyFailed: true }, now);
}

/** Before a harvest that ends well: its time hides that the clock was ahead when others were planned. */
export async function mendSchedule({
  config,
  database,
}: Pick<StoredBridge, 'config' | 'database'>): Promise<void> {
  const now = await lookAtClock(database);
  await planAnewWhereAhead(database, () => workOf(plansOf(config), now, () => false), now);
}
