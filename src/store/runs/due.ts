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
  readonly priority: number;
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

/**
 * What was missed stays due; what is not planned any more stays as it is, and nobody takes it.
 * @param wasAhead the clock was seen to be set back; it is told by what is stored as well
 */
export async function planWork(
  database: Database,
  planned: readonly PlannedWork[],
  now: number,
  wasAhead = false,
): Promise<void> {
  const rows: DueRow[] = await database.reader('due').select('*');
  const known = new Map(rows.map((row) => [keyOf(row), row]));
  const isNew = planned.filter((work) => !known.has(keyOf(work)));
  const changed = planned.filter((work) => {
    const row = known.get(keyOf(work));
    return row !== undefined && row.schedule !== work.schedule;
  });
  if (isNew.length + changed.length > 0) await writePlans(database, isNew, changed, now);
  if (wasAhead || (await isFromLater(database, now))) await planAnew(database, planned, rows, now);
}

async function writePlans(
  database: Database,
  isNew: readonly PlannedWork[],
  changed: readonly PlannedWork[],
  now: number,
): Promise<void> {
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
        .andWhereNot({ schedule })
        .update({
          schedule,
          due_at: trx.raw('case when due_at <= ? or priority > 0 then due_at else ? end', [now, next]),
        });
    }
  });
}

/** Plans anew what was planned by a clock that was ahead, where a source tells that it was. */
export async function planAnewWhereAhead(
  database: Database,
  plan: () => readonly PlannedWork[],
  now: number,
): Promise<void> {
  if (!(await isFromLater(database, now))) return;
  await planAnew(database, plan(), await database.reader('due').select('*'), now);
}

const secondsOfDoubt = 60;

/**
 * Whether a source was harvested at a time that is yet to come: the clock was ahead, and what was planned by it lies as far ahead.
 */
async function isFromLater({ reader }: Database, now: number): Promise<boolean> {
  const from = addSeconds(toIso(new Date(now)), secondsOfDoubt);
  return (await reader('source').where('last_success_at', '>', from).first('id')) !== undefined;
}

/** Nothing is due later than at its next turn, and what somebody asked for is due now. */
async function planAnew(
  database: Database,
  planned: readonly PlannedWork[],
  rows: readonly DueRow[],
  now: number,
): Promise<void> {
  const dueAt = new Map(rows.map((row) => [keyOf(row), row.due_at ?? 0]));
  const late = planned.filter((work) => work.next !== undefined && (dueAt.get(keyOf(work)) ?? 0) > work.next);
  const isAsked = rows.some(({ priority, due_at }) => priority > 0 && (due_at ?? 0) > now);
  if (late.length === 0 && !isAsked) return;
  await database.transaction(async (trx) => {
    await trx('due').where('priority', '>', 0).andWhere('due_at', '>', now).update({ due_at: now });
    for (const { source, kind, schedule, next = now } of late)
      await trx('due')
        .where({ source, kind, schedule })
        .andWhere('due_at', '>', next)
        .update({ due_at: next });
  });
}

function keyOf({ source, kind }: DueWork): string {
  return `${kind} ${source}`;
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
