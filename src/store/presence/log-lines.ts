import type { Knex } from 'knex';
import { addSeconds } from '../../core/datetime.ts';
import { insertRows } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { type LogLevel, logLevels } from './log-levels.ts';

/** A line of the log as it is kept; without secrets. */
export interface LogLine {
  readonly id: number;
  /** ISO, milliseconds. */
  readonly at: string;
  readonly level: LogLevel;
  readonly source: string | undefined;
  readonly run: number | undefined;
  /** Whose it is: role, process id and host. */
  readonly process: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>> | undefined;
}

export type NewLogLine = Omit<LogLine, 'id'>;

/** What is kept: seven days, and no more lines than these. */
export const keptLogSeconds = 7 * 86_400;
export const keptLogLines = 100_000;
/** Characters, of the message and of all else together. */
const [longestMessage, longestFields] = [1000, 4000];

interface LogRow {
  readonly id: number;
  readonly at: string;
  readonly level: number;
  readonly source: string | null;
  readonly run: number | null;
  readonly process: string;
  readonly message: string;
  readonly fields: string | null;
}

/** One statement for all of them. */
export async function writeLog(trx: Knex.Transaction, lines: readonly NewLogLine[]): Promise<void> {
  await insertRows(
    trx,
    'log_line',
    lines.map(({ at, level, source, run, process, message, fields }) => ({
      ...{ at, level: logLevels[level], process },
      source: source === undefined ? null : withoutNul(source.slice(0, 200)),
      run: run ?? null,
      message: withoutNul(message.slice(0, longestMessage)),
      fields: fieldsText(fields),
    })),
  );
}

function fieldsText(fields: LogLine['fields']): string | null {
  if (fields === undefined) return null;
  const text = JSON.stringify(fields);
  // Cut in the middle it would be no JSON any more.
  return text.length <= longestFields
    ? text
    : JSON.stringify({ cut: text.slice(0, longestFields - 100).replace(/[\ud800-\udbff]$/, '') });
}

/** PostgreSQL has no place for it, and SQLite looks for words up to it. */
function withoutNul(text: string): string {
  return text.replaceAll('\0', '\ufffd');
}

/** Which lines; the newest first. */
export interface LogFilter {
  readonly source?: string | undefined;
  /** This one and what is worse. */
  readonly level?: LogLevel | undefined;
  readonly run?: number | undefined;
  /** In the message or in what else it says; without regard to case. */
  readonly words?: string | undefined;
  /** ISO: not older. */
  readonly since?: string | undefined;
}

export async function listLog(
  db: Queryable,
  filter: LogFilter,
  page: { readonly before?: number | undefined; readonly after?: number | undefined; readonly limit: number },
): Promise<readonly LogLine[]> {
  const { before, after, limit } = page;
  const rows: LogRow[] = await db('log_line')
    .modify((query) => select(query, filter))
    .modify((query) => {
      if (before !== undefined) query.where('id', '<', before);
      if (after !== undefined) query.where('id', '>', after);
    })
    // Those that follow a line come in their order, all else the newest first.
    .orderBy('id', after === undefined ? 'desc' : 'asc')
    .limit(limit);
  return rows.map(toLine);
}

export async function findLogLine(db: Queryable, id: number): Promise<LogLine | undefined> {
  const row: LogRow | undefined = await db('log_line').where({ id }).first();
  return row && toLine(row);
}

/** Of the last line; 0: there is none. */
export async function lastLogLine(db: Queryable): Promise<number> {
  const row: { id: number } | undefined = await db('log_line').orderBy('id', 'desc').first('id');
  return row?.id ?? 0;
}

function select(query: Knex.QueryBuilder, { source, level, run, words, since }: LogFilter): void {
  if (source !== undefined) query.where({ source: withoutNul(source) });
  if (level !== undefined) query.where('level', '>=', logLevels[level]);
  if (run !== undefined) query.where({ run });
  // As the lines have it, with milliseconds: a moment without them would be behind all of its second.
  if (since !== undefined) query.where('at', '>=', since.replace(/(:\d\d)Z$/, '$1.000Z'));
  for (const word of (words ?? '').split(/\s+/).filter((one) => one !== '')) {
    const like = `%${withoutNul(word).replace(/[\\%_]/g, '\\$&')}%`;
    query.whereRaw(
      `lower(message || ' ' || coalesce(source, '') || ' ' || coalesce(fields, '')) like lower(?) escape '\\'`,
      [like],
    );
  }
}

function toLine({ id, at, level, source, run, process, message, fields }: LogRow): LogLine {
  return {
    ...{ id, at, process, message },
    level: (Object.keys(logLevels) as LogLevel[]).findLast((name) => logLevels[name] <= level) ?? 'info',
    source: source ?? undefined,
    run: run ?? undefined,
    fields: fields === null ? undefined : (JSON.parse(fields) as Record<string, unknown>),
  };
}

/** Nobody reads more of them one by one. */
const countedWarnings = 1000;

/** Of a run, warnings and worse: a thousand at most. @returns undefined: it began before the lines that are kept */
export async function countWarnings(
  db: Queryable,
  run: { readonly source: string; readonly id: number; readonly startedAt: string },
  now: string,
): Promise<number | undefined> {
  if (run.startedAt < addSeconds(now, -keptLogSeconds)) return undefined;
  const some = db('log_line')
    .where({ source: run.source, run: run.id })
    .where('level', '>=', logLevels.warn)
    .limit(countedWarnings)
    .select('id')
    .as('some');
  const [row] = await db.from(some).count<{ count: number | string }[]>({ count: '*' });
  return Number(row?.count ?? 0);
}

const prunedAtATime = 2000;

/** Forgets some of what is too old, and of what is too much. @returns whether there is more of it */
export async function pruneLog(
  trx: Knex.Transaction,
  now: string,
  keptLines = keptLogLines,
): Promise<boolean> {
  const last = await lastLogLine(trx);
  const before = addSeconds(now, -keptLogSeconds);
  // By their numbers, which are those of their times but for moments.
  const some = trx('log_line')
    .where((old) => old.where('id', '<=', last - keptLines).orWhere('at', '<', before))
    .orderBy('id')
    .limit(prunedAtATime)
    .select('id');
  return (await trx('log_line').whereIn('id', some).delete()) === prunedAtATime;
}
