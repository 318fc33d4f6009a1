import type { Queryable } from '../engine/database.ts';

/** Records that could not be read for the same reason. */
export interface Cause {
  readonly code: string;
  readonly message: string;
  readonly count: number;
  readonly lastSeenAt: string;
}

/** The most frequent ones first. */
export async function listCauses(db: Queryable, sourceId: number, limit: number): Promise<readonly Cause[]> {
  const rows: CauseRow[] = await db('unreadable')
    .where({ source_id: sourceId })
    .groupBy('code', 'message')
    .select('code', 'message', db.raw('count(*) as records'), db.raw('max(last_at) as last_at'))
    .orderBy([{ column: 'records', order: 'desc' }, 'code', 'message'])
    .limit(limit);
  return rows.map(({ code, message, records, last_at: lastSeenAt }) => ({
    code,
    message,
    count: Number(records),
    lastSeenAt,
  }));
}

interface CauseRow {
  readonly code: string;
  readonly message: string;
  readonly records: number | string;
  readonly last_at: string;
}
