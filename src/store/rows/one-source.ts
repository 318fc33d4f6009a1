import type { Knex } from 'knex';
import { isPostgres, whereAnyOf } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { questionByKey } from '../engine/question.ts';

/**
 * PostgreSQL keeps the rows of a source in one of its partitions, and looks into no other one where a statement names the
 * source. SQLite finds a row by its id alone, and is not told: it would take the source for the better clue, and read all
 * of it.
 */
export function ofSource(query: Knex.QueryBuilder, table: string, sourceId: number): void {
  if (isPostgres(query)) query.where(`${table}.source_id`, sourceId);
}

/** The same of a few of them. */
export function ofSources(query: Knex.QueryBuilder, table: string, sourceIds: readonly number[]): void {
  if (isPostgres(query)) whereAnyOf(query, `${table}.source_id`, sourceIds);
}

/** The same of tables that are joined by an id. */
export function sameSource(query: Knex.QueryBuilder, one: string, other: string): void {
  if (isPostgres(query)) query.whereRaw('??.source_id = ??.source_id', [one, other]);
}

/** Resources of an item, by what its source calls it. */
export function ofItemCalled(query: Knex.QueryBuilder, sourceId: number, identifier: string): void {
  query
    .whereIn('item_id', (items) => items.from('item').where({ source_id: sourceId, identifier }).select('id'))
    .modify(ofSource, 'resource', sourceId);
}

/** Asked for on its own, so that the statements after it name the source: a join with its name does not prune. */
export async function sourceIdOf(db: Queryable, name: string): Promise<number | undefined> {
  const [row] = await named(db, name);
  return row?.id;
}

const named = questionByKey<{ id: number }, [name: string]>(1, (db, name) =>
  db('source').select('id').where({ name }),
);

/** Numbers of resources: those above `after`, up to and with `last`. */
export interface ResourceRange {
  readonly after: number;
  readonly last: number;
}

/** So many of a source at a time: what looks at each of them takes some milliseconds so. */
const resourcesAtATime = 5_000;

/** All resources of a source, deleted ones too, in ranges of their numbers: what looks at all of a large source holds nobody up. */
export async function* resourceRanges(db: Queryable, sourceId: number): AsyncGenerator<ResourceRange> {
  for (let after = 0; ; ) {
    const some = db('resource').where({ source_id: sourceId }).where('id', '>', after);
    const [row]: { last: number | string | null }[] = await db
      .from(some.orderBy('id').limit(resourcesAtATime).select('id').as('some'))
      .max({ last: 'id' });
    if (row?.last == null) return;
    const last = Number(row.last);
    yield { after, last };
    after = last;
  }
}
