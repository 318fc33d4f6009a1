import type { Knex } from 'knex';
import type { Checkpoint, Problem } from '../../core/adapter.ts';
import { type BridgeError, describeError } from '../../core/errors.ts';
import { redact } from '../../core/secrets.ts';
import { insertRows, whereAnyOf } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { noteCounts } from '../sources/counts.ts';

export type RunState = 'running' | 'succeeded' | 'needs-attention' | 'failed' | 'interrupted';
export type RunMode = 'full' | 'incremental';
/**
 * Of the history, where there are looks through the list of identifiers, too, deletions that a person accepted, and
 * single items that were asked for.
 */
export type RunKind = RunMode | 'identifiers' | 'acceptance' | 'item';

export interface RunCounts {
  readonly pages: number;
  readonly items: number;
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
  readonly unchanged: number;
  readonly problems: number;
}

/** One harvest of one source, from its first page to its end, over as many starts as it takes. */
export interface Run<Kind extends RunKind = RunMode> extends RunCounts {
  readonly id: number;
  readonly sourceId: number;
  readonly mode: Kind;
  readonly state: RunState;
  readonly selection: string;
  readonly since: string | undefined;
  readonly asOf: string | undefined;
  readonly startedAt: string;
  readonly updatedAt: string;
  readonly endedAt: string | undefined;
  readonly checkpoint: Checkpoint | undefined;
  readonly unidentified: number;
  readonly stalled: number;
  readonly expectedTotal: number | undefined;
  /** What the repository says that there is, of a run over everything; undefined: it did not say. */
  readonly statedTotal: number | undefined;
  /** To the repository, by all processes that were at it; undefined: nobody counted. */
  readonly requests: number | undefined;
  readonly error: { readonly code: string; readonly message: string } | undefined;
}

/** As the table holds it. */
interface RunRow extends RunCounts {
  readonly id: number;
  readonly source_id: number;
  readonly mode: RunKind;
  readonly state: RunState;
  readonly selection: string;
  readonly since: string | null;
  readonly as_of: string | null;
  readonly started_at: string;
  readonly updated_at: string;
  readonly ended_at: string | null;
  readonly checkpoint: string | null;
  readonly unidentified: number;
  readonly stalled: number;
  readonly expected_total: number | null;
  readonly stated_total: number | string | null;
  readonly requests: number | string | null;
  readonly error_code: string | null;
  readonly error_message: string | null;
}

export interface NewRun<Kind extends RunKind = RunMode> {
  readonly sourceId: number;
  readonly mode: Kind;
  readonly selection: string;
  readonly since: string | undefined;
  readonly startedAt: string;
}

export async function startRun<Kind extends RunKind>(db: Queryable, run: NewRun<Kind>): Promise<Run<Kind>> {
  const [row] = await db('run')
    .insert({
      source_id: run.sourceId,
      mode: run.mode,
      state: 'running',
      selection: run.selection,
      since: run.since ?? null,
      started_at: run.startedAt,
      updated_at: run.startedAt,
    })
    .returning<RunRow[]>('*');
  if (!row) throw new Error('the new run has no row');
  return toRun(row);
}

/** The latest harvest of a source, ended or not. */
export async function latestRun(db: Queryable, sourceId: number): Promise<Run | undefined> {
  const row: RunRow | undefined = await db('run')
    .where({ source_id: sourceId })
    .whereIn('mode', ['full', 'incremental'])
    .orderBy('id', 'desc')
    .first();
  return row && toRun(row);
}

/** The latest look through the identifiers, ended or not. */
export async function latestIdentifierRun(
  db: Queryable,
  sourceId: number,
): Promise<Run<'identifiers'> | undefined> {
  const row: RunRow | undefined = await db('run')
    .where({ source_id: sourceId, mode: 'identifiers' })
    .orderBy('id', 'desc')
    .first();
  return row && toRun(row);
}

/** Everything that was done with a source, newest first. */
export async function listRuns(
  db: Queryable,
  sourceId: number,
  limit: number,
): Promise<readonly Run<RunKind>[]> {
  const rows: RunRow[] = await db('run').where({ source_id: sourceId }).orderBy('id', 'desc').limit(limit);
  return rows.map((row) => toRun(row));
}

