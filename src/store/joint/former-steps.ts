import type { Knex } from 'knex';
import type { Database } from '../engine/database.ts';
import { holdJointJournal, type JointJournalRow, readJointJournal } from './joint-journal.ts';

/** Each has at most as many changes as are taken up in a second. */
const momentsAtATime = 50;

/**
 * Where a set has begun anew, nobody asks any more for the order of what was before: of that, only how far each source had
 * been taken up says something. The rest goes, a few moments with each call; the oldest moment that is left says how far
 * that has come, so that whoever is interrupted continues.
 * @returns whether something went; there may be more then
 */
export async function forgetFormerSteps(database: Database, name: string, now: string): Promise<boolean> {
  const journal = await readJointJournal(database.reader, name);
  if (!journal || (await formerMoments(database.reader, journal)).length === 0) return false;
  return database.transaction(async (trx) => {
    const held = await holdJointJournal(trx, name, now);
    const moments = await formerMoments(trx, held);
    const last = moments.at(-1);
    if (!last) return false;
    await forgetSteps(trx, held, last.seq);
    await trx('joint_moment').where({ source_id: -held.id }).where('at', '<=', last.at).delete();
    return true;
  });
}

/** All steps of sources that leave: should one of them come back, it begins with nothing. */
export async function forgetStepsOf(
  trx: Knex.Transaction,
  { id }: Pick<JointJournalRow, 'id'>,
  sourceIds: readonly number[],
): Promise<void> {
  for (const source_id of sourceIds) await trx('joint_step').where({ joint_id: id, source_id }).delete();
}

/** Oldest first. The last of them stays: `lastSeqBefore` asks for it. */
async function formerMoments(
  db: Database['reader'] | Knex.Transaction,
  { id, first_pass_seq }: JointJournalRow,
): Promise<readonly { readonly at: string; readonly seq: number }[]> {
  if (first_pass_seq === null) return [];
  const oldest: { at: string; seq: number | string }[] = await db('joint_moment')
    .where({ source_id: -id })
    .orderBy('at')
    .limit(momentsAtATime + 1)
    .select('at', 'seq');
  const former = oldest.filter(({ seq }) => Number(seq) < first_pass_seq);
  return former.slice(0, -1).map(({ at, seq }) => ({ at, seq: Number(seq) }));
}

/** Up to `upToSeq`, but the last of each source that is in the set. */
async function forgetSteps(trx: Knex.Transaction, journal: JointJournalRow, upToSeq: number): Promise<void> {
  const { id, first_pass_seq } = journal;
  await trx('joint_step')
    .where({ joint_id: id })
    .where('seq', '<=', upToSeq)
    .whereRaw(
      `(exists (select 1 from joint_step as later where later.joint_id = joint_step.joint_id
          and later.source_id = joint_step.source_id and later.seq > joint_step.seq and later.seq <= ?)
        or not exists (select 1 from joint_source as known where known.joint_id = joint_step.joint_id
          and known.source_id = joint_step.source_id))`,
      [first_pass_seq],
    )
    .delete();
}
