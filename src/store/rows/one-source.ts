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

/** Asked for on its own, so that the statements after it name the source: a join with its name does not prune. */
export async function sourceIdOf(db: Queryable, name: string): Promise<number | undefined> {
  const [row] = await named(db, name);
  return row?.id;
}

const named = questionByKey<{ id: number }, [name: string]>(1, (db, name) =>
  db('source').select('id').where({ name }),
);
