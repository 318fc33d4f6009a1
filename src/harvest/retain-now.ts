import { releaseLease } from '../store/leases.ts';
import { findSource } from '../store/sources.ts';
import { type HarvestDeps, type HarvestSource, keepAlive, takeLease } from './harvest.ts';
import { retain } from './retention.ts';

/**
 * Retention between two harvests: time passes for sources in which nothing happens, too.
 * @throws BridgeError `lease-held`, `lease-lost`
 */
export async function retainNow(
  deps: HarvestDeps,
  source: Pick<HarvestSource, 'name' | 'config'>,
  signal: AbortSignal,
): Promise<void> {
  const { database } = deps;
  // Who has not been harvested yet has nothing to give up.
  if ((await findSource(database.reader, source.name)) === undefined) return;
  const lease = await takeLease(deps, source.name, signal);
  const heartbeat = keepAlive(deps, lease, source);
  try {
    await retain(deps, source, lease, signal);
  } finally {
    await heartbeat.end();
    await releaseLease(database, lease);
  }
}
