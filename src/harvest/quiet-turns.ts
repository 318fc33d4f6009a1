import type { Config } from '../core/config/config.ts';
import type { Database } from '../store/engine/database.ts';
import { listRuns, type Run, type RunKind, type RunState } from '../store/runs/runs.ts';
import { findSource } from '../store/sources/sources.ts';

/** After so many harvests without anything new one more turn is left out each time. */
export const harvestsPerTurn = 4;
/** Comparisons of identifiers, single items and files lie between them. */
const runsPerHarvest = 3;

/**
 * Turns of its schedule that a source may rest: a Source of ResourceSync that has not changed for long is looked at less
 * often. With the first change it rests no more.
 */
export async function quietTurns(
  { database, config }: { readonly database: Database; readonly config: Pick<Config, 'sources'> },
  name: string,
): Promise<number> {
  const { adapter, resourcesync } = config.sources[name] ?? {};
  const most = adapter === 'resourcesync' ? (resourcesync?.quietTurns ?? usualQuietTurns) - 1 : 0;
  const stored = most > 0 ? await findSource(database.reader, name) : undefined;
  if (stored === undefined) return 0;
  const runs = await listRuns(database.reader, stored.id, most * harvestsPerTurn * runsPerHarvest);
  return Math.min(most, Math.floor(quietHarvests(runs) / harvestsPerTurn));
}

const usualQuietTurns = 4;

/** Where changes alone will not do the run is interrupted, and another one takes its place. */
function isEnding(state: RunState): boolean {
  return state === 'succeeded' || state === 'interrupted';
}

/** @param runs the latest first */
function quietHarvests(runs: readonly Run<RunKind>[]): number {
  const newest = runs.findIndex(
    ({ created, updated, deleted, state }) => created + updated + deleted > 0 || !isEnding(state),
  );
  const quiet = newest < 0 ? runs : runs.slice(0, newest);
  return quiet
    .filter(({ state }) => state === 'succeeded')
    .filter(({ mode }) => mode === 'incremental' || mode === 'full').length;
}
