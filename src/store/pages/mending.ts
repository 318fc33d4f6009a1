import type { MappedItem } from '../../core/mapping/mapping.ts';
import type { Database } from '../engine/database.ts';
import { type BlobRow, packBlob } from '../payloads/blobs.ts';
import { readUnsound } from '../payloads/content-objects.ts';
import type { KnownItem } from '../plans/item-changes.ts';

export interface Mended {
  readonly identifier: string;
  readonly blob: BlobRow;
}

/**
 * A full pass has every payload in its hands once more: those of which the stored copy is missing or no longer
 * fits its hash, or what that is a difference from, are put in its place, whole. It costs what reading the page's
 * payloads costs.
 * @param items as delivered
 * @param known what is stored of them: of whatever else they bring there is nothing that could be damaged
 * @param isNew whether a payload is about to be stored anyway
 * @throws BridgeError `objects-unavailable`, `objects-refused`: nothing is known of those in the object storage
 */
export async function findDamaged(
  database: Pick<Database, 'writer'>,
  items: readonly MappedItem[],
  known: ReadonlyMap<string, KnownItem>,
  isNew: (hash: string) => boolean,
): Promise<readonly Mended[]> {
  const delivered = new Map<string, { readonly identifier: string; readonly content: Uint8Array }>();
  for (const { identifier, resources, versions = [] } of items) {
    const item = known.get(identifier);
    if (!item) continue;
    const stored = new Set(item.resources.map(({ hash }) => hash));
    // Of the versions that came those are stored already that are not about to be.
    const prior = versions.flatMap(({ metadata }) => metadata);
    for (const { hash, content } of [...resources.filter(({ hash }) => stored.has(hash ?? '')), ...prior]) {
      if (hash !== undefined && content && !isNew(hash)) delivered.set(hash, { identifier, content });
    }
  }
  const unsound = await readUnsound(database, [...delivered.keys()]);
  return [...delivered].flatMap(([hash, { identifier, content }]) =>
    unsound.has(hash) ? { identifier, blob: packBlob(hash, content) } : [],
  );
}
