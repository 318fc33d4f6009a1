import { atomEntry } from '../../oai/ore/atom-entry.ts';
import type { StoredRecord } from '../../store/oai/stored-record.ts';
import { findItems } from '../../store/reading/items.ts';
import { toResourceMap } from '../items/item-map.ts';
import { toLivingItems } from '../items/living-item.ts';
import type { OaiDeps } from './oai-deps.ts';
import type { HeldRecord } from './repository.ts';

/**
 * The Resource Maps of items in Atom, as everybody may ask for them at their own addresses too: without those of which
 * nothing is published any more. Read together, however many there are.
 */
export async function writeMaps(
  deps: OaiDeps,
  held: readonly HeldRecord[],
): Promise<ReadonlyMap<StoredRecord, Uint8Array>> {
  const found = new Map<StoredRecord, Uint8Array>();
  const bySource = new Map<string, Map<string, StoredRecord>>();
  for (const { record, origin } of held) {
    if (!record.whole || record.deleted) continue;
    const some = bySource.get(origin.source) ?? new Map<string, StoredRecord>();
    bySource.set(origin.source, some.set(record.identifier, record));
  }
  for (const [source, records] of bySource) {
    for await (const items of findItems(deps.database.reader, source, records.keys())) {
      for (const living of await toLivingItems(deps, items)) {
        const record = records.get(living.item.identifier);
        if (record) found.set(record, Buffer.from(atomEntry(toResourceMap(deps, living, record.at))));
      }
    }
  }
  return found;
}
