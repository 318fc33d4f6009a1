import type { Knex } from 'knex';
import { addSeconds } from '../../core/datetime.ts';
import type { Database, Queryable } from '../engine/database.ts';
import type { DueKind } from './due.ts';
import { findRuns, type Run, type RunKind } from './runs.ts';

/**
 * A harvest; or, of single items: they are read again, or published again; or, of what has vanished: it is deleted; or,
 * of records that could not be read: those of a cause (`what`), or all, are read again.
 */
export type AskedKind = 'harvest' | 'full' | 'identifiers' | OtherKind;
const otherKinds = ['item', 'restore', 'acceptance', 'problems'] as const;
type OtherKind = (typeof otherKinds)[number];

/** Something that somebody asked for, and how far it is. */
export interface Asked {
  readonly id: number;
  readonly source: string;
  readonly kind: AskedKind;
  readonly what: string | undefined;
  readonly who: string;
  readonly at: string;
  readonly state: 'waiting' | Run['state'];
  readonly message: string | undefined;
  readonly run: Run<RunKind> | undefined;
}

interface AskedRow {
  readonly id: number;
  readonly source: string;
  readonly kind: AskedKind;
  readonly what: string | null;
  readonly who: string;
  readonly at: string;
  readonly after_run: number;
  readonly state: Asked['state'];
  readonly message: string | null;
  readonly ended_at: string | null;
}

export interface NewAsk {
  readonly source: string;
  readonly kind: AskedKind;
  readonly what?: string | undefined;
  readonly who: string;
  readonly at: string;
}

const keptSeconds = 90 * 86_400;

/** By which work in `due` it is done. */
export function dueKindOf(kind: AskedKind): DueKind {
  return isHarvest(kind) ? kind : 'asked';
}

function isHarvest(kind: AskedKind): kind is Exclude<AskedKind, OtherKind> {
  return !otherKinds.some((other) => other === kind);
}

const modes: Readonly<Record<AskedKind, readonly RunKind[]>> = {
  harvest: ['incremental', 'full'],
  full: ['full'],
  identifiers: ['identifiers'],
  item: ['item'],
  restore: ['acceptance'],
  acceptance: ['acceptance'],
  // A run for each record.
  problems: [],
};

/** @returns their numbers, in the same order */
export function recordAsked(database: Database, asks: readonly NewAsk[]): Promise<readonly number[]> {
  return database.transaction(async (trx) => {
    const [first] = asks;
    if (first) await trx('asked').where('at', '<', addSeconds(first.at, -keptSeconds)).delete();
    const ids: number[] = [];
    for (const { what = null, ...ask } of asks) {
      const after_run = await latestBefore(trx, ask.source);
      const [row] = await trx('asked')
        .insert({ ...ask, what, after_run, state: 'waiting' })
        .returning<{ id: number }[]>('id');
      ids.push(Number(row?.id));
    }
    return ids;
  });
}

/** One that was interrupted goes on under its number. */
async function latestBefore(trx: Knex.Transaction, source: string): Promise<number> {
  const row: { id: number; state: string } | undefined = await trx('run')
    .where('source_id', trx('source').select('id').where({ name: source }))
    .orderBy('id', 'desc')
    .first('id', 'state');
  return row ? row.id - (row.state === 'interrupted' ? 1 : 0) : 0;
}

export async function findAsked(db: Queryable, id: number): Promise<Asked | undefined> {
  const row: AskedRow | undefined = await db('asked').where({ id }).first();
  if (!row) return undefined;
  const { source, kind, who, at } = row;
  const run = await runOf(db, row);
  const known = { id, source, kind, who, at, what: row.what ?? undefined, run };
  if (!isHarvest(kind)) return { ...known, state: row.state, message: row.message ?? undefined };
  return { ...known, state: run?.state ?? 'waiting', message: run?.error?.message };
}

async function runOf(db: Queryable, row: AskedRow): Promise<Run<RunKind> | undefined> {
  const { source, kind, at, after_run, ended_at } = row;
  const found: { id: number } | undefined = await db('run')
    .where('source_id', db('source').select('id').where({ name: source }))
    .whereIn('mode', modes[kind])
    .where('id', '>', after_run)
    .where('updated_at', '>=', at)
    .modify((query) => {
      if (ended_at !== null) query.where('started_at', '<=', ended_at);
    })
    .orderBy('id')
    .first('id');
  return found && (await findRuns(db, [found.id])).get(found.id);
}

/** What is to be done of a source that no harvest does; also what a process that died had begun. */
export async function listOpenAsks(
  db: Queryable,
  source: string,
): Promise<readonly Pick<Asked, 'id' | 'kind' | 'what' | 'at'>[]> {
  const rows: AskedRow[] = await db('asked')
    .where({ source })
    .whereIn('kind', [...otherKinds])
    .whereIn('state', ['waiting', 'running'])
    .orderBy('id');
  return rows.map(({ id, kind, what, at }) => ({ id, kind, what: what ?? undefined, at }));
}

export async function noteAsked(
  { writer }: Pick<Database, 'writer'>,
  id: number,
  { state, message, endedAt }: { state: Asked['state']; message?: string; endedAt?: string },
): Promise<void> {
  await writer('asked')
    .where({ id })
    .update({ state, message: message?.slice(0, 1000) ?? null, ended_at: endedAt ?? null });
}

/** Somebody has asked for the same, and nobody has begun with it. */
export async function findWaitingAsk(
  db: Queryable,
  { source, kind, what }: Pick<NewAsk, 'source' | 'kind' | 'what'>,
): Promise<number | undefined> {
  const row: { id: number } | undefined = await db('asked')
    .where({ source, kind, what: what ?? null, state: 'waiting' })
    .first('id');
  return row?.id;
}
