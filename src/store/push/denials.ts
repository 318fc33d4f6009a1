import type { Knex } from 'knex';
import { hostOf } from '../../core/push/callback.ts';

/** Somebody's subscription has ended, and its callback is to be told so (WS-12). */
export interface Denial {
  readonly topicId: number;
  readonly callback: string;
  /** The address of the topic. */
  readonly topicUrl: string;
  readonly reason: string;
}

/** In the transaction of what is denied. */
export async function putDenial(
  trx: Knex.Transaction,
  { topicId, callback, topicUrl, reason }: Denial,
  now: number,
): Promise<void> {
  const row = {
    ...{ topic_id: topicId, callback, host: hostOf(callback), mode: 'denied', topic_url: topicUrl, reason },
    ...{ lease_seconds: 0, secret: null, client: null, token_hash: null },
    ...{ created_at: now, attempts: 0, due_at: now, holder: null, expires: null },
  };
  await trx('push_intent').insert(row).onConflict(['topic_id', 'callback']).merge();
}
