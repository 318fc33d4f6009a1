import { findSource } from '../../store/sources/sources.ts';
import type { HarvestDeps, HarvestSource } from '../harvest-source.ts';
import { withLease } from '../run-lease.ts';
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
  // Who has not been harvested yet has nothing to give up.
  if ((await findSource(deps.database.reader, source.name)) === undefined) return;
  await withLease(deps, source, signal, ({ lease, ...held }) =>
    retain(held.deps, source, lease, held.signal),
  );
}
