import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { addSeconds, later } from '../../core/datetime.ts';
import { insertRows, whereAnyOf } from '../engine/bulk.ts';
import type { Database, Queryable } from '../engine/database.ts';
import { forgetStepsOf } from './former-steps.ts';
import {
  beginJointAnew,
  holdJointJournal,
  type JointJournalRow,
  type JointStep,
  noteJointMoment,
} from './joint-journal.ts';

/** A set across sources, as far as its journal is concerned. */
export interface Joint {
  /** Of its journal. */
  readonly name: string;
  /** The names of its sources. */
  readonly members: ReadonlySet<string>;
}

export interface TakenUp {
  readonly changes: number;
  /** There is more, for the next second. */
  readonly isBehind: boolean;
  /** A source has left: the journal is another one now, whether anything has happened in the others or not. */
  readonly isAnew: boolean;
}

type Steps = Omit<TakenUp, 'isAnew'>;

/** A statement reads so many at most: small enough for a database to follow them one by one. */
export const changesInStep = 1_000;
/**
 * A source of millions that joins a set does not bring them all at one moment: one Change List has room for several of
 * these, and what happened elsewhere meanwhile stands between them.
 */
export const changesInSecond = 10_000;

/** What is committed in a source, and has not been taken up. */
interface News {
  readonly id: number;
  readonly name: string;
  readonly journal_seq: number;
  readonly journal_at: string;
  readonly first_pass_seq: number | null;
  readonly removed_at: string | null;
  /** Null: the source is not in the set yet. */
  readonly taken: number | null;
}

/**
 * Takes up what has happened in the sources of a set since it was done last: one transaction of a few statements, however
 * many sources there are. Several processes may do it at once, and each change is taken up once.
 *
 * What is committed and not taken up is found by comparing sequences, not times: a commit that becomes visible later than
 * one with a later time is taken up later, and dated then. The time of a change of the set is when it was taken up: never
 * before the journal's clock, and never before the time that the source gave it.
 * @param now ISO
 */
export async function takeUp(database: Database, joint: Joint, now: string): Promise<TakenUp> {
  return database.transaction(async (trx) => {
    const held = await holdJointJournal(trx, joint.name, now);
    const journal = await withMembers(trx, held, joint, now);
    const isAnew = journal.journal_id !== held.journal_id;
    const news = await readNews(trx, journal, joint);
    if (news.length === 0) return { changes: 0, isBehind: false, isAnew };
    const isFirst = journal.first_pass_seq === null;
    return { ...(await (isFirst ? begin : goOn)(trx, journal, news, now)), isAnew };
  });
}

/**
 * Sources that a set has taken up and that are none of its members any more, as its configuration has changed: they are out
 * of it with the next `takeUp`. What was removed says so itself, in its journal.
 * @param id of the set's journal
 */
export async function listLeaving(
  db: Queryable,
  id: number,
  { members }: Pick<Joint, 'members'>,
): Promise<readonly { readonly id: number; readonly name: string }[]> {
  const rows: { id: number; name: string; removed_at: string | null }[] = await db('joint_source')
    .join('source', 'source.id', 'joint_source.source_id')
    .where('joint_source.joint_id', id)
    .select('source.id', 'source.name', 'source.removed_at');
  return rows.filter(({ name, removed_at }) => removed_at === null && !members.has(name));
}

/** A source that is not a member any more leaves, and what the set was says nothing then. */
async function withMembers(
  trx: Knex.Transaction,
  journal: JointJournalRow,
  joint: Joint,
  now: string,
): Promise<JointJournalRow> {
  const digest = createHash('sha256')
    .update(JSON.stringify([...joint.members].sort()))
    .digest('hex')
    .slice(0, 32);
  if (digest === journal.members) return journal;
  const left = await listLeaving(trx, journal.id, joint);
  await trx('joint_journal').where({ id: journal.id }).update({ members: digest });
  const next = { ...journal, members: digest };
  if (left.length === 0) return next;
  const ids = left.map(({ id }) => id);
  await trx('joint_source')
    .where({ joint_id: journal.id })
    .modify((query) => whereAnyOf(query, 'source_id', ids))
    .delete();
  await forgetStepsOf(trx, journal, ids);
  return beginJointAnew(trx, next, now);
}

