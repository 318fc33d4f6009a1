import type { Knex } from 'knex';
import type { Queryable } from '../engine/database.ts';

/** Since the database was made. */
export interface PushCount {
  /** `websub`, `webhook` or another kind of subscription; `intent`: what was to be confirmed. */
  readonly what: string;
  readonly outcome: string;
  readonly count: number;
}

export async function listPushCounts(db: Queryable): Promise<readonly PushCount[]> {
  const rows: { what: string; outcome: string; count: number | string }[] = await db('push_count')
    .orderBy(['what', 'outcome'])
    .select('what', 'outcome', 'count');
  return rows.map((row) => ({ ...row, count: Number(row.count) }));
}

export async function countPush(
  trx: Knex.Transaction,
  what: string,
  outcome: string,
  count = 1,
): Promise<void> {
  await trx('push_count')
    .insert({ what, outcome, count })
    .onConflict(['what', 'outcome'])
    .merge({ count: trx.raw('push_count.count + ?', [count]) });
}
