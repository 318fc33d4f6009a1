import { isInAny } from '../../core/access/private-sets.ts';
import type { Collection } from '../../core/adapter.ts';
import { failure } from '../../core/errors.ts';
import { forgetCollections, storeCollections } from '../../store/changes/item-writing.ts';
import { privateCollections } from '../../store/removal/private-items.ts';
import type { Lease } from '../../store/runs/leases.ts';
import type { HarvestDeps, HarvestSource } from '../harvest-source.ts';

/** Zenodo lists 42,068 sets, 50 at a time: names are welcome, but not at any price. */
const maxCollections = 10_000;
const batch = 500;

/**
 * Reads the names of the collections. Harvesting never waits for it or fails by it (quirk 21): records say
 * themselves which sets they are in.
 */
export async function refreshCollections(
  { database, log }: HarvestDeps,
  source: HarvestSource,
  lease: Lease,
  signal: AbortSignal,
): Promise<void> {
  let count = 0;
  const listed = new Set<string>();
  let pending: Collection[] = [];
  const flush = async () => {
    await storeCollections(database, lease.sourceId, pending);
    pending = [];
  };
  try {
    const hidden = await privateCollections(database.reader, source.name);
    for await (const collection of source.adapter.collections(signal)) {
      if (isInAny([collection.spec], hidden)) continue;
      pending.push(collection);
      listed.add(collection.spec);
      count += 1;
      if (pending.length === batch) await flush();
      if (count === maxCollections) break;
    }
    await flush();
    // A list without any says less than the records do.
    if (count > 0 && count < maxCollections) await forgetCollections(database, lease.sourceId, listed);
  } catch (error) {
    log.warn({ source: source.name, count, ...failure(error) }, 'collections not read to the end');
  }
}
