import { addSeconds, toIso } from '../../core/datetime.ts';
import type { Database, Queryable } from '../engine/database.ts';
import { isDead } from './leases.ts';

/** Of a source: what it is read for, and what somebody asked for beside that. Of the installation (no source): what is done once, whoever does it. */
export type DueKind =
  | 'harvest'
  | 'full'
  | 'identifiers'
  | 'asked'
  | 'removal'
  | 'removal-at-once'
  | 'retention'
  | 'alerts'
  | 'lists'
  | 'dumps'
  | 'publication';

export interface DueWork {
  /** Its name; empty: the installation. */
  readonly source: string;
  readonly kind: DueKind;
}

/** Moments are milliseconds by the clock of the database (`lookAtClock`). */
export interface Claim extends DueWork {
  readonly dueAt: number;
  readonly attempts: number;
  readonly reason: string | undefined;
  readonly isLong: boolean;
  readonly holder: string;
}

export interface DueState extends DueWork {
  readonly dueAt: number | undefined;
  /** Failed in a row. */
  readonly attempts: number;
  readonly reason: string | undefined;
  /** Since when it is planned; undefined: that was not written down. */
  readonly plannedAt: number | undefined;
  /** Some process works on it. */
  readonly isHeld: boolean;
}

interface DueRow {
  readonly source: string;
  readonly kind: DueKind;
  readonly schedule: string;
  readonly due_at: number | null;
  readonly attempts: number;
  readonly reason: string | null;
  readonly is_long: boolean | number;
  readonly planned_at: number | null;
  readonly holder: string | null;
  readonly expires: number | null;
}

/** Everything, in the order of names. */
export async function listDue(db: Queryable, now: number): Promise<readonly DueState[]> {
  return toStates(await db('due').orderBy(['source', 'kind']).select('*'), now);
}

/** Of one source, by kind. */
export async function listDueOf(db: Queryable, source: string, now: number): Promise<readonly DueState[]> {
  return toStates(await db('due').where({ source }).orderBy('kind').select('*'), now);
}

function toStates(rows: readonly DueRow[], now: number): readonly DueState[] {
  return rows.map((row) => ({
    source: row.source,
    kind: row.kind,
    dueAt: row.due_at ?? undefined,
    attempts: row.attempts,
    reason: row.reason ?? undefined,
    plannedAt: row.planned_at ?? undefined,
    isHeld: row.holder !== null && Number(row.expires) > now && !isDead(row.holder),
  }));
}

export interface PlannedWork extends DueWork {
  /** Says what it is reckoned by: where that is another one than before, it is due as `next` says. */
  readonly schedule: string;
  /** When it is due if it was not known before; undefined: never, unless somebody asks. */
  readonly first: number | undefined;
  readonly next: number | undefined;
}

const rowsAtATime = 100;

/** What was missed stays due; what is not planned any more stays as it is, and nobody takes it. */
export async function planWork(
  database: Database,
  planned: readonly PlannedWork[],
  now: number,
): Promise<void> {
  const rows: DueRow[] = await database.reader('due').select('*');
  const known = new Map(rows.map((row) => [`${row.kind} ${row.source}`, row]));
  const isNew = planned.filter(({ source, kind }) => !known.has(`${kind} ${source}`));
  const wasAhead = await isFromLater(database, now);
  const changed = planned.filter(({ source, kind, schedule, next }) => {
    const row = known.get(`${kind} ${source}`);
    const isTooLate = wasAhead && next !== undefined && (row?.due_at ?? 0) > next;
    return row !== undefined && (row.schedule !== schedule || isTooLate);
  });
  if (isNew.length + changed.length === 0) return;
  await database.transaction(async (trx) => {
    for (let from = 0; from < isNew.length; from += rowsAtATime) {
      const some = isNew.slice(from, from + rowsAtATime);
      await trx('due')
        .insert(
          some.map(({ source, kind, schedule, first = null }) => ({
            ...{ source, kind, schedule },
            due_at: first,
            planned_at: now,
          })),
        )
        .onConflict(['source', 'kind'])
        .ignore();
    }
    for (const { source, kind, schedule, next = null } of changed) {
      await trx('due')
        .where({ source, kind })
        .update({
          schedule,
          due_at: trx.raw('case when due_at <= ? or priority > 0 then due_at else ? end', [now, next]),
        });
    }
  });
}

const secondsOfDoubt = 60;

/**
 * Whether a source was harvested at a time that is yet to come: the clock was ahead, and what was planned by it lies as far ahead.
 */
async function isFromLater({ reader }: Database, now: number): Promise<boolean> {
  const from = addSeconds(toIso(new Date(now)), secondsOfDoubt);
  return (await reader('source').where('last_success_at', '>', from).first('id')) !== undefined;
}

export interface AskedWork {
  readonly sources: readonly string[];
  readonly kind: DueKind;
  /** Leaves those alone that have not failed. */
  readonly onlyFailed?: boolean;
}

/**
 * Somebody wants it now: it is due at once and before anything else, however often it has failed. What is under way is
 * done again when it has ended.
 */
export async function askFor(
  database: Database,
  { sources, kind, onlyFailed }: AskedWork,
  now: number,
): Promise<void> {
  const asked = { due_at: now, asked_at: now, priority: 1, attempts: 0 };
  await database.transaction(async (trx) => {
    for (const source of sources) {
      const rows = trx('due').where({ source, kind });
      if (onlyFailed) await rows.andWhere('attempts', '>', 0).update(asked);
      // The process that plans it may not have begun yet.
      else if ((await rows.update(asked)) === 0)
        await trx('due').insert({ source, kind, schedule: '', ...asked });
    }
  });
}
