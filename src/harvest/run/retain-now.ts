import { findSource } from '../../store/sources/sources.ts';
import { settleTally } from '../../store/tally/file-tally.ts';
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
  const stored = await findSource(deps.database.reader, source.name);
  if (stored === undefined) return;
  await settleTally(deps.database, stored.id, signal);
  await withLease(deps, source, signal, ({ lease, ...held }) =>
    retain(held.deps, source, lease, held.signal),
  );
}
