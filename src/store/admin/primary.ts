import type { Database, Queryable } from '../engine/database.ts';

/** Where what was just written is seen at once: a copy elsewhere may not know yet that a session has ended. */
export function primaryOf({ client, writer, reader }: Database): Queryable {
  return client === 'pg' ? writer : reader;
}
