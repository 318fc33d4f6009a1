import { lookAtClock } from '../../store/runs/clock-ahead.ts';
import { askFor } from '../../store/runs/due.ts';
import type { StoredBridge } from '../stored-bridge.ts';

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
