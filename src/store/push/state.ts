import type { Knex } from 'knex';
import type { Queryable } from '../engine/database.ts';
import { listPushCounts, type PushCount } from './counts.ts';

/** How those fare who want to be told; moments are milliseconds by the clock of the database. */
export interface PushState {
  readonly subscriptions: readonly {
    readonly kind: string;
    /** `active`: it got the last thing it was sent; `failing`: it did not. */
    readonly state: 'active' | 'failing';
    readonly count: number;
  }[];
  /** Still to be confirmed at their callbacks. */
  readonly pending: number;
  /** Since when the oldest notification waits that a subscriber without failures has still to get. */
  readonly waitingSince: number | undefined;
  /** The same of any subscriber. */
  readonly undeliveredSince: number | undefined;
  readonly notifications: number;
  /** What they take, as they are sent. */
  readonly bytes: number;
  readonly counted: readonly PushCount[];
}

/** @param now who has no lease any more is not counted */
export async function readPushState(db: Queryable, now: number): Promise<PushState> {
  const rows = (await db('push_subscription')
    .modify(isLiving, now)
    .select('kind', db.raw('case when attempts > 0 then 1 else 0 end as failing'))
    .count({ count: '*' })
    .groupBy('kind', 'failing')
    .orderBy(['kind', 'failing'])) as { kind: string; failing: number; count: number | string }[];
  const pending = await db('push_intent').whereNot({ mode: 'denied' }).count({ count: '*' }).first();
  const kept = await db('push_notification').count({ count: '*' }).sum({ bytes: 'bytes' }).first();
  return {
    subscriptions: rows.map(({ kind, failing, count }) => ({
      ...{ kind, state: failing ? 'failing' : 'active', count: Number(count) },
    })),
    pending: Number(pending?.count ?? 0),
    waitingSince: await oldestWaiting(db, now, false),
    undeliveredSince: await oldestWaiting(db, now, true),
    notifications: Number(kept?.count ?? 0),
    bytes: Number(kept?.bytes ?? 0),
    counted: await listPushCounts(db),
  };
}

/** Its lease has not ended. */
function isLiving(rows: Knex.QueryBuilder, now: number): void {
  rows.where((living) => living.whereNull('lease_until').orWhere('lease_until', '>', now));
}

async function oldestWaiting(db: Queryable, now: number, withFailing: boolean): Promise<number | undefined> {
  const row = (await db('push_notification as n')
    .join(
      db('push_subscription')
        .modify(isLiving, now)
        .modify((query) => {
          if (!withFailing) query.where('attempts', 0);
        })
        .select('topic_id')
        .min('sent_seq as sent_seq')
        .groupBy('topic_id')
        .as('slowest'),
      'slowest.topic_id',
      'n.topic_id',
    )
    .whereRaw('n.seq > slowest.sent_seq')
    .min('n.created_at as since')
    .first()) as { since: number | null } | undefined;
  return row?.since ?? undefined;
}
