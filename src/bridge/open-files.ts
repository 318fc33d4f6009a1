import { readFileSync } from 'node:fs';

/** This file and `cli/bin.ts` import nothing of ours: they are there before the process may run out of descriptors. */

/** Ours, whatever is asked for: the database, the log, what is being written, the repositories. */
const reserved = 48;
/** A connection, and what is read for it: a document, or the repository's answer. */
const perConnection = 2.5;

/** Files and connections that this process may have open; Node has raised the soft limit to the hard one. */
export function openFilesLimit(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'latin1');
    const soft = /^Max open files +(\d+|unlimited)/m.exec(limits)?.[1];
    return soft === undefined || soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
  } catch (error) {
    // Where there is no such table nothing is known.
    return isOutOfFiles(error) ? 0 : Number.POSITIVE_INFINITY;
  }
}

/** So many connections leave enough for everything else. */
export function connectionsWithin(limit: number): number | undefined {
  if (limit > 100_000) return undefined;
  return Math.max(4, Math.floor((limit - reserved) / perConnection));
}

export function isOutOfFiles(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as { code?: unknown };
    if (code === 'EMFILE' || code === 'ENFILE' || /\b(?:EMFILE|ENFILE)\b/.test(cause.message)) return true;
  }
  return false;
}
