import type { Knex } from 'knex';
import { hostOf } from '../../core/push/callback.ts';
import { isPostgres } from '../engine/bulk.ts';
import type { Database, Queryable } from '../engine/database.ts';
import { countPush } from './counts.ts';
import { deliveryHoldMs } from './hold.ts';
import { putSubscription } from './subscriptions.ts';

/** What somebody asked for, to be confirmed at the callback before it is so; or what the callback is to be told. */
export interface NewIntent {
  readonly topicId: number;
  readonly mode: 'subscribe' | 'unsubscribe' | 'denied';
  readonly callback: string;
  /** The topic as it was asked for. */
  readonly topicUrl: string;
  readonly secret?: string | undefined;
  readonly leaseSeconds: number;
  readonly client?: string | undefined;
  readonly tokenHash?: string | undefined;
  /** Why it is denied. */
  readonly reason?: string | undefined;
}

export interface ClaimedIntent extends NewIntent {
  readonly id: number;
  readonly host: string;
  readonly attempts: number;
}

/** How many there may be, so that nobody makes us ask or call whom they like as often as they like. */
export interface PushLimits {
  /** That are still to be confirmed: of one address that asks, and at one host that is called back. */
  readonly intentsPerClient: number;
  readonly intentsPerHost: number;
  readonly intents: number;
  readonly subscriptionsPerHost: number;
  readonly subscriptionsPerTopic: number;
  readonly subscriptions: number;
}

const shortestRestMs = 5000;

export type LimitMet = 'client' | 'host' | 'topic' | 'all';

/**
 * What is asked for again takes the place of what was asked before; the subscription stays as it is until the callback has confirmed.
 * @returns which limit keeps it from being taken; undefined: it is there
 */
export async function putIntent(
  database: Database,
  intent: NewIntent,
  limits: PushLimits,
  now: number,
): Promise<LimitMet | undefined> {
  const { topicId, mode, callback, topicUrl, leaseSeconds } = intent;
  const host = hostOf(callback);
  return database.transaction(async (trx) => {
    // Written first: on SQLite this takes the lock.
    await trx('push_topic').where({ id: topicId }).update({ id: topicId });
    const known = await trx('push_intent').where({ topic_id: topicId, callback }).first('id', 'created_at');
    const met = await limitMet(trx, { ...intent, host }, limits, known !== undefined);
    if (met !== undefined) return met;
    const row = {
      ...{ topic_id: topicId, callback, host, mode, topic_url: topicUrl, lease_seconds: leaseSeconds },
      ...{ secret: intent.secret ?? null, client: intent.client ?? null },
      ...{ token_hash: intent.tokenHash ?? null, reason: intent.reason ?? null },
      ...{ attempts: 0, holder: null, expires: null },
      // However often it is asked for, the callback is not asked more often.
      due_at: Math.max(now, known ? Number(known.created_at) + shortestRestMs : now),
    };
    await trx('push_intent')
      .insert({ ...row, created_at: now })
      .onConflict(['topic_id', 'callback'])
      .merge(row);
    return undefined;
  });
}

async function limitMet(
  trx: Knex.Transaction,
  { topicId, client, mode, callback, host }: NewIntent & { readonly host: string },
  limits: PushLimits,
  isKnown: boolean,
): Promise<LimitMet | undefined> {
  const count = async (table: string, where: object) =>
    Number((await trx(table).where(where).count({ count: '*' }).first())?.count ?? 0);
  // What takes the place of another adds none.
  if (!isKnown) {
    if (client !== undefined && (await count('push_intent', { client })) >= limits.intentsPerClient)
      return 'client';
    if ((await count('push_intent', { host })) >= limits.intentsPerHost) return 'host';
    if ((await count('push_intent', {})) >= limits.intents) return 'all';
  }
  if (mode !== 'subscribe') return undefined;
  const renewed = await trx('push_subscription').where({ topic_id: topicId, callback }).first('id');
  if (renewed) return undefined;
  if ((await count('push_subscription', { host })) >= limits.subscriptionsPerHost) return 'host';
  if ((await count('push_subscription', { topic_id: topicId })) >= limits.subscriptionsPerTopic)
    return 'topic';
  return (await count('push_subscription', {})) >= limits.subscriptions ? 'all' : undefined;
}

