import type { Knex } from 'knex';
import { toIso } from '../../core/datetime.ts';
import { isPostgres } from '../engine/bulk.ts';
import type { Database, Queryable } from '../engine/database.ts';
import type { Claim, DueKind, DueWork } from './due.ts';
import { isDead } from './leases.ts';

/** What one process may take. */
export interface Choice {
  /** Those that it knows; undefined: whatever there is. */
  readonly sources: readonly string[] | undefined;
  readonly kinds: readonly DueKind[];
  /** Whether also what is known to take long. */
  readonly withLong: boolean;
}

interface ClaimedRow {
  readonly source: string;
  readonly kind: DueKind;
  readonly due_at: number;
  readonly attempts: number;
  readonly reason: string | null;
  readonly is_long: boolean | number;
}

/**
 * Takes what is due and nobody is at: what somebody asked for first, then what has waited longest. One thing at a time of
 * each source, and nothing of one that is paused.
 * @param now by the clock of the database
 */
export async function claimNext(
  database: Database,
  holder: string,
  choice: Choice,
  now: number,
): Promise<Claim | undefined> {
  // Looking takes no lock; most of the time there is nothing.
  if ((await longestWaiting(database.reader, choice, now)) === undefined) return undefined;
  return database.transaction(async (trx) => {
    // Written first: on SQLite this takes the lock; on PostgreSQL rows that others are just taking are passed over.
    const next = dueRows(trx, choice, now)
      .orderBy([{ column: 'priority', order: 'desc' }, 'due_at', 'source', 'kind'])
      .limit(1)
      .select('source', 'kind');
    const rows: ClaimedRow[] = await trx('due')
      .whereIn(['source', 'kind'], isPostgres(trx) ? next.forUpdate().skipLocked() : next)
      .andWhere((free) => isFree(free, now))
      .update({ holder, expires: now + database.leaseMs, asked_at: null })
      .returning(['source', 'kind', 'due_at', 'attempts', 'reason', 'is_long']);
    const [row] = rows;
    if (!row) return undefined;
    const { source, kind, due_at: dueAt, attempts, reason, is_long: isLong } = row;
    return { source, kind, dueAt, attempts, reason: reason ?? undefined, isLong: Boolean(isLong), holder };
  });
}

/** Since when the one has been due that has waited longest, and could be taken. */
export async function longestWaiting(
  db: Queryable,
  choice: Choice,
  now: number,
): Promise<number | undefined> {
  const row: { since: number | null } | undefined = await dueRows(db, choice, now)
    .min('due_at as since')
    .first();
  return row?.since ?? undefined;
}

function dueRows(db: Queryable, { sources, kinds, withLong }: Choice, now: number): Knex.QueryBuilder {
  const isNamed = isPostgres(db)
    ? '?? in (select json_array_elements_text(?::json))'
    : '?? in (select value from json_each(?))';
  const iso = toIso(new Date(now));
  return db('due')
    .where('due_at', '<=', now)
    .whereIn('kind', kinds)
    .andWhere((free) => isFree(free, now))
    .modify((rows) => {
      if (sources) rows.whereRaw(isNamed, ['due.source', JSON.stringify(sources)]);
      if (!withLong) rows.where({ is_long: false });
    })
    .whereNotExists(
      db('due as other')
        .whereRaw('?? = ??', ['other.source', 'due.source'])
        .where('due.source', '<>', '')
        .where('other.expires', '>', now)
        .select(db.raw('1')),
    )
    .whereNotExists(
      db('pause')
        .whereRaw('?? = ??', ['pause.source', 'due.source'])
        .andWhere((still) => still.whereNull('until').orWhere('until', '>', iso))
        .select(db.raw('1')),
    );
}

function isFree(rows: Knex.QueryBuilder, now: number): void {
  rows.whereNull('holder').orWhere('expires', '<=', now);
}

/**
 * A sign of life of a process for all that it has taken.
 * @returns what it still has: what expired somebody else may be at
 */
export async function renewClaims(
  database: Database,
  holder: string,
  now: number,
): Promise<readonly DueWork[]> {
  return database
    .writer('due')
    .where({ holder })
    .update({ expires: now + database.leaseMs })
    .returning(['source', 'kind']);
}

/** What dead neighbours on this host have left is free at once. */
export async function freeClaimsOfDead(database: Database): Promise<void> {
  const rows: { holder: string }[] = await database.reader('due').whereNotNull('holder').distinct('holder');
  const dead = rows.map(({ holder }) => holder).filter(isDead);
  if (dead.length === 0) return;
  await database.writer('due').whereIn('holder', dead).update({ holder: null, expires: null });
}

/** How it ended. */
export interface Outcome {
  /** When it is due next, unless somebody has asked for it meanwhile; undefined: never. */
  readonly dueAt: number | undefined;
  /** Failed in a row, and why. */
  readonly attempts: number;
  readonly reason: string | undefined;
  readonly isLong: boolean;
}

/** Gives back what was taken; what was lost meanwhile stays as its new holder has it. */
export async function settleClaim(
  database: Database,
  { source, kind, holder }: Claim,
  { dueAt, attempts, reason, isLong }: Outcome,
): Promise<void> {
  const { writer } = database;
  await writer('due')
    .where({ source, kind, holder })
    .update({
      due_at: writer.raw('case when asked_at is null then ? else due_at end', [dueAt ?? null]),
      priority: writer.raw('case when asked_at is null then 0 else 1 end'),
      attempts,
      reason: reason ?? null,
      is_long: isLong,
      holder: null,
      expires: null,
    });
}

/** Gives back what was not done: it is due as it was before. */
export async function releaseClaim(database: Database, { source, kind, holder }: Claim): Promise<void> {
  await database.writer('due').where({ source, kind, holder }).update({ holder: null, expires: null });
}