/** The same of several sources, by their ids; looked up, not read through: there may be thousands of each. */
export async function listLatestRuns(
  db: Queryable,
  sourceIds: readonly number[],
  limit: number,
): Promise<ReadonlyMap<number, readonly Run<RunKind>[]>> {
  const oldest = db('run')
    .select('id')
    .whereRaw('source_id = source.id')
    .orderBy('id', 'desc')
    .limit(1)
    .offset(limit - 1)
    .as('oldest');
  const ranges: { id: number; oldest: number | null }[] = await db('source')
    .select('id', oldest)
    .modify((query) => whereAnyOf(query, 'id', sourceIds));
  const found = new Map(ranges.map(({ id }): [number, Run<RunKind>[]] => [id, []]));
  if (ranges.length === 0) return found;
  const rows: RunRow[] = await db('run')
    .where((any) => {
      for (const { id, oldest: from } of ranges)
        any.orWhere((one) => one.where('source_id', id).where('id', '>=', from ?? 0));
    })
    .orderBy('id', 'desc');
  for (const row of rows) found.get(row.source_id)?.push(toRun(row));
  return found;
}

/** Runs by their ids. */
export async function findRuns(
  db: Queryable,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Run<RunKind>>> {
  const rows: RunRow[] = await db('run').modify((query) => whereAnyOf(query, 'id', ids));
  return new Map(rows.map((row) => [row.id, toRun(row)]));
}

/** A run as it stands now, everything counted. */
export async function findRun<Kind extends RunKind>(
  db: Queryable,
  { id }: Pick<Run<Kind>, 'id' | 'mode'>,
): Promise<Run<Kind>> {
  const row: RunRow | undefined = await db('run').where({ id }).first();
  if (!row) throw new Error(`run ${id} has vanished`);
  return toRun(row);
}

/** The latest full pass that came to its end, for better or worse. */
export async function latestFullPass(db: Queryable, sourceId: number): Promise<Run | undefined> {
  const row: RunRow | undefined = await db('run')
    .where({ source_id: sourceId, mode: 'full' })
    .whereIn('state', ['succeeded', 'needs-attention'])
    .orderBy('id', 'desc')
    .first();
  return row && toRun(row);
}

/** The latest look at everything before a run that saw all of it: what it did not meet, was not there. */
export async function latestCompleteBefore(
  db: Queryable,
  { id, sourceId }: Pick<Run<RunKind>, 'id' | 'sourceId'>,
): Promise<Run<RunKind> | undefined> {
  const row: RunRow | undefined = await db('run')
    .where({ source_id: sourceId, unidentified: 0 })
    .where('id', '<', id)
    .whereIn('mode', ['full', 'identifiers'])
    .whereIn('state', ['succeeded', 'needs-attention'])
    .orderBy('id', 'desc')
    .first();
  return row && toRun(row);
}

export async function resumeRun<Kind extends RunKind>(
  db: Queryable,
  run: Run<Kind>,
  now: string,
): Promise<Run<Kind>> {
  await db('run')
    .where({ id: run.id })
    .update({ state: 'running', stalled: run.stalled + 1, ended_at: null, updated_at: now });
  return { ...run, state: 'running', stalled: run.stalled + 1, endedAt: undefined };
}

export interface RunEnd {
  readonly state: RunState;
  readonly at: string;
  readonly error?: BridgeError | undefined;
}

/** Its counts become those of the day. */
export async function endRun(db: Queryable, runId: number, end: RunEnd): Promise<void> {
  await db('run')
    .where({ id: runId })
    .update({
      state: end.state,
      ended_at: end.at,
      updated_at: end.at,
      error_code: end.error?.code ?? null,
      error_message: end.error === undefined ? null : redact(describeError(end.error)).slice(0, 2000),
    });
  await noteCounts(db, runId, end.at);
}

/** What a process has asked the repository for a run, beside what others have. */
export async function addRequests(db: Queryable, runId: number, requests: number): Promise<void> {
  await db('run')
    .where({ id: runId })
    .update({ requests: db.raw('coalesce(requests, 0) + ?', [requests]) });
}

/** What a killed process did not end is not continued, but begun anew. */
export async function endStale(
  db: Queryable,
  sourceId: number,
  mode: 'acceptance' | 'item',
  at: string,
): Promise<void> {
  await db('run')
    .where({ source_id: sourceId, mode, state: 'running' })
    .update({ state: 'interrupted', ended_at: at });
}

/** Of each run this many problems are kept in words; all are counted. */
export const keptProblems = 1000;

export async function recordProblems(
  trx: Knex.Transaction,
  run: { id: number; problems: number },
  problems: readonly Problem[],
): Promise<void> {
  const kept = problems.slice(0, Math.max(0, keptProblems - run.problems));
  const rows = kept.map(({ code, message, identifier, format }) => ({
    run_id: run.id,
    code,
    message: redact(message).slice(0, 1000),
    identifier: identifier ?? null,
    format: format ?? null,
  }));
  await insertRows(trx, 'problem', rows);
}

interface ProblemRow {
  readonly run_id: number;
  readonly code: Problem['code'];
  readonly message: string;
  readonly identifier: string | null;
  readonly format: string | null;
}

/** The first ones of each of these runs, by the run. */
export async function listProblemsOf(
  db: Queryable,
  runIds: readonly number[],
  limit: number,
): Promise<ReadonlyMap<number, readonly Problem[]>> {
  const found = new Map(runIds.map((id): [number, Problem[]] => [id, []]));
  if (runIds.length === 0) return found;
  const last = db('problem')
    .select('id')
    .whereRaw('run_id = run.id')
    .orderBy('id')
    .limit(1)
    .offset(limit - 1)
    .as('last');
  const ranges: { id: number; last: number | null }[] = await db('run')
    .select('id', last)
    .modify((query) => whereAnyOf(query, 'id', runIds));
  const rows: ProblemRow[] = await db('problem')
    .where((any) => {
      for (const { id, last: until } of ranges)
        any.orWhere((one) => one.where('run_id', id).where('id', '<=', until ?? Number.MAX_SAFE_INTEGER));
    })
    .orderBy('id');
  for (const row of rows) found.get(row.run_id)?.push(toProblem(row));
  return found;
}

/** The first problem of each of these runs, by the run. */
export async function firstProblems(
  db: Queryable,
  runIds: readonly number[],
): Promise<ReadonlyMap<number, Problem>> {
  if (runIds.length === 0) return new Map();
  const first = db('problem')
    .min('id')
    .modify((query) => whereAnyOf(query, 'run_id', runIds))
    .groupBy('run_id');
  const rows: ProblemRow[] = await db('problem').whereIn('id', first);
  return new Map(rows.map((row) => [row.run_id, toProblem(row)]));
}

function toProblem({ code, message, identifier, format }: ProblemRow): Problem {
  return { code, message, identifier: identifier ?? undefined, format: format ?? undefined };
}

/** Its kind is what was asked for. */
function toRun<Kind extends RunKind>(row: RunRow): Run<Kind> {
  return {
    id: row.id,
    sourceId: row.source_id,
    mode: row.mode as Kind,
    state: row.state,
    selection: row.selection,
    since: row.since ?? undefined,
    asOf: row.as_of ?? undefined,
    startedAt: row.started_at,
    updatedAt: row.updated_at,
    endedAt: row.ended_at ?? undefined,
    checkpoint: row.checkpoint === null ? undefined : (JSON.parse(row.checkpoint) as Checkpoint),
    pages: row.pages,
    items: row.items,
    created: row.created,
    updated: row.updated,
    deleted: row.deleted,
    unchanged: row.unchanged,
    problems: row.problems,
    unidentified: row.unidentified,
    stalled: row.stalled,
    expectedTotal: row.expected_total ?? undefined,
    statedTotal: row.stated_total === null ? undefined : Number(row.stated_total),
    requests: row.requests === null ? undefined : Number(row.requests),
    error: row.error_code === null ? undefined : { code: row.error_code, message: row.error_message ?? '' },
  };
}
