import { setTimeout } from 'node:timers/promises';

/**
 * Two transactions were in each other's way, and PostgreSQL gave up one: a deadlock, or a serialization failure. Or it does not know
 * a statement by its name any more, or not as it was. SQLite gives up at once, without waiting, a transaction that writes after another
 * process has written what it may have read.
 */
const passing = new Set(['40001', '40P01', '26000', '0A000', 'SQLITE_BUSY_SNAPSHOT']);
/** The same, as Node's own SQLite has it. */
const busySnapshot = 517;
const attempts = 8;
const shortestPauseMs = 10;
const longestPauseMs = 1_000;

/**
 * Runs a transaction again that was given up for the sake of another. Nothing of it has happened in the database, so
 * that whatever it does besides has to bear being done again: what it tells others, it tells by what it returns.
 */
export async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === attempts || !isPassing(error)) throw error;
      // Not all of them at the same time once more.
      await setTimeout(Math.random() * Math.min(longestPauseMs, shortestPauseMs * 2 ** attempt));
    }
  }
}

function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  return passing.has(String(code)) || errcode === busySnapshot;
}
