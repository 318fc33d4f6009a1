import { setTimeout as pause } from 'node:timers/promises';
import { loadConfig } from '../../bridge/config/load-config.ts';
import { openStored } from '../../bridge/stored-bridge.ts';
import { primaryOf } from '../../store/admin/primary.ts';
import type { Queryable } from '../../store/engine/database.ts';
import type { LogLevel } from '../../store/presence/log-levels.ts';
import { type LogFilter, type LogLine, lastLogLine, listLog } from '../../store/presence/log-lines.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult } from '../terminal/io.ts';
import { printable, printableJson } from '../terminal/terminal-text.ts';

const linesAtATime = 500;
const shownAtFirst = 100;
const askAgainMs = 1000;

export interface LogFlags {
  readonly config?: string;
  readonly json: boolean;
  readonly source?: string;
  readonly level?: LogLevel;
  readonly run?: number;
  /** Words. */
  readonly find?: string;
  /** ISO. */
  readonly since?: string;
  readonly limit?: number;
  readonly follow: boolean;
}

/** What all processes logged in seven days, the oldest first: the last hundred lines, or all since a moment. */
export async function logCommand(flags: LogFlags, io: CommandIo): Promise<number> {
  const { source, level, run, find: words, since, follow } = flags;
  const filter: LogFilter = { source, level, run, words, since };
  const { database, close } = await openStored(loadConfig(flags, io.env, io.cwd), 'migrate');
  try {
    const db = primaryOf(database);
    // Before they are read: what comes meanwhile is not missed.
    let last = await lastLogLine(db);
    const limit = flags.limit ?? (since === undefined ? shownAtFirst : undefined);
    if (limit === undefined) await printFrom(db, filter, { after: 0, until: last }, flags, io);
    else print([...(await listLog(db, filter, { before: last + 1, limit }))].reverse(), flags, io);
    while (follow && (await isGoingOn(io.stop)))
      last = await printFrom(db, filter, { after: last, until: Number.MAX_SAFE_INTEGER }, flags, io);
    return exitCodes.ok;
  } finally {
    await close();
  }
}

/** Lines behind one, up to another. @returns the last that was printed, or where it began */
async function printFrom(
  db: Queryable,
  filter: LogFilter,
  { after, until }: { readonly after: number; readonly until: number },
  flags: LogFlags,
  io: CommandIo,
): Promise<number> {
  let last = after;
  while (!io.stop.aborted) {
    const some = await listLog(db, filter, { after: last, limit: linesAtATime });
    print(
      some.filter(({ id }) => id <= until),
      flags,
      io,
    );
    last = some.at(-1)?.id ?? last;
    if (some.length < linesAtATime || last >= until) break;
  }
  return last;
}

/** @returns false: somebody ended it */
async function isGoingOn(stop: AbortSignal): Promise<boolean> {
  try {
    await pause(askAgainMs, undefined, { signal: stop });
    return true;
  } catch {
    return false;
  }
}

function print(lines: readonly LogLine[], { json }: LogFlags, io: CommandIo): void {
  for (const line of lines) {
    if (json) io.stdout.write(`${printableJson(line)}\n`);
    else printResult(io, false, {}, describe(line));
  }
}

function describe({ at, level, source, run, process, message, fields }: LogLine): string {
  const about = [source && printable(source), run !== undefined && `run ${run}`].filter(Boolean).join(', ');
  const rest = fields === undefined ? '' : `  ${printableJson(fields)}`;
  return `${at}  ${level.padEnd(5)}  ${about === '' ? '' : `${about}: `}${printable(message)}  [${printable(process)}]${rest}`;
}
