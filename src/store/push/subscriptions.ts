import type { Knex } from 'knex';
import { hostOf } from '../../core/push/callback.ts';
import type { Database, Queryable } from '../engine/database.ts';

/** How it is told: as WebSub has it, by a plain signed call, or by whatever else there is a sender for. */
export type SubscriptionKind = 'websub' | 'webhook' | (string & {});

export interface NewSubscription {
  readonly topicId: number;
  readonly kind: SubscriptionKind;
  readonly callback: string;
  readonly secret?: string | undefined;
  readonly leaseUntil?: number | undefined;
  /** The address that asked for it; undefined: the operator did. */
  readonly client?: string | undefined;
  /** Of the token that opened a private topic. */
  readonly tokenHash?: string | undefined;
  /** For people. */
  readonly label?: string | undefined;
}

/** What people are told of one: never its secret, nor who asked. */
export interface ListedSubscription {
  readonly id: number;
  readonly topic: string;
  readonly kind: SubscriptionKind;
  readonly callback: string;
  readonly host: string;
  readonly label: string | undefined;
  readonly hasSecret: boolean;
  readonly createdAt: number;
  readonly leaseUntil: number | undefined;
  /** Notifications that it has still to get. */
  readonly behind: number;
  readonly attempts: number;
  readonly dueAt: number | undefined;
  readonly deliveredAt: number | undefined;
  readonly failedAt: number | undefined;
  readonly reason: string | undefined;
}

interface SubscriptionRow {
  readonly id: number;
  readonly topic: string;
  readonly topic_seq: number;
  readonly kind: string;
  readonly callback: string;
  readonly host: string;
  readonly label: string | null;
  readonly secret: string | null;
  readonly created_at: number;
  readonly lease_until: number | null;
  readonly sent_seq: number;
  readonly attempts: number;
  readonly due_at: number | null;
  readonly delivered_at: number | null;
  readonly failed_at: number | null;
  readonly reason: string | null;
}

/**
 * It gets what is told from now on. One that there is already keeps its place in the queue, and gets what is new: secret, lease, token.
 * @returns its number
 */
export async function putSubscription(
  trx: Knex.Transaction,
  { topicId, kind, callback, ...wanted }: NewSubscription,
  now: number,
): Promise<number> {
  const changing = {
    host: hostOf(callback),
    secret: wanted.secret ?? null,
    lease_until: wanted.leaseUntil ?? null,
    token_hash: wanted.tokenHash ?? null,
    client: wanted.client ?? null,
    label: wanted.label ?? null,
  };
  // Held, so that nothing is told between this and the commit that is not for it.
  const [topic]: { seq: number }[] = await trx('push_topic')
    .where({ id: topicId })
    .update({ id: topicId })
    .returning('seq');
  if (!topic) throw new Error(`topic ${topicId} is not in the database`);
  const [row]: { id: number }[] = await trx('push_subscription')
    .insert({
      ...{ topic_id: topicId, kind, callback, ...changing },
      ...{ created_at: now, sent_seq: topic.seq },
    })
    .onConflict(['topic_id', 'kind', 'callback'])
    // Who has just said that it is there is not waited for any longer.
    .merge({ ...changing, attempts: 0, due_at: null })
    .returning('id');
  if (!row) throw new Error('a subscription was not written');
  return row.id;
}

export async function removeSubscription(trx: Knex.Transaction, id: number): Promise<boolean> {
  return (await trx('push_subscription').where({ id }).delete()) > 0;
}

export async function removeByCallback(
  trx: Knex.Transaction,
  { topicId, kind, callback }: Pick<NewSubscription, 'topicId' | 'kind' | 'callback'>,
): Promise<boolean> {
  return (await trx('push_subscription').where({ topic_id: topicId, kind, callback }).delete()) > 0;
}

export interface SubscriptionChoice {
  readonly topic?: string | undefined;
  /** Of one of these. */
  readonly topicIds?: readonly number[] | undefined;
  readonly kind?: SubscriptionKind | undefined;
  /** Those behind this one. */
  readonly after?: number | undefined;
  readonly limit?: number | undefined;
}

