import type { Queryable } from '../engine/database.ts';

/** The first change of a journal that is not published. */
export interface Unpublished {
  /** `JournalState.sourceId`: negative of a set across sources. */
  readonly sourceId: number;
  readonly seq: number;
}

const atATime = 100;

/** When these changes happened, by `keyOf`; of those whose rows are not kept any more nothing is known. */
export async function datesOfChanges(
  db: Queryable,
  changes: readonly Unpublished[],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const own = changes.filter(({ sourceId }) => sourceId > 0);
  for (let from = 0; from < own.length; from += atATime) {
    const pairs = own.slice(from, from + atATime).map(({ sourceId, seq }) => [sourceId, seq]);
    const rows: { source_id: number; seq: number; at: string }[] = await db('change')
      .whereIn(['source_id', 'seq'], pairs)
      .select('source_id', 'seq', 'at');
    for (const { source_id: sourceId, seq, at } of rows) found.set(keyOf({ sourceId, seq }), at);
  }
  for (const change of changes.filter(({ sourceId }) => sourceId < 0)) {
    const row: { at: string } | undefined = await db('joint_step')
      .where({ joint_id: -change.sourceId })
      .where('seq', '>=', change.seq)
      .orderBy('seq')
      .first('at');
    if (row) found.set(keyOf(change), row.at);
  }
  return found;
}

export function keyOf({ sourceId, seq }: Unpublished): string {
  return `${sourceId} ${seq}`;
}
