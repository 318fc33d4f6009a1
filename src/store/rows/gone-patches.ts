import type { Knex } from 'knex';
import { whereAnyOf } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { hiddenFormerOf } from './former-pasts.ts';

/**
 * Within a statement about `change`: when its resource was deleted after it, and the bytes went with it (`releaseForGood`). A resource that is
 * there again does not bring back how it had come to be what it was: a patch of before is gone. Or when it was found that the item that it
 * was then is not for everybody any more.
 */
export function goneForGoodAt(db: Queryable, sourceId: number): Knex.Raw {
  return db.raw(
    `coalesce((select max(later.at) from change as later
      where later.source_id = ? and later.resource_id = change.resource_id and later.seq > change.seq and later.kind = 'deleted'
        and exists (select 1 from version where version.source_id = ? and version.resource_id = change.resource_id
          and version.seq = change.seq and version.dropped_at is not null)),
    (select max(former.asked_at) ${hiddenFormerOf('change')}))`,
    [sourceId, sourceId],
  );
}

/** Which of these changes have no patch any more. */
export async function listGonePatches(
  db: Queryable,
  sourceId: number,
  seqs: readonly number[],
): Promise<ReadonlySet<number>> {
  if (seqs.length === 0) return new Set();
  const rows: { seq: number | string }[] = await db('change')
    .where({ source_id: sourceId })
    .modify((query) => whereAnyOf(query, 'seq', seqs))
    .whereRaw('? is not null', [goneForGoodAt(db, sourceId)])
    .select('seq');
  return new Set(rows.map(({ seq }) => Number(seq)));
}
