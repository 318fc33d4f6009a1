import { isBridgeError } from '../core/errors.ts';
import type { MappedItem } from '../core/mapping.ts';
import { type BlobRow, packBlob, unpackBlob } from './blobs.ts';
import { whereAnyOf } from './bulk.ts';
import type { Queryable } from './database.ts';
import type { KnownItem } from './item-plan.ts';

export interface Mended {
  readonly identifier: string;
  readonly blob: BlobRow;
}

/**
 * A full pass has every payload in its hands once more: those of which the stored copy is missing or no longer
 * fits its hash are put in its place. It costs what reading the page's payloads costs.
 * @param items as delivered
 * @param known what is stored of them: of whatever else they bring there is nothing that could be damaged
 * @param isNew whether a payload is about to be stored anyway
 */
export async function findDamaged(
  db: Queryable,
  items: readonly MappedItem[],
  known: ReadonlyMap<string, KnownItem>,
  isNew: (hash: string) => boolean,
): Promise<readonly Mended[]> {
  const delivered = new Map<string, { readonly identifier: string; readonly content: Uint8Array }>();
  for (const { identifier, resources } of items) {
    const stored = new Set(known.get(identifier)?.resources.map(({ hash }) => hash));
    for (const { hash, content } of resources) {
      if (hash === undefined || !content || !stored.has(hash) || isNew(hash)) continue;
      delivered.set(hash, { identifier, content });
    }
  }
  if (delivered.size === 0) return [];
  const rows: BlobRow[] = await db('blob')
    .select('hash', 'length', 'coding', 'data')
    .modify((query) => whereAnyOf(query, 'hash', [...delivered.keys()]));
  for (const row of rows) if (row.coding === 'file' || isSound(row)) delivered.delete(row.hash);
  return [...delivered].map(([hash, { identifier, content }]) => ({
    identifier,
    blob: packBlob(hash, content),
  }));
}

function isSound(row: BlobRow): boolean {
  try {
    unpackBlob(row);
    return true;
  } catch (error) {
    if (isBridgeError(error, 'content-damaged')) return false;
    throw error;
  }
}
