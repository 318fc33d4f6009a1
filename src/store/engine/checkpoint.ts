import { stat } from 'node:fs/promises';
import type { Knex } from 'knex';
import { checkpointSqlite } from './sqlite-dialect.ts';

/** So long nothing has been written, and the log goes into the database file. */
const lookMs = 2000;

export interface Checkpoints {
  stop(): void;
}

/**
 * SQLite writes to a log beside the database file, and by itself brings the file up to date when the log has become
 * long. Here that is done as soon as the writing pauses, too: then the file alone is the whole database. Whoever reads
 * something long meanwhile is not waited for; the next look tries again.
 */
export function keepCheckpointed(file: string, writer: Knex): Checkpoints {
  let seen = '';
  let busy = false;
  const look = async (): Promise<void> => {
    const state = await logState(file);
    const isQuiet = state !== undefined && state === seen;
    seen = state ?? '';
    // What fails now is tried again; what fails for good is said by whoever reads or writes.
    if (isQuiet) await checkpointSqlite(writer).catch(() => undefined);
  };
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    void look().finally(() => {
      busy = false;
    });
  }, lookMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

/** Before the last connection is closed. */
export async function checkpointAtEnd(file: string, writer: Knex): Promise<void> {
  if ((await logState(file)) !== undefined) await checkpointSqlite(writer).catch(() => undefined);
}

/** Undefined where there is nothing in it. */
async function logState(file: string): Promise<string | undefined> {
  const found = await stat(`${file}-wal`, { bigint: true }).catch(() => undefined);
  return found && found.size > 0n ? `${found.mtimeNs} ${found.size}` : undefined;
}
