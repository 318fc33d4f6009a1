import { isPostgres } from './bulk.ts';
import type { Queryable } from './database.ts';

/**
 * Within a statement: milliseconds since the epoch by the clock of the database, which all processes share. On SQLite it
 * is that of the machine.
 */
export function databaseNow(db: Queryable): string {
  return isPostgres(db)
    ? '(extract(epoch from clock_timestamp()) * 1000)::bigint'
    : `cast(unixepoch('subsec') * 1000 as integer)`;
}

/** The rows that a statement in words returned. */
export function rowsOf<Row>(result: unknown): readonly Row[] {
  return (Array.isArray(result) ? result : (result as { rows: Row[] }).rows) as Row[];
}
