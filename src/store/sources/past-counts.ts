import type { Queryable } from '../engine/database.ts';
import type { ChangeCounts } from '../plans/resource-changes.ts';
import { countChangesAfter } from './journal.ts';

/** What a source held when its journal had come to a sequence. */
export interface PastCounts {
  /** With at least one resource. */
  readonly items: number;
  readonly resources: number;
  /** Of all resources whose length is known. */
  readonly bytes: number;
  /** What has happened since. */
  readonly changes: ChangeCounts;
}

/** The last version up to a sequence says whether a resource lived, and how long it was. */
const heldAt = `
  select count(*) as resources, count(distinct resource.item_id) as items, sum(version.length) as bytes
  from resource
  join version on version.source_id = resource.source_id and version.resource_id = resource.id and version.seq = (
    select max(other.seq) from version as other where other.source_id = resource.source_id and other.resource_id = resource.id and other.seq <= ?)
  where resource.source_id = ? and version.gone = 0`;

type Numeric = number | string | null;

export async function countPast(db: Queryable, sourceId: number, seq: number): Promise<PastCounts> {
  type Row = { readonly resources: Numeric; readonly items: Numeric; readonly bytes: Numeric };
  const result: Row[] | { rows: Row[] } = await db.raw(heldAt, [seq, sourceId]);
  const [row] = 'rows' in result ? result.rows : result;
  const changes = await countChangesAfter(db, sourceId, seq);
  return {
    items: Number(row?.items ?? 0),
    resources: Number(row?.resources ?? 0),
    bytes: Number(row?.bytes ?? 0),
    changes,
  };
}