interface IntentRow {
  readonly id: number;
  readonly topic_id: number;
  readonly mode: NewIntent['mode'];
  readonly callback: string;
  readonly host: string;
  readonly topic_url: string;
  readonly secret: string | null;
  readonly lease_seconds: number;
  readonly client: string | null;
  readonly token_hash: string | null;
  readonly reason: string | null;
  readonly attempts: number;
}

/** Takes what is due, the oldest first: no other process asks the same meanwhile. */
export async function claimIntents(
  database: Database,
  holder: string,
  { limit, exceptHosts = [] }: { readonly limit: number; readonly exceptHosts?: readonly string[] },
  now: number,
): Promise<readonly ClaimedIntent[]> {
  const due = (db: Queryable) =>
    db('push_intent')
      .where('due_at', '<=', now)
      .andWhere((free) => free.whereNull('holder').orWhere('expires', '<=', now))
      .modify((rows) => {
        if (exceptHosts.length > 0) rows.whereNotIn('host', [...exceptHosts]);
      });
  if (limit <= 0 || !(await due(database.reader).first('id'))) return [];
  return database.transaction(async (trx) => {
    const next = due(trx).orderBy(['due_at', 'id']).limit(limit).select('id');
    const rows: IntentRow[] = await trx('push_intent')
      .whereIn('id', isPostgres(trx) ? next.forUpdate().skipLocked() : next)
      .update({ holder, expires: now + deliveryHoldMs })
      .returning('*');
    return rows.map((row) => ({
      ...{ id: row.id, topicId: row.topic_id, mode: row.mode, callback: row.callback, host: row.host },
      ...{ topicUrl: row.topic_url, leaseSeconds: Number(row.lease_seconds), attempts: row.attempts },
      secret: row.secret ?? undefined,
      client: row.client ?? undefined,
      tokenHash: row.token_hash ?? undefined,
      reason: row.reason ?? undefined,
    }));
  });
}

export type IntentOutcome =
  /** The callback wants it; from now on it is so. */
  | { readonly kind: 'confirmed' }
  /** It does not, is at no public address, or nobody answered often enough: what was before stays. */
  | { readonly kind: 'over'; readonly counted: 'refused' | 'blocked' | 'unanswered' | 'told' }
  | { readonly kind: 'again'; readonly dueAt: number };

/**
 * @returns false where it is not ours any more: somebody has asked for something else meanwhile, or another process has it
 */
export function settleIntent(
  database: Database,
  holder: string,
  intent: ClaimedIntent,
  outcome: IntentOutcome,
  now: number,
): Promise<boolean> {
  const { id, topicId, callback, mode, secret, leaseSeconds, client, tokenHash } = intent;
  return database.transaction(async (trx) => {
    const own = trx('push_intent').where({ id, holder });
    if (outcome.kind === 'again') {
      const { dueAt } = outcome;
      const next = { due_at: dueAt, attempts: trx.raw('attempts + 1'), holder: null, expires: null };
      return (await own.update(next)) > 0;
    }
    if ((await own.delete()) === 0) return false;
    const isConfirmed = outcome.kind === 'confirmed';
    if (isConfirmed && mode === 'subscribe') {
      const leaseUntil = now + leaseSeconds * 1000;
      const wanted = { topicId, kind: 'websub', callback, secret, leaseUntil, client, tokenHash };
      const topic = await trx('push_topic').where({ id: topicId }).whereNull('ended_at').first('id');
      if (topic) await putSubscription(trx, wanted, now);
    }
    if (isConfirmed && mode === 'unsubscribe')
      await trx('push_subscription').where({ topic_id: topicId, kind: 'websub', callback }).delete();
    await countPush(trx, 'intent', isConfirmed ? `${mode}d` : outcome.counted);
    return true;
  });
}

/** Not begun: as it was before. */
export async function releaseIntents({ writer }: Database, holder: string): Promise<void> {
  await writer('push_intent').where({ holder }).update({ holder: null, expires: null });
}