async function readNews(
  trx: Knex.Transaction,
  { id }: JointJournalRow,
  { members }: Joint,
): Promise<readonly News[]> {
  const rows: News[] = await trx('source')
    .leftJoin('joint_source', (on) =>
      on.on('joint_source.source_id', 'source.id').andOn('joint_source.joint_id', trx.raw('?', [id])),
    )
    .whereRaw('source.journal_seq > coalesce(joint_source.seq, 0)')
    .select(
      'source.id',
      'source.name',
      'source.journal_seq',
      'source.journal_at',
      'source.first_pass_seq',
      'source.removed_at',
      'joint_source.seq as taken',
    );
  const known = rows.filter(({ name, taken, removed_at }) =>
    taken === null ? removed_at === null && members.has(name) : members.has(name) || removed_at !== null,
  );
  const early = known.filter((row) => row.taken === null && row.first_pass_seq === null);
  if (early.length === 0) return known;
  const over = await withoutRunning(
    trx,
    early.map((row) => row.id),
  );
  return known.filter((row) => !early.includes(row) || over.has(row.id));
}

/** Half of a repository does not join as if it were the whole; where its first pass has failed, what there is does. */
async function withoutRunning(trx: Knex.Transaction, ids: readonly number[]): Promise<ReadonlySet<number>> {
  const latest = trx('run')
    .whereIn('mode', ['full', 'incremental'])
    .modify((query) => whereAnyOf(query, 'source_id', ids))
    .groupBy('source_id')
    .max('id');
  const rows: { source_id: number; state: string }[] = await trx('run')
    .whereIn('id', latest)
    .select('source_id', 'state');
  return new Set(rows.flatMap(({ source_id, state }) => (state === 'running' ? [] : [source_id])));
}

/** The set begins with its sources as they are: their pasts are in their own Change Lists. */
async function begin(
  trx: Knex.Transaction,
  journal: JointJournalRow,
  news: readonly News[],
  now: string,
): Promise<Steps> {
  const at = news.reduce((latest, row) => later(latest, row.journal_at), later(now, journal.journal_at));
  let seq = journal.journal_seq;
  const steps = news.map((row): JointStep => {
    seq += row.journal_seq;
    const { id: source_id, journal_seq: source_seq } = row;
    return { seq, source_id, source_seq, changes: source_seq, at };
  });
  await store(trx, journal, steps, { journal_at: at, second_seq: seq, first_pass_seq: seq, began_at: at });
  return { changes: seq - journal.journal_seq, isBehind: false };
}

async function goOn(
  trx: Knex.Transaction,
  journal: JointJournalRow,
  news: readonly News[],
  now: string,
): Promise<Steps> {
  const pending = ({ journal_seq, taken }: News) => journal_seq - (taken ?? 0);
  // A few changes of many do not wait for the many of one.
  const inOrder = [...news].sort((a, b) => pending(a) - pending(b) || a.id - b.id);
  let at = inOrder
    .slice(0, changesInSecond)
    .reduce((latest, row) => later(latest, row.journal_at), later(now, journal.journal_at));
  let room = changesInSecond;
  if (at === journal.journal_at) {
    room -= journal.journal_seq - journal.second_seq;
    // The machine's clock is behind: nobody waits until it has come here.
    if (room <= 0 && now < at) [at, room] = [addSeconds(at, 1), changesInSecond];
  }
  const steps: JointStep[] = [];
  let seq = journal.journal_seq;
  for (const row of inOrder) {
    let { taken } = row;
    for (taken ??= 0; taken < row.journal_seq && room > 0; ) {
      const changes = Math.min(changesInStep, row.journal_seq - taken, room);
      [taken, seq, room] = [taken + changes, seq + changes, room - changes];
      steps.push({ seq, source_id: row.id, source_seq: taken, changes, at });
    }
  }
  if (steps.length === 0) return { changes: 0, isBehind: true };
  const second_seq = at === journal.journal_at ? journal.second_seq : journal.journal_seq;
  await store(trx, journal, steps, { journal_at: at, second_seq });
  const all = news.reduce((sum, row) => sum + pending(row), 0);
  return { changes: seq - journal.journal_seq, isBehind: seq - journal.journal_seq < all };
}

async function store(
  trx: Knex.Transaction,
  { id, journal_seq: before }: JointJournalRow,
  steps: readonly JointStep[],
  state: Pick<JointJournalRow, 'journal_at' | 'second_seq'> &
    Partial<Pick<JointJournalRow, 'first_pass_seq' | 'began_at'>>,
): Promise<void> {
  const journal_seq = steps.at(-1)?.seq ?? before;
  const taken = new Map(steps.map(({ source_id, source_seq }) => [source_id, source_seq]));
  await insertRows(
    trx,
    'joint_step',
    steps.map((step) => ({ joint_id: id, ...step })),
  );
  await insertRows(
    trx,
    'joint_source',
    [...taken].map(([source_id, seq]) => ({ joint_id: id, source_id, seq })),
    { conflict: { columns: ['joint_id', 'source_id'], update: ['seq'] } },
  );
  await trx('joint_journal')
    .where({ id })
    .update({ ...state, journal_seq });
  await noteJointMoment(trx, { id, journal_at: state.journal_at, journal_seq });
}
