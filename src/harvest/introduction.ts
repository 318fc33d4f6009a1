import type { RepositoryInfo } from '../core/adapter.ts';
import { toIso } from '../core/datetime.ts';
import { BridgeError, describeError, isBridgeError } from '../core/errors.ts';
import type { Database } from '../store/engine/database.ts';
import type { Lease } from '../store/runs/leases.ts';
import { loadLessons, saveInfo, saveLessons, saveTrouble } from '../store/sources/sources.ts';
import type { HarvestDeps, HarvestSource, RunSignals } from './harvest-source.ts';

/** Who is there today. A run that cannot even begin leaves a word, for whoever asks how the source is doing. */
export async function introduce(
  { database, clock }: HarvestDeps,
  source: HarvestSource,
  lease: Lease,
  options: Pick<RunSignals, 'signal'>,
): Promise<RepositoryInfo> {
  try {
    source.lessons.fill(await loadLessons(database.reader, source.name));
    const info = await source.adapter.identify(options.signal);
    await saveInfo(database, lease.sourceId, info);
    return info;
  } catch (error) {
    const failure = toFailure(error, options);
    const { code } = failure;
    if (code !== 'interrupted') {
      const trouble = { code, message: describeError(failure), at: toIso(clock.now()) };
      await saveTrouble(database, lease.sourceId, trouble);
    }
    throw failure;
  }
}

export async function keepLessons(
  database: Database,
  lease: Lease,
  { lessons }: HarvestSource,
): Promise<void> {
  const changed = lessons.takeChanged();
  if (changed) await saveLessons(database, lease.sourceId, changed);
}

export function toFailure(error: unknown, { signal }: Pick<RunSignals, 'signal'>): BridgeError {
  if (isBridgeError(error)) return error;
  if (signal.aborted) return new BridgeError('interrupted', 'stopped at once as asked', { cause: error });
  return new BridgeError('internal', 'the harvest failed unexpectedly', { cause: error });
}
