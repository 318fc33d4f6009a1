import { hash } from 'node:crypto';
import type { Knex } from 'knex';

/**
 * Names by which a connection of PostgreSQL knows statements that it has been told: what one means is found out once, and
 * often how it is done. For those that are said over and over, and no others: each connection keeps all that it was told.
 */
export interface SaidByName {
  readonly name?: string;
  /** It has the name that belongs to its text. */
  readonly isRepeated?: true;
  /** What it asks for is found by a key: the plan of its name is kept (`kept-plans.ts`). */
  readonly isByKey?: boolean;
}

const nameLength = 32;
const names = new Map<string, string>();
const keptNames = 500;

export function nameOf(statement: string): string {
  const known = names.get(statement);
  if (known !== undefined) return known;
  const name = hash('sha256', statement, 'hex').slice(0, nameLength);
  if (names.size >= keptNames) names.clear();
  names.set(statement, name);
  return name;
}

/**
 * For `modify`: of a statement that is said for each page. SQLite keeps those that it was told anyway.
 *
 * Not of what looks into a table that grows: after five times PostgreSQL keeps to one way of doing it, and in a table that was still
 * empty that is to read all of it.
 */
export function repeatedly(query: Knex.QueryBuilder): void {
  query.options({ isRepeated: true } satisfies SaidByName);
}
