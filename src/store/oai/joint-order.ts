import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { later } from '../../core/datetime.ts';
import { jointSpecs } from '../../oai/sets/joint-set-spec.ts';
import { insertRows, whereAnyOf } from '../engine/bulk.ts';
import type { Database, Queryable } from '../engine/database.ts';
import { questionByKey } from '../engine/question.ts';
import { changesAfter, changesAtATime, isRecord } from './record-order.ts';
import { collectionsOfItems } from './stored-record.ts';

/**
 * The records of all sources in one order: that in which their changes were taken up, which is when they are dated. So the
 * order is that of the datestamps here, too, whatever the clocks of the sources say, and a commit that becomes visible late is
 * dated late.
 */
export interface JointState {
  readonly id: string;
  readonly seq: number;
  /** No later change is dated before this. ISO UTC seconds. */
  readonly at: string;
}

/** A source, and how far it has been taken up. */
export interface TakenSource {
  readonly sourceId: number;
  readonly source: string;
  readonly journalSeq: number;
  /** Of its journal; undefined: nothing of it ever was. */
  readonly seq: number | undefined;
  readonly isRemoved: boolean;
}

export async function readJoint(db: Queryable): Promise<JointState | undefined> {
  const [row] = await joint(db);
  return row && { id: row.journal_id, seq: Number(row.seq), at: row.at };
}

const joint = questionByKey<{ journal_id: string; seq: number | string; at: string }, []>(0, (db) =>
  db('oai_joint').where({ id: 1 }).select('journal_id', 'seq', 'at'),
);

/** Draws a line: what is taken up later is dated at or after `now`. @returns undefined: nothing was ever taken up */
export function advanceJoint(database: Database, now: string): Promise<JointState | undefined> {
  return database.transaction(async (trx) => {
    // Written first: it waits for whoever takes something up.
    await trx('oai_joint').where({ id: 1 }).where('at', '<', now).update({ at: now });
    return readJoint(trx);
  });
}

/** Of every source, in one query. */
export async function readTaken(db: Queryable): Promise<readonly TakenSource[]> {
  const rows: {
    id: number;
    name: string;
    journal_seq: number | string;
    removed_at: string | null;
    seq: number | string | null;
  }[] = await db('source')
    .leftJoin('oai_joint_source', 'oai_joint_source.source_id', 'source.id')
    .orderBy('source.id')
    .select('source.id', 'source.name', 'source.journal_seq', 'source.removed_at', 'oai_joint_source.seq');
  return rows.map(({ id, name, journal_seq, removed_at, seq }) => ({
    sourceId: id,
    source: name,
    journalSeq: Number(journal_seq),
    seq: seq === null ? undefined : Number(seq),
    isRemoved: removed_at !== null,
  }));
}

/** Makes sure that there is an order, also one of nothing. */
export async function beginJoint(database: Pick<Database, 'writer'>, now: string): Promise<void> {
  await database
    .writer('oai_joint')
    .insert({ id: 1, journal_id: randomUUID(), seq: 0, at: now })
    .onConflict('id')
    .ignore();
}

/**
 * Takes up the next changes of a source. One transaction with its place: of two that do the same, one does nothing.
 * @param now ISO; asked for when nobody can draw a line any more before it is committed
 * @returns whether there may be more
 */
export async function takeUpRecords(
  database: Database,
  { sourceId, source, journalSeq, seq: known }: TakenSource,
  now: () => string,
): Promise<boolean> {
  const seq = known ?? 0;
  const changes = await changesAfter(database.reader, sourceId, seq);
  const last = Number(changes.at(-1)?.seq ?? 0);
  const isAll = changes.length < changesAtATime;
  const next = isAll ? Math.max(last, journalSeq) : last;
  // Of a record that has changed again, its later change is taken up; until then it stays where it is.
  const latest = changes.filter(
    (change) => isRecord(change) && Number(change.seq) === Number(change.last_seq),
  );
  const collections = await collectionsOfItems(
    database.reader,
    sourceId,
    latest.map(({ item_id }) => Number(item_id)),
  );
  await database.transaction(async (trx) => {
    if (!(await trx('source').where({ id: sourceId }).first('id'))) return;
    const joint = await hold(trx);
    if (!joint) return;
    if (!(await moveOn(trx, sourceId, known, next))) return;
    await removeOfJoint(
      trx,
      sourceId,
      latest.map(({ resource_id }) => Number(resource_id)),
    );
    const at = later(now(), joint.at);
    await insertRows(
      trx,
      'oai_joint_record',
      latest.flatMap(({ item_id, format, resource_id }, index) =>
        jointSpecs(source, collections.get(Number(item_id)) ?? []).map((spec) => ({
          ...{ format, spec, seq: joint.seq + 1 + index, at },
          ...{ source_id: sourceId, resource_id: Number(resource_id) },
        })),
      ),
    );
    if (latest.length === 0) return;
    const reached = joint.seq + latest.length;
    await trx('oai_joint').where({ id: 1 }).update({ seq: reached, at });
    await trx('oai_joint_moment').insert({ at, seq: reached }).onConflict('at').merge();
  });
  return !isAll;
}

/** Whoever draws a line waits until this transaction is over. */
async function hold(trx: Knex.Transaction): Promise<JointState | undefined> {
  await trx('oai_joint')
    .where({ id: 1 })
    .update({ seq: trx.ref('seq') });
  return readJoint(trx);
}

async function moveOn(
  trx: Knex.Transaction,
  sourceId: number,
  from: number | undefined,
  to: number,
): Promise<boolean> {
  if (from !== undefined)
    return (await trx('oai_joint_source').where({ source_id: sourceId, seq: from }).update({ seq: to })) > 0;
  // The row of `oai_joint` is held: nobody adds it meanwhile.
  if (await trx('oai_joint_source').where({ source_id: sourceId }).first('seq')) return false;
  await trx('oai_joint_source').insert({ source_id: sourceId, seq: to });
  return true;
}

/** Forgets some records of a source that does not belong to it any more. @returns whether anything is left */
export function leaveJoint(database: Database, sourceId: number): Promise<boolean> {
  return database.transaction(async (trx) => {
    if ((await forgetSomeOfJoint(trx, sourceId)) > 0) return true;
    await trx('oai_joint_source').where({ source_id: sourceId }).delete();
    return false;
  });
}

/** Where there is no such repository any more, and nothing is left of it: tokens of before are refused then. */
export async function endJoint({ writer }: Pick<Database, 'writer'>): Promise<void> {
  await writer('oai_joint').delete();
  await writer('oai_joint_moment').delete();
}

/** @returns how many rows went */
export async function forgetSomeOfJoint(trx: Knex.Transaction, sourceId: number): Promise<number> {
  const rows: { resource_id: number }[] = await trx('oai_joint_record')
    .where({ source_id: sourceId })
    .limit(changesAtATime)
    .select('resource_id');
  await removeOfJoint(trx, sourceId, [...new Set(rows.map(({ resource_id }) => Number(resource_id)))]);
  return rows.length;
}

async function removeOfJoint(
  trx: Knex.Transaction,
  sourceId: number,
  resourceIds: readonly number[],
): Promise<void> {
  if (resourceIds.length === 0) return;
  await trx('oai_joint_record')
    .where({ source_id: sourceId })
    .modify((query) => whereAnyOf(query, 'resource_id', resourceIds))
    .delete();
}
