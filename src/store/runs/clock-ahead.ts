import type { Database } from '../engine/database.ts';

/**
 * The time that all processes at a database go by, in milliseconds since the epoch: on PostgreSQL the server's, whatever
 * their own clocks say; those at one SQLite file have one clock. What is reckoned by the clock of this process meanwhile
 * (`aheadMs`) is put right by the way.
 */
export async function lookAtClock(database: Database): Promise<number> {
  if (database.client === 'sqlite') return Date.now();
  const before = Date.now();
  const { rows } = await database.reader.raw<{ rows: { now: number }[] }>(
    'select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now',
  );
  const after = Date.now();
  const now = rows[0]?.now ?? after;
  database.aheadMs = Math.round((before + after) / 2) - now;
  return now;
}