/** In the order in which they were made. */
export async function listSubscriptions(
  db: Queryable,
  { topic, topicIds, kind, after = 0, limit = 1000 }: SubscriptionChoice = {},
): Promise<readonly ListedSubscription[]> {
  const rows: SubscriptionRow[] = await withTopic(db)
    .where('s.id', '>', after)
    .modify((query) => {
      if (topic !== undefined) query.where('t.name', topic);
      if (topicIds !== undefined) query.whereIn('t.id', topicIds);
      if (kind !== undefined) query.where('s.kind', kind);
    })
    .orderBy('s.id')
    .limit(limit);
  return rows.map(toListed);
}

export async function findSubscription(db: Queryable, id: number): Promise<ListedSubscription | undefined> {
  const row: SubscriptionRow | undefined = await withTopic(db).where('s.id', id).first();
  return row && toListed(row);
}

/** Whether anybody wants to be told, or is still to be asked whether they do. */
export async function hasSubscribers(db: Queryable): Promise<boolean> {
  for (const table of ['push_subscription', 'push_intent']) if (await db(table).first('id')) return true;
  return false;
}

/** Who subscribes again so soon after the end of its lease keeps its place in the queue. */
const graceMs = 600_000;

/** Those whose leases ended a while ago; nothing was sent to them since. @returns how many there were */
export async function removeExpired(database: Database, now: number): Promise<number> {
  const isOver = (rows: Knex.QueryBuilder) => rows.where('lease_until', '<=', now - graceMs);
  if (!(await database.reader('push_subscription').modify(isOver).first('id'))) return 0;
  return database.writer('push_subscription').modify(isOver).delete();
}

function withTopic(db: Queryable): Knex.QueryBuilder {
  return db('push_subscription as s')
    .join('push_topic as t', 't.id', 's.topic_id')
    .select('s.*', 't.name as topic', 't.seq as topic_seq');
}

function toListed(row: SubscriptionRow): ListedSubscription {
  return {
    ...{ id: row.id, topic: row.topic, kind: row.kind, callback: row.callback, host: row.host },
    label: row.label ?? undefined,
    hasSecret: row.secret !== null,
    createdAt: row.created_at,
    leaseUntil: row.lease_until ?? undefined,
    behind: Math.max(0, row.topic_seq - row.sent_seq),
    attempts: row.attempts,
    dueAt: row.due_at ?? undefined,
    deliveredAt: row.delivered_at ?? undefined,
    failedAt: row.failed_at ?? undefined,
    reason: row.reason ?? undefined,
  };
}

export interface WantedTopic {
  readonly name: string;
  /** Whether any subscription to it is to have JSON. */
  readonly withJson: boolean;
}

/** Topics that somebody has subscribed to, by their ids; those that have ended, too: webhooks wait for them to begin again. */
export async function listWantedTopics(db: Queryable): Promise<ReadonlyMap<number, WantedTopic>> {
  const rows: { topic_id: number; kind: string; name: string }[] = await db('push_subscription as s')
    .join('push_topic as t', 't.id', 's.topic_id')
    .distinct('s.topic_id', 's.kind', 't.name');
  const wanted = new Map<number, WantedTopic>();
  for (const { topic_id: id, kind, name } of rows)
    wanted.set(id, { name, withJson: kind === 'webhook' || wanted.get(id)?.withJson === true });
  return wanted;
}

/** What is needed to send something there; not for people. */
export async function readAddress(
  db: Queryable,
  id: number,
): Promise<{ readonly sentSeq: number; readonly secret: string | undefined } | undefined> {
  const row: { secret: string | null; sent_seq: number } | undefined = await db('push_subscription')
    .where({ id })
    .first('secret', 'sent_seq');
  return row && { secret: row.secret ?? undefined, sentSeq: row.sent_seq };
}
