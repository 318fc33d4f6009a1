import { setTimeout } from 'node:timers/promises';
import { BridgeError } from '../../core/errors.ts';

/** So long a change of a table waits for those who hold it, and those behind it wait for the change. */
export const lockTimeoutMs = 2_000;
const attempts = 120;
const pauseMs = 500;

/**
 * Runs work that gave up waiting for a lock (PostgreSQL's `lock_timeout`) again after a pause, in which those who
 * queued behind it get their turn.
 * @throws BridgeError `database-locked` after minutes
 */
export async function briefly<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      if (attempt === attempts)
        throw new BridgeError(
          'database-locked',
          'a table that is to be changed is held by a transaction of another program (see pg_stat_activity); nothing was changed: end that transaction and start again',
          { cause: error, retryable: true },
        );
      await setTimeout(pauseMs * (0.5 + Math.random()));
    }
  }
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && (error as { code?: unknown }).code === '55P03';
}
