import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type { Problem, ProblemCode, SourceItem } from '../../core/adapter.ts';
import { causeOf } from '../../core/problem.ts';
import { type Row, whereAnyOf } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';

/** A record that could not be read, and has not been read well since. */
export interface Unreadable {
  readonly id: number;
  /** Undefined where the damage hides it. */
  readonly identifier: string | undefined;
  /** Undefined: it is about the item as a whole. */
  readonly format: string | undefined;
  readonly code: ProblemCode;
  readonly message: string;
  /** What it has in common with others of the same cause. */
  readonly cause: string;
  /** What was mended before it was given up. */
  readonly repairs?: readonly string[];
  /** The last run that met it so. */
  readonly runId: number;
  readonly firstSeenAt: string;
  readonly lastSeenAt: string;
  /** Octets of the record as it came; undefined: it never came, or was not kept. */
  readonly rawLength: number | undefined;
  /** Where it was asked for: the record, or its beginning. */
  readonly raw?: string | undefined;
}

/** The record is not published as it is: what was published before stays. */
const codes: readonly ProblemCode[] = ['record-quarantined', 'record-without-metadata'];
/** Of each source; 64 MB at most. Of more records the cause alone is kept. */
const keptRaws = 1000;
const mostRepairs = 20;

interface Met {
  readonly run: { readonly id: number };
  readonly at: string;
}

/** What a page says of records that could not be read, and of those that could. */
export async function storeUnreadable(
  trx: Knex.Transaction,
  sourceId: number,
  problems: readonly Problem[],
  delivered: readonly Pick<SourceItem, 'identifier' | 'speaksFor'>[],
  met: Met,
): Promise<void> {
  const unreadable = problems.filter(({ code }) => codes.includes(code));
  if (unreadable.length > 0) await upsert(trx, sourceId, unreadable, met);
  if (delivered.length === 0 || !(await isAny(trx, sourceId))) return;
  const places = delivered.map(({ identifier }) => `id:${identifier}`);
  const rows: { id: number; identifier: string; format: string }[] = await trx('unreadable')
    .select('id', 'identifier', 'format')
    .where({ source_id: sourceId })
    .modify((query) => whereAnyOf(query, 'place', places));
  const spoken = new Map<string, Set<string>>();
  for (const { identifier, speaksFor } of delivered) {
    const formats = spoken.get(identifier) ?? new Set(['']);
    for (const format of speaksFor.formats) formats.add(format);
    if (speaksFor.files) formats.add(speaksFor.files.name);
    spoken.set(identifier, formats);
  }
  const read = rows.filter(({ identifier, format }) => spoken.get(identifier)?.has(format));
  await remove(
    trx,
    read.map(({ id }) => id),
  );
}

async function upsert(
  trx: Knex.Transaction,
  sourceId: number,
  problems: readonly Problem[],
  { run, at }: Met,
): Promise<void> {
  const [kept] = await trx('unreadable')
    .where({ source_id: sourceId })
    .whereNotNull('raw_length')
    .count({ count: '*' });
  let room = keptRaws - Number(kept?.count ?? 0);
  for (const problem of problems) {
    const { code, message, identifier, format = '', raw, repairs = [] } = problem;
    const keeps = raw !== undefined && room > 0;
    if (keeps) room -= 1;
    const cause = causeOf(problem);
    const mended = repairs.length === 0 ? null : JSON.stringify(repairs.slice(0, mostRepairs));
    const said = { code, message: message.slice(0, 1000), cause, repairs: mended };
    const seen = { ...said, run_id: run.id, last_at: at };
    const content: Row = keeps ? { raw: Buffer.from(raw.text, 'utf8'), raw_length: raw.length } : {};
    await trx('unreadable')
      .insert({
        source_id: sourceId,
        place: placeOf(problem),
        format,
        identifier: identifier ?? null,
        first_at: at,
        ...seen,
        ...content,
      })
      .onConflict(['source_id', 'place', 'format'])
      .merge({ ...seen, ...content });
  }
}

/** By what it is known again: where it has no name, the same bytes are the same record. */
function placeOf({ identifier, message, raw }: Problem): string {
  if (identifier !== undefined) return `id:${identifier}`;
  const text = raw === undefined ? message : `${raw.length} ${raw.text}`;
  return `at:${createHash('sha256').update(text).digest('hex')}`;
}

async function isAny(db: Queryable, sourceId: number): Promise<boolean> {
  const one = await db('unreadable').where({ source_id: sourceId }).first('id');
  return one !== undefined;
}

