import type { Knex } from 'knex';
import { isPostgres } from '../engine/bulk.ts';

/**
 * PostgreSQL keeps the rows of a source in one of its partitions, and looks into no other one where a statement names the
 * source. SQLite finds a row by its id alone, and is not told: it would take the source for the better clue, and read all
 * of it.
 */
export function ofSource(query: Knex.QueryBuilder, table: string, sourceId: number): void {
  if (isPostgres(query)) query.where(`${table}.source_id`, sourceId);
}

/** The same of tables that are joined by an id. */
export function sameSource(query: Knex.QueryBuilder, one: string, other: string): void {
  if (isPostgres(query)) query.whereRaw('??.source_id = ??.source_id', [one, other]);
}
