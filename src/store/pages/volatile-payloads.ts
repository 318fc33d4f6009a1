import { isBridgeError } from '../../core/errors.ts';
import type { MappedItem } from '../../core/mapping/mapping.ts';
import type { DesiredResource } from '../../core/resource.ts';
import { isSameButVolatile, mayBeVolatile } from '../../core/xml/volatile-parts.ts';
import { batchBytes, batches } from '../engine/batches.ts';
import type { Database } from '../engine/database.ts';
import { type BlobRows, isApart, unpackBlob } from '../payloads/blobs.ts';
import { readPayloadRows } from '../payloads/content-objects.ts';
import type { KnownItem } from '../plans/item-changes.ts';
import type { KnownResource } from '../plans/resource-changes.ts';

interface Suspect {
  readonly desired: DesiredResource;
  readonly hash: string;
  readonly length: number;
  readonly content: Uint8Array;
}

/**
 * The items of a page; a payload that differs from the one that is stored in nothing but what its server writes anew
 * each time is the stored one. Nothing is read for payloads that are as stored, or of formats without such parts.
 */
export async function withoutVolatileChanges(
  database: Pick<Database, 'writer'>,
  items: readonly MappedItem[],
  known: ReadonlyMap<string, KnownItem>,
): Promise<readonly MappedItem[]> {
  const suspects = items.flatMap((item) => suspectsOf(item, known.get(item.identifier)));
  if (suspects.length === 0) return items;
  const stored = new Map<DesiredResource, DesiredResource>();
  for (const batch of batches(suspects, batchBytes, ({ length }) => length)) {
    const rows = await readPayloadRows(database, [...new Set(batch.map(({ hash }) => hash))]);
    for (const { desired, hash, length, content } of batch) {
      const before = unpacked(rows, hash);
      if (before === undefined || !isSameButVolatile(before, content)) continue;
      stored.set(desired, { ...desired, hash, length, content: before, deflated: undefined });
    }
  }
  if (stored.size === 0) return items;
  return items.map((item) =>
    item.resources.some((resource) => stored.has(resource))
      ? { ...item, resources: item.resources.map((resource) => stored.get(resource) ?? resource) }
      : item,
  );
}

function suspectsOf({ resources }: MappedItem, known: KnownItem | undefined): readonly Suspect[] {
  if (known === undefined) return [];
  return resources.flatMap((desired) => {
    const { hash, content, path } = desired;
    const before = known.resources.find((one) => one.path === path);
    if (!before || !isComparable(before) || before.hash === hash || content === undefined) return [];
    return mayBeVolatile(content)
      ? [{ desired, hash: before.hash ?? '', length: before.length ?? 0, content }]
      : [];
  });
}

function isComparable({ deleted_at, hash, length }: KnownResource): boolean {
  return deleted_at === null && hash !== null && length !== null;
}

/** Undefined: it is not there, or damaged; then what came takes its place. */
function unpacked(rows: BlobRows, hash: string): Uint8Array | undefined {
  const row = rows.get(hash);
  if (row === undefined || isApart(row)) return undefined;
  try {
    return unpackBlob(row, rows);
  } catch (error) {
    if (isBridgeError(error, 'content-damaged')) return undefined;
    throw error;
  }
}
