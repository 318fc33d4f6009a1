import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Knex } from 'knex';
import type { Database, Queryable } from '../engine/database.ts';

/** What is told at once, as it goes over the wire. */
export interface NewNotification {
  readonly mediaType: string;
  readonly content: Buffer;
  /** The same for webhooks; undefined: it is nothing for them. */
  readonly json?: Buffer | undefined;
  /** How many things it tells of. */
  readonly entries: number;
  /** The time that it is about (ISO). */
  readonly from?: string | undefined;
  readonly until?: string | undefined;
  /** What was told before may be gone: it is not to be told any more. */
  readonly hasDeletions?: boolean | undefined;
}

export interface Notification extends NewNotification {
  /** Its number in its topic, one more than that of the one before. */
  readonly seq: number;
  readonly createdAt: number;
}

interface NotificationRow {
  readonly seq: number;
  readonly media_type: string;
  readonly data: Buffer;
  readonly json_data: Buffer | null;
  readonly entries: number;
  readonly from_at: string | null;
  readonly until_at: string | null;
  readonly has_deletions: boolean | number;
  readonly created_at: number;
}

/** What outlives its topic's subscribers is of no use to anybody. */
export interface Retention {
  /** What is older is not told any more. */
  readonly milliseconds: number;
  /** Of each topic so many stay. */
  readonly count: number;
  /** What was told before a deletion is told for so long. */
  readonly untoldMilliseconds: number;
}

/**
 * In the transaction of what it tells: either both are there, or neither. The topic is held (`holdTopic`).
 * @returns its number
 */
export async function putNotification(
  trx: Knex.Transaction,
  topicId: number,
  { mediaType, content, json, entries, from, until, hasDeletions = false }: NewNotification,
  now: number,
): Promise<number> {
  const [row]: { seq: number }[] = await trx('push_topic')
    .where({ id: topicId })
    .update({ seq: trx.raw('seq + 1') })
    .returning('seq');
  if (!row) throw new Error(`topic ${topicId} is not in the database`);
  await trx('push_notification').insert({
    ...{ topic_id: topicId, seq: row.seq, media_type: mediaType, entries },
    data: deflateRawSync(content, { level: 3 }),
    json_data: json ? deflateRawSync(json, { level: 3 }) : null,
    ...{ bytes: content.byteLength, from_at: from ?? null, until_at: until ?? null },
    ...{ has_deletions: hasDeletions, created_at: now },
  });
  return row.seq;
}

/** The first behind this one that is there; what lies between is not told any more. */
export async function nextNotification(
  db: Queryable,
  topicId: number,
  afterSeq: number,
): Promise<Notification | undefined> {
  const row: NotificationRow | undefined = await db('push_notification')
    .where({ topic_id: topicId })
    .where('seq', '>', afterSeq)
    .orderBy('seq')
    .first('*');
  return row && toNotification(row);
}

export async function latestNotification(db: Queryable, topicId: number): Promise<Notification | undefined> {
  const row: NotificationRow | undefined = await db('push_notification')
    .where({ topic_id: topicId })
    .orderBy('seq', 'desc')
    .first('*');
  return row && toNotification(row);
}

/** The latest of each topic stays: it is what there is at the address of the topic. */
export async function pruneNotifications(
  database: Database,
  { milliseconds, count, untoldMilliseconds }: Retention,
  now: number,
): Promise<void> {
  const topics: { id: number; seq: number }[] = await database
    .reader('push_topic')
    .where('seq', '>', 0)
    .select('id', 'seq');
  for (const { id, seq } of topics) {
    const before = await firstKept(
      database.reader,
      { id, seq },
      { milliseconds, count, untoldMilliseconds },
      now,
    );
    const isOld = (rows: Knex.QueryBuilder) => rows.where({ topic_id: id }).where('seq', '<', before);
    const old = await database.reader('push_notification').modify(isOld).first('seq');
    if (old) await database.writer('push_notification').modify(isOld).delete();
  }
}

async function firstKept(
  db: Queryable,
  { id, seq }: { readonly id: number; readonly seq: number },
  { milliseconds, count, untoldMilliseconds }: Retention,
  now: number,
): Promise<number> {
  const old = await maxSeq(db, id, (rows) => rows.where('created_at', '<', now - milliseconds));
  const deletion = await maxSeq(db, id, (rows) =>
    rows.where('has_deletions', true).where('created_at', '<', now - untoldMilliseconds),
  );
  // Whoever has something wants it no more; whoever is still to get it has a subscription.
  const slowest: { seq?: number | null } | undefined = await db('push_subscription')
    .where({ topic_id: id })
    .min('sent_seq as seq')
    .first();
  const needed = (slowest?.seq ?? seq) + 1;
  return Math.min(seq, Math.max(needed, old + 1, deletion, seq - count + 1));
}

async function maxSeq(
  db: Queryable,
  topicId: number,
  which: (rows: Knex.QueryBuilder) => Knex.QueryBuilder,
): Promise<number> {
  const row = (await which(db('push_notification').where({ topic_id: topicId }))
    .max('seq as seq')
    .first()) as { seq: number | null } | undefined;
  return row?.seq ?? 0;
}

function toNotification({ data, json_data: json, from_at, until_at, ...row }: NotificationRow): Notification {
  return {
    ...{ seq: row.seq, mediaType: row.media_type, entries: row.entries, createdAt: row.created_at },
    content: inflateRawSync(data),
    json: json ? inflateRawSync(json) : undefined,
    from: from_at ?? undefined,
    until: until_at ?? undefined,
    hasDeletions: Boolean(row.has_deletions),
  };
}
