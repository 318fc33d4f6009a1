import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import type { ChangeKind } from '../../core/resource.ts';
import type { Database, Queryable } from '../engine/database.ts';
import {
  advanceJointJournal,
  isJoint,
  type JointJournalRow,
  readJointJournal,
  readJointJournals,
} from '../joint/joint-journal.ts';
import type { ChangeCounts } from '../plans/resource-changes.ts';

/** Where a source's journal stands, or that of a set across sources, which has a name with a `/`. */
export interface JournalState {
  /** Of a set across sources: the negative of its journal's number, which `moments.ts` and the functions here know. */
  readonly sourceId: number;
  /** Of this journal, and of no other of the same source in a database that was lost and made anew. */
  readonly id: string;
  /** Of the latest change; 0 while there is none. */
  readonly seq: number;
  /** No later change is dated before this, whatever the machine's clock does. */
  readonly at: string;
  /** The sequence at which the first complete pass over the source ended; undefined before. */
  readonly firstPassSeq: number | undefined;
  /** Of a set across sources: when this journal began; undefined where that was not kept. */
  readonly beganAt?: string | undefined;
}

interface JournalRow {
  readonly id: number;
  readonly journal_id: string | null;
  readonly journal_seq: number;
  readonly journal_at: string;
  readonly first_pass_seq: number | null;
  readonly began_at?: string | null;
}

/** Every journal, by name, in two queries. */
export async function readJournals(db: Queryable): Promise<ReadonlyMap<string, JournalState>> {
  const rows: (JournalRow & { name: string })[] = await db('source').select(
    'name',
    'id',
    'journal_id',
    'journal_seq',
    'journal_at',
    'first_pass_seq',
  );
  const joints = await readJointJournals(db);
  return new Map([
    ...rows.map((row): [string, JournalState] => [row.name, toState(row)]),
    ...joints.map((row): [string, JournalState] => [row.name, toJointState(row)]),
  ]);
}

/** A text that is another one as soon as any journal has moved: looking costs next to nothing. */
export async function markJournals(db: Queryable): Promise<string> {
  const row: object | undefined = await db('source')
    .count({ sources: '*' })
    .sum({ changes: 'journal_seq', passes: 'first_pass_seq' })
    .count({ passed: 'first_pass_seq' })
    .max({ at: 'journal_at' })
    .first();
  return JSON.stringify(row);
}

export async function readJournal(db: Queryable, source: string): Promise<JournalState | undefined> {
  if (isJoint(source)) {
    const joint = await readJointJournal(db, source);
    return joint && toJointState(joint);
  }
  const row: JournalRow | undefined = await db('source')
    .select('id', 'journal_id', 'journal_seq', 'journal_at', 'first_pass_seq')
    .where({ name: source })
    .first();
  return row && toState(row);
}

/** The same journal from now on under another name; nothing where somebody has done that already. */
export async function renameJournal(
  database: Database,
  { sourceId, id }: Pick<JournalState, 'sourceId' | 'id'>,
): Promise<void> {
  const { writer } = database;
  const journal =
    sourceId < 0
      ? writer('joint_journal').where({ id: -sourceId })
      : writer('source').where({ id: sourceId });
  await journal.where({ journal_id: id }).update({ journal_id: randomUUID() });
}

/**
 * Draws a line in a source's journal at `now` (or where the journal's clock already stands, if later):
 * every change committed so far is dated at or before it, every later one at or after it. A snapshot's `at`
 * and the closing of a Change List need this line, else a change in flight falls between two documents.
 */
export async function advanceJournal(database: Database, source: string, now: string): Promise<JournalState> {
  return database.transaction(async (trx) => {
    // The update comes first: it waits for a page that is being stored, and takes the lock.
    if (isJoint(source)) await advanceJointJournal(trx, source, now);
    else
      await trx('source').where({ name: source }).where('journal_at', '<', now).update({ journal_at: now });
    const state = await readJournal(trx, source);
    if (!state) throw new Error(`source ${source} is not in the database`);
    return state;
  });
}

