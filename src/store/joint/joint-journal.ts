import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { addSeconds, later } from '../../core/datetime.ts';
import { insertRows } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';

/**
 * The journal of a set across sources: in which order it took up what happened in them (`take-up.ts`), and when. One order
 * of time, though the sources have a clock and a sequence each, and are written by several processes at once.
 */
export interface JointJournalRow {
  readonly id: number;
  readonly name: string;
  readonly journal_id: string;
  readonly journal_seq: number;
  readonly journal_at: string;
  readonly first_pass_seq: number | null;
  readonly second_seq: number;
  readonly members: string;
  /** Null: before this was kept. */
  readonly began_at: string | null;
}

/** Some changes of one source that follow one another, as the set took them up. */
export interface JointStep {
  /** Of the last of them, in the journal of the set. */
  readonly seq: number;
  readonly source_id: number;
  /** The same change in the journal of its source. */
  readonly source_seq: number;
  readonly changes: number;
  readonly at: string;
}

/** No source has a `/` in its name. */
export function isJoint(name: string): boolean {
  return name.includes('/');
}

export async function readJointJournal(db: Queryable, name: string): Promise<JointJournalRow | undefined> {
  return db('joint_journal').where({ name }).first('*');
}

export function readJointJournals(db: Queryable): Promise<readonly JointJournalRow[]> {
  return db('joint_journal').select('*');
}

/** In a transaction that holds the row of the journal from here on; made where there is none. */
export async function holdJointJournal(
  trx: Knex.Transaction,
  name: string,
  now: string,
): Promise<JointJournalRow> {
  const held = await trx('joint_journal').where({ name }).update({ name });
  if (held === 0) {
    const row = { name, journal_id: randomUUID(), journal_at: now };
    await insertRows(trx, 'joint_journal', [row], { conflict: { columns: ['name'], update: ['name'] } });
  }
  const row = await readJointJournal(trx, name);
  if (!row) throw new Error(`the journal of ${name} has vanished`);
  return row;
}

/** No later change is dated before `now`. */
export async function advanceJointJournal(trx: Knex.Transaction, name: string, now: string): Promise<void> {
  await trx('joint_journal')
    .where({ name })
    .where('journal_at', '<', now)
    .update({ journal_at: now, second_seq: trx.ref('journal_seq') });
}

/**
 * From here on it is another journal: what was published from it says nothing any more, and the Change Lists begin now.
 * @returns the row as it is then
 */
export async function beginJointAnew(
  trx: Knex.Transaction,
  row: JointJournalRow,
  now: string,
): Promise<JointJournalRow> {
  const at = later(now, addSeconds(row.journal_at, 1));
  const next = {
    ...row,
    journal_id: randomUUID(),
    journal_at: at,
    first_pass_seq: row.journal_seq,
    second_seq: row.journal_seq,
    began_at: at,
  };
  await trx('joint_journal').where({ id: row.id }).update(next);
  await noteJointMoment(trx, next);
  return next;
}

export async function noteJointMoment(
  trx: Knex.Transaction,
  { id, journal_at, journal_seq }: Pick<JointJournalRow, 'id' | 'journal_at' | 'journal_seq'>,
): Promise<void> {
  await insertRows(trx, 'joint_moment', [{ source_id: -id, at: journal_at, seq: journal_seq }], {
    conflict: { columns: ['source_id', 'at'], update: ['seq'] },
  });
}

/** Oldest first. @param afterSeq exclusive */
export function listJointSteps(
  db: Queryable,
  id: number,
  afterSeq: number,
  limit: number,
): Promise<readonly JointStep[]> {
  return db('joint_step')
    .select('seq', 'source_id', 'source_seq', 'changes', 'at')
    .where({ joint_id: id })
    .where('seq', '>', afterSeq)
    .orderBy('seq')
    .limit(limit);
}

/** How far each source had been taken up when the set's journal had come to a sequence, by the number of the source. */
export async function jointPlaces(
  db: Queryable,
  id: number,
  seq: number,
): Promise<ReadonlyMap<number, number>> {
  const rows: { source_id: number; place: number | string | null }[] = await db('joint_source')
    .where({ joint_id: id })
    .select(
      'source_id',
      db('joint_step as step')
        .whereRaw('step.joint_id = joint_source.joint_id and step.source_id = joint_source.source_id')
        .where('step.seq', '<=', seq)
        .max('step.source_seq')
        .as('place'),
    );
  return new Map(
    rows.flatMap(({ source_id, place }) => (place === null ? [] : [[source_id, Number(place)]])),
  );
}

/** The sources that a set has taken up. */
export async function listJointSources(
  db: Queryable,
  id: number,
): Promise<readonly { readonly id: number; readonly name: string }[]> {
  return db('joint_source')
    .join('source', 'source.id', 'joint_source.source_id')
    .where('joint_source.joint_id', id)
    .orderBy('source.name')
    .select('source.id', 'source.name');
}
