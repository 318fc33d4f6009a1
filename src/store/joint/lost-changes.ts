import type { Knex } from 'knex';
import type { Database } from '../engine/database.ts';
import { beginJointAnew, holdJointJournal, type JointJournalRow } from './joint-journal.ts';

/**
 * The rows of a source are about to go. A set that has not taken up all of it cannot tell its followers any more what was
 * deleted: it begins anew.
 */
export async function leaveJoints(trx: Knex.Transaction, sourceId: number, now: string): Promise<void> {
  const rows: Pick<JointJournalRow, 'name'>[] = await trx('joint_source')
    .join('source', 'source.id', 'joint_source.source_id')
    .join('joint_journal', 'joint_journal.id', 'joint_source.joint_id')
    .where('joint_source.source_id', sourceId)
    .whereRaw('joint_source.seq < source.journal_seq')
    .select('joint_journal.name');
  for (const { name } of rows) await beginJointAnew(trx, await holdJointJournal(trx, name, now), now);
  await trx('joint_source').where({ source_id: sourceId }).delete();
}

/**
 * A set that had taken up what has gone since, but not published it, begins anew, too.
 * @param publishedSeq up to where its Change Lists have come
 */
export async function mendLost(
  database: Database,
  { name, id }: Pick<JointJournalRow, 'name' | 'id'>,
  publishedSeq: number,
  now: string,
): Promise<boolean> {
  const lost: object | undefined = await database
    .reader('joint_step as step')
    .leftJoin('joint_source as known', (on) =>
      on.on('known.joint_id', 'step.joint_id').andOn('known.source_id', 'step.source_id'),
    )
    .where('step.joint_id', id)
    .where('step.seq', '>', publishedSeq)
    .whereNull('known.source_id')
    .first('step.seq');
  if (lost === undefined) return false;
  await database.transaction(async (trx) => {
    await beginJointAnew(trx, await holdJointJournal(trx, name, now), now);
  });
  return true;
}
