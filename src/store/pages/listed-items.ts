import type { Queryable } from '../engine/database.ts';
import { readItemCount } from './sweep.ts';

/**
 * How many items a repository lists as far as we know: those that are published, in the source and in its private sets, which are
 * sources of their own; and those that it has and we do not publish, because an operator withdrew them, or they could not be read.
 * Without these, as many others could disappear from its lists unnoticed.
 */
export async function countListed(db: Queryable, source: string, sourceId: number): Promise<number> {
  const parts: { id: number }[] = await db('source')
    .join('private_part', 'private_part.part', 'source.name')
    .where('private_part.source', source)
    .select('source.id');
  const ids = [sourceId, ...parts.map(({ id }) => id)];
  let sum = await countKeptBack(db, { source, sourceId, ids });
  for (const id of ids) sum += await readItemCount(db, id);
  return sum;
}

interface Family {
  readonly source: string;
  readonly sourceId: number;
  /** With those of its private sets. */
  readonly ids: readonly number[];
}

/** Those that were named, and of which no metadata is published. What is withdrawn in a private set is withdrawn in the source, too. */
async function countKeptBack(db: Queryable, { source, sourceId, ids }: Family): Promise<number> {
  const places = ids.map(() => '?').join(', ');
  const named = db
    .select('identifier')
    .from('withdrawal')
    .where({ source })
    .union((query) =>
      query.select('identifier').from('unreadable').where({ source_id: sourceId }).whereNotNull('identifier'),
    );
  const [row] = await db
    .from(named.as('named'))
    .whereRaw(
      `not exists (select 1 from item join resource on resource.item_id = item.id and resource.source_id = item.source_id
        where item.source_id in (${places}) and resource.source_id in (${places}) and item.identifier = named.identifier
          and resource.kind = 'metadata' and resource.deleted_at is null)`,
      [...ids, ...ids],
    )
    .count({ count: '*' });
  return Number(row?.count ?? 0);
}