/** When the latest change of a source happened. */
export async function momentOfLastChange(db: Queryable, source: string): Promise<string | undefined> {
  const journal = await readJournal(db, source);
  if (journal && journal.sourceId < 0) return (await jointMoments(db, journal.sourceId).first('at'))?.at;
  const row: { at: string } | undefined =
    journal && (await db('change').where({ source_id: journal.sourceId, seq: journal.seq }).first('at'));
  return row?.at;
}

/** When the change of this sequence happened, or the latest one before it. */
export async function momentOf(db: Queryable, sourceId: number, seq: number): Promise<string | undefined> {
  if (sourceId < 0) {
    const joint = await db('joint_moment')
      .where({ source_id: sourceId })
      .where('seq', '>=', seq)
      .orderBy('seq')
      .first('at');
    return joint?.at;
  }
  const row: { at: string } | undefined = await db('change')
    .where({ source_id: sourceId })
    .where('seq', '<=', seq)
    .orderBy('seq', 'desc')
    .first('at');
  return row?.at;
}

/**
 * The last sequence of a source's journal before `moment`, of those up to `last`. The journal is in the order of
 * time: a search by halves finds a moment in it without reading it.
 */
export async function lastSeqBefore(
  db: Queryable,
  sourceId: number,
  last: number,
  moment: string,
): Promise<number> {
  if (sourceId < 0) {
    const joint = await jointMoments(db, sourceId).where('at', '<', moment).first('seq');
    return Math.min(last, joint?.seq ?? 0);
  }
  let [before, after] = [0, last + 1];
  while (after - before > 1) {
    const seq = Math.floor((before + after) / 2);
    const row: { at: string } | undefined = await db('change')
      .select('at')
      .where({ source_id: sourceId, seq })
      .first();
    if (row && row.at >= moment) after = seq;
    else before = seq;
  }
  return before;
}

/** When the first complete pass over a source had stored everything; undefined while there was none. */
export async function firstPassAt(
  db: Queryable,
  { sourceId, firstPassSeq, beganAt }: Pick<JournalState, 'sourceId' | 'firstPassSeq' | 'beganAt'>,
): Promise<string | undefined> {
  if (firstPassSeq === undefined) return undefined;
  if (beganAt !== undefined) return beganAt;
  if (sourceId < 0) {
    // What was taken up in the second in which it began is part of its first moment.
    const began = await jointMoments(db, sourceId).where({ seq: firstPassSeq }).first('at');
    return (
      began ?? (await jointMoments(db, sourceId).where('seq', '>', firstPassSeq).min('at as at').first())
    )?.at;
  }
  const row: { at: string } | undefined = await db('change')
    .where({ source_id: sourceId, seq: Math.max(1, firstPassSeq) })
    .first('at');
  return row?.at;
}

/** What has happened in a source since its journal had come to a sequence. */
export async function countChangesAfter(db: Queryable, sourceId: number, seq: number): Promise<ChangeCounts> {
  const rows: { kind: ChangeKind; count: number | string }[] = await db('change')
    .select('kind')
    .count({ count: '*' })
    .where({ source_id: sourceId })
    .where('seq', '>', seq)
    .groupBy('kind');
  const of = (kind: ChangeKind) => Number(rows.find((change) => change.kind === kind)?.count ?? 0);
  return { created: of('created'), updated: of('updated'), deleted: of('deleted') };
}

/** Of a set across sources, the latest first. */
function jointMoments(db: Queryable, sourceId: number): Knex.QueryBuilder<{ at: string; seq: number }> {
  return db('joint_moment').where({ source_id: sourceId }).orderBy('at', 'desc');
}

function toJointState({ id, ...row }: JointJournalRow): JournalState {
  return toState({ id: -id, ...row });
}

function toState(row: JournalRow): JournalState {
  return {
    sourceId: row.id,
    id: row.journal_id ?? '',
    seq: row.journal_seq,
    at: row.journal_at,
    firstPassSeq: row.first_pass_seq ?? undefined,
    beganAt: row.began_at ?? undefined,
  };
}