async function remove(trx: Knex.Transaction, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await trx('unreadable')
    .modify((query) => whereAnyOf(query, 'id', ids))
    .delete();
}

/** A full pass came to its end: what it did not meet is there no more, unless it may be in a part that was not read. */
export async function forgetUnmet(trx: Knex.Transaction, sourceId: number, runId: number): Promise<void> {
  await trx('unreadable')
    .where({ source_id: sourceId })
    .where('run_id', '<', runId)
    .whereNotExists(
      trx('unread_part as part')
        .where({ 'part.source_id': sourceId, 'part.run_id': runId })
        .where((either) =>
          either
            .whereNull('part.format')
            .orWhereRaw('part.format = unreadable.format')
            .orWhere('unreadable.format', ''),
        )
        .select(trx.raw('1')),
    )
    .delete();
}

/** The upstream says that it does not have the item, or not for us. */
export async function forgetItem(db: Queryable, sourceId: number, identifier: string): Promise<number> {
  return db('unreadable')
    .where({ source_id: sourceId, place: `id:${identifier}` })
    .delete();
}

export async function countUnreadable(db: Queryable, sourceId: number): Promise<number> {
  return (await countUnreadableOf(db, [sourceId]))(sourceId);
}

/** The same of several sources. */
export async function countUnreadableOf(
  db: Queryable,
  sourceIds: readonly number[],
): Promise<(sourceId: number) => number> {
  const rows = (await db('unreadable')
    .modify((query) => whereAnyOf(query, 'source_id', sourceIds))
    .groupBy('source_id')
    .select('source_id')
    .count({ count: '*' })) as readonly { source_id: number; count: number | string }[];
  const counts = new Map(rows.map(({ source_id, count }) => [source_id, Number(count)]));
  return (sourceId) => counts.get(sourceId) ?? 0;
}

/** Which of them. */
export interface UnreadableFilter {
  readonly identifier?: string | undefined;
  readonly cause?: string | undefined;
  /** ISO: not met since. */
  readonly notSince?: string | undefined;
}

/** In the order in which they were first met, those with ids beyond `after`. */
export async function listUnreadable(
  db: Queryable,
  sourceId: number,
  page: UnreadableFilter & { readonly after: number; readonly limit: number; readonly raw?: boolean },
): Promise<readonly Unreadable[]> {
  const { after, limit, raw = false, identifier, cause, notSince } = page;
  const rows: UnreadableRow[] = await db('unreadable')
    .select(raw ? [...columns, 'raw'] : columns)
    .where({ source_id: sourceId, ...(identifier === undefined ? {} : { identifier }) })
    .where('id', '>', after)
    .modify((query) => {
      if (cause !== undefined) query.whereRaw(`${causeColumn} = ?`, [cause]);
      if (notSince !== undefined) query.where('last_at', '<=', notSince);
    })
    .orderBy('id')
    .limit(limit);
  return rows.map(toUnreadable);
}

/** With the record as it came. */
export async function findUnreadable(
  db: Queryable,
  sourceId: number,
  id: number,
): Promise<Unreadable | undefined> {
  const row: UnreadableRow | undefined = await db('unreadable')
    .where({ source_id: sourceId, id })
    .first([...columns, 'raw']);
  return row && toUnreadable(row);
}

/** A process of a release before this one writes none. */
export const causeColumn = 'coalesce(cause, message)';

const columns = [
  ...['id', 'identifier', 'format', 'code', 'message', 'cause', 'repairs'],
  ...['run_id', 'first_at', 'last_at', 'raw_length'],
];

interface UnreadableRow {
  readonly id: number | string;
  readonly identifier: string | null;
  readonly format: string;
  readonly code: ProblemCode;
  readonly message: string;
  readonly cause: string | null;
  readonly repairs: string | null;
  readonly run_id: number;
  readonly first_at: string;
  readonly last_at: string;
  readonly raw_length: number | null;
  readonly raw?: Uint8Array | null;
}

function toUnreadable(row: UnreadableRow): Unreadable {
  return {
    id: Number(row.id),
    identifier: row.identifier ?? undefined,
    format: row.format === '' ? undefined : row.format,
    code: row.code,
    message: row.message,
    cause: row.cause ?? row.message,
    ...(row.repairs !== null && { repairs: JSON.parse(row.repairs) as string[] }),
    runId: row.run_id,
    firstSeenAt: row.first_at,
    lastSeenAt: row.last_at,
    rawLength: row.raw_length ?? undefined,
    ...(row.raw && { raw: Buffer.from(row.raw).toString('utf8') }),
  };
}
