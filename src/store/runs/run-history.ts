import { batches } from '../engine/batches.ts';
import type { Database, Queryable } from '../engine/database.ts';

/** How long runs stay in the history; ISO moments before which they go. */
export interface HistoryLimits {
  readonly before: string;
  /** Of those that found nothing new and met no problem. */
  readonly idleBefore: string;
}

const runsAtATime = 500;

/**
 * Forgets runs of old, and their problems. What something else refers to stays: of each kind the latest run of a
 * source, its latest looks at everything, and every run that a suspicion or an unreadable record names.
 * @returns how many were forgotten
 */
export async function pruneRuns(
  database: Database,
  limits: HistoryLimits,
  signal: AbortSignal,
): Promise<number> {
  const sources: { id: number }[] = await database.reader('source').select('id').orderBy('id');
  let pruned = 0;
  for (const { id } of sources) {
    if (signal.aborted) break;
    const kept = await keptRuns(database.reader, id);
    const rows: { id: number }[] = await database
      .reader('run')
      .select('id')
      .where({ source_id: id })
      .whereNot({ state: 'running' })
      .where((old) =>
        old
          .where('started_at', '<', limits.before)
          .orWhere((idle) =>
            idle
              .where('started_at', '<', limits.idleBefore)
              .where({ state: 'succeeded', created: 0, updated: 0, deleted: 0, problems: 0 }),
          ),
      )
      .orderBy('id');
    const ids = rows.map((row) => row.id).filter((run) => !kept.has(run));
    for (const some of batches(ids, runsAtATime)) {
      await database.transaction(async (trx) => {
        await trx('problem').whereIn('run_id', some).delete();
        await trx('run').whereIn('id', some).delete();
      });
    }
    pruned += ids.length;
  }
  return pruned;
}

async function keptRuns(db: Queryable, sourceId: number): Promise<ReadonlySet<number>> {
  const own = () => db('run').where({ source_id: sourceId });
  const latest: { id: number }[] = await own().max({ id: 'id' }).groupBy('mode');
  const whole: { id: number }[] = await own()
    .select('id')
    .whereIn('mode', ['full', 'identifiers'])
    .whereIn('state', ['succeeded', 'needs-attention'])
    .orderBy('id', 'desc')
    .limit(4);
  const named = await Promise.all(
    ['vanished', 'unread_part', 'unreadable'].map(
      (table): Promise<{ id: number }[]> =>
        db(table).distinct({ id: 'run_id' }).where({ source_id: sourceId }),
    ),
  );
  return new Set([...latest, ...whole, ...named.flat()].map(({ id }) => Number(id)));
}
