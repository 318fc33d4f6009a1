import { toIso } from '../../core/datetime.ts';
import { failure } from '../../core/errors.ts';
import { applyRetention } from '../../store/history/retention.ts';
import { type RemovedBlobs, removeUnreferenced } from '../../store/payloads/unreferenced-blobs.ts';
import type { Lease } from '../../store/runs/leases.ts';
import { findSource } from '../../store/sources/sources.ts';
import type { HarvestDeps, HarvestSource } from '../harvest-source.ts';

/**
 * Gives up what `mementos.keep` does not cover, under a lease that is held.
 * @param signal what is not done until then is done the next time
 * @throws BridgeError `lease-lost`
 */
export async function retain(
  { database, clock, log }: HarvestDeps,
  { name, config }: Pick<HarvestSource, 'name' | 'config'>,
  lease: Lease,
  signal: AbortSignal,
): Promise<void> {
  const now = () => ({ iso: toIso(clock.now()), milliseconds: clock.now().getTime() });
  const report = await applyRetention(database, lease, config.mementos.keep, now, signal);
  if (report.givenUp > 0 || report.broughtBack > 0)
    log.info({ source: name, ...report }, 'versions given up');
}

export interface RemovalOptions {
  /** The data directory. */
  readonly directory: string;
  /** Up to where whoever reads the journal of a source later than it is written has come. */
  readonly followedUpTo: (source: string) => Promise<number | undefined>;
  /** What is not done until then is done the next time. */
  readonly signal: AbortSignal;
}

/**
 * Removes the bytes of what was given up days ago and nothing needs any more; they are due once a day. What keeps it
 * from that is logged: the next day brings another opportunity.
 */
export async function removeGivenUp(
  { database, clock, log }: HarvestDeps,
  sources: readonly string[],
  { directory, followedUpTo, signal }: RemovalOptions,
): Promise<RemovedBlobs | undefined> {
  try {
    const places = new Map<number, number>();
    for (const name of sources) {
      const stored = await findSource(database.reader, name);
      const place = await followedUpTo(name);
      if (stored && place !== undefined) places.set(stored.id, place);
    }
    const now = toIso(clock.now());
    const removed = await removeUnreferenced({ database, directory, followedUpTo: places, now, signal });
    if (removed.contents > 0) log.info({ ...removed }, 'bytes of versions that were given up are removed');
    return removed;
  } catch (error) {
    if (!signal.aborted) log.error({ ...failure(error) }, 'bytes of versions that were given up stay');
    return undefined;
  }
}
