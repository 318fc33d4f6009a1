import { whereAnyOf } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';

/** A source in which something has happened that a set across sources had not taken up at a sequence of its own journal. */
export interface MovedSource {
  readonly id: number;
  readonly name: string;
  readonly removed_at: string | null;
  /** Where its journal stood then. */
  readonly place: number;
}

/**
 * The sources of a set that have moved on since the set's journal had come to a sequence, whether the set has taken that up
 * or not: what it costs grows with what has happened, not with the number of sources.
 * @param id of the set's journal
 */
export async function movedSince(db: Queryable, id: number, seq: number): Promise<readonly MovedSource[]> {
  const stepped = db('joint_step')
    .where({ joint_id: id })
    .where('seq', '>', seq)
    .groupBy('source_id')
    .select('source_id', db.raw('min(source_seq - changes) as place'))
    .as('stepped');
  const rows: (Omit<MovedSource, 'place'> & { place: number | string })[] = await db('joint_source as known')
    .join('source', 'source.id', 'known.source_id')
    .leftJoin(stepped, 'stepped.source_id', 'known.source_id')
    .where('known.joint_id', id)
    .whereRaw('(stepped.place is not null or source.journal_seq > known.seq)')
    .orderBy('source.id')
    .select(
      'source.id',
      'source.name',
      'source.removed_at',
      db.raw('coalesce(stepped.place, known.seq) as place'),
    );
  return rows.map((row) => ({ ...row, place: Number(row.place) }));
}

/**
 * What a part of the set's journal has of some of its sources, in their own sequences; at its ends perhaps more than that,
 * as what was taken up in one step is not divided.
 * @returns by the number of the source
 */
export async function placesWithin(
  db: Queryable,
  id: number,
  { afterSeq, seq }: { readonly afterSeq: number; readonly seq: number },
  sourceIds: readonly number[],
): Promise<ReadonlyMap<number, { readonly afterSeq: number; readonly seq: number }>> {
  if (sourceIds.length === 0) return new Map();
  const last: { seq: number | string } | undefined = await db('joint_step')
    .where({ joint_id: id })
    .where('seq', '>=', seq)
    .orderBy('seq')
    .first('seq');
  const rows: { source_id: number; first: number | string; last: number | string }[] = await db('joint_step')
    .where({ joint_id: id })
    .where('seq', '>', afterSeq)
    .modify((query) => whereAnyOf(query, 'source_id', sourceIds))
    .modify((query) => {
      if (last) query.where('seq', '<=', last.seq);
    })
    .groupBy('source_id')
    .select('source_id', db.raw('min(source_seq - changes) as first'), db.raw('max(source_seq) as last'));
  return new Map(
    rows.map(({ source_id, first, last }) => [source_id, { afterSeq: Number(first), seq: Number(last) }]),
  );
}

/**
 * The last that the set's journal has of sources whose rows are not there any more, behind a sequence: nobody can tell what
 * that was. 0: nothing.
 */
export async function lastOfGone(db: Queryable, id: number, afterSeq: number): Promise<number> {
  const row: { seq: number | string } | undefined = await db('joint_step as step')
    .leftJoin('joint_source as known', (on) =>
      on.on('known.joint_id', 'step.joint_id').andOn('known.source_id', 'step.source_id'),
    )
    .where('step.joint_id', id)
    .where('step.seq', '>', afterSeq)
    .whereNull('known.source_id')
    .orderBy('step.seq', 'desc')
    .first('step.seq');
  return Number(row?.seq ?? 0);
}

/** Where in the set's journal a change of one of its sources is; 0: it is older than the set. */
export async function placeInJoint(
  db: Queryable,
  id: number,
  sourceId: number,
  seq: number,
): Promise<number> {
  const row: { seq: number | string; source_seq: number | string; changes: number } | undefined = await db(
    'joint_step',
  )
    .where({ joint_id: id, source_id: sourceId })
    .where('source_seq', '>=', seq)
    .orderBy('seq')
    .first('seq', 'source_seq', 'changes');
  if (!row || seq <= Number(row.source_seq) - row.changes) return 0;
  return Number(row.seq) - (Number(row.source_seq) - seq);
}

/** Where the journal of a source stood when that of a set had come to a sequence; undefined: it was not in the set. */
export async function placeInSource(
  db: Queryable,
  id: number,
  sourceId: number,
  seq: number,
): Promise<number | undefined> {
  const row: { source_seq: number | string } | undefined = await db('joint_step')
    .where({ joint_id: id, source_id: sourceId })
    .where('seq', '<=', seq)
    .orderBy('seq', 'desc')
    .first('source_seq');
  return row && Number(row.source_seq);
}
