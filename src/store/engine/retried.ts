import { setTimeout } from 'node:timers/promises';

/**
 * Two transactions were in each other's way, and PostgreSQL gave up one: a deadlock, or a serialization failure. Or it does not know
 * a statement by its name any more, or not as it was.
 */
const passing = new Set(['40001', '40P01', '26000', '0A000']);
/** SQLite's, of all that it says of a lock: the lower octet of a code. */
const busy = 5;
const attempts = 8;
const shortestPauseMs = 10;
const longestPauseMs = 1_000;

/**
 * Runs a transaction again that was given up for the sake of another. Nothing of it has happened in the database, so
 * that whatever it does besides has to bear being done again: what it tells others, it tells by what it returns.
 * @param patienceMs for how long a lock of SQLite is waited for. SQLite itself waits only at the first statement of a transaction: one
 *   that has read is refused at once where another process is writing, or has written since
 */
export async function retried<T>(work: () => Promise<T>, patienceMs = 0): Promise<T> {
  const end = performance.now() + patienceMs;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const isWorthIt = isLocked(error) ? performance.now() < end : attempt < attempts && isPassing(error);
      if (!isWorthIt) throw error;
      // Not all of them at the same time once more.
      await setTimeout(Math.random() * Math.min(longestPauseMs, shortestPauseMs * 2 ** attempt));
    }
  }
}

function isPassing(error: unknown): boolean {
  return error instanceof Error && passing.has(String((error as { code?: unknown }).code));
}

function isLocked(error: unknown): boolean {
  const { errcode, cause } = error as { errcode?: unknown; cause?: unknown };
  if (typeof errcode === 'number') return errcode % 256 === busy;
  return cause instanceof Error && isLocked(cause);
}
