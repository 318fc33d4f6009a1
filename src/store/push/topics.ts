import type { Knex } from 'knex';
import { channelAt } from '../../core/push/channels.ts';
import type { Database, Queryable } from '../engine/database.ts';
import { putDenial } from './denials.ts';

/** What is told of by one queue of notifications. Moments are milliseconds by the clock of the database. */
export interface Topic {
  readonly id: number;
  /** Of a document of ours its path below `baseUrl`. */
  readonly name: string;
  /** Of the latest notification; 0: there was none. */
  readonly seq: number;
  /** The journal that it follows, and how far. */
  readonly journalId: string | undefined;
  readonly journalSeq: number;
  /** What has been told up to here (ISO). */
  readonly untilAt: string | undefined;
  /** What it knows of what it tells of, as JSON. */
  readonly known: string | undefined;
  readonly endedAt: number | undefined;
}

interface TopicRow {
  readonly id: number;
  readonly name: string;
  readonly seq: number;
  readonly journal_id: string | null;
  readonly journal_seq: number;
  readonly until_at: string | null;
  readonly known: string | null;
  readonly ended_at: number | null;
}

/** How far a topic has come with what it follows. */
export type TopicProgress = Partial<Pick<Topic, 'journalId' | 'journalSeq' | 'untilAt' | 'known'>>;

/** Those that are told of now, by name. */
export async function listTopics(db: Queryable): Promise<ReadonlyMap<string, Topic>> {
  const rows: TopicRow[] = await db('push_topic').whereNull('ended_at').select('*');
  return new Map(rows.map((row) => [row.name, toTopic(row)]));
}

/** @returns undefined for one that there is not, or that has ended */
export async function findTopic(db: Queryable, name: string): Promise<Topic | undefined> {
  const row: TopicRow | undefined = await db('push_topic').where({ name }).whereNull('ended_at').first('*');
  return row && toTopic(row);
}

/** The topic of that name, which begins now if there was none, or if it had ended. */
export async function beginTopic(
  trx: Knex.Transaction,
  name: string,
  progress: TopicProgress,
  now: number,
): Promise<Topic> {
  const row = { name, ...toColumns(progress), created_at: now };
  await trx('push_topic').insert(row).onConflict('name').ignore();
  await trx('push_topic')
    .where({ name })
    .whereNotNull('ended_at')
    .update({ ...toColumns(progress), ended_at: null });
  const topic = await findTopic(trx, name);
  if (!topic) throw new Error(`topic ${name} is not in the database`);
  return topic;
}

/**
 * The topic of a set's channel; where nobody has asked for it before, it tells of what comes after now.
 * @param journal where that of its source stands; undefined: it has none yet
 */
export async function topicFrom(
  trx: Knex.Transaction,
  name: string,
  journal: { readonly id: string; readonly seq: number; readonly at: string } | undefined,
  now: number,
): Promise<Topic> {
  const progress = journal && { journalId: journal.id, journalSeq: journal.seq, untilAt: journal.at };
  return (await findTopic(trx, name)) ?? (await beginTopic(trx, name, progress ?? {}, now));
}

/**
 * Takes the topic for a transaction that tells something: nobody else does before its end.
 * @returns the topic as it is then; undefined where it has ended
 */
export async function holdTopic(trx: Knex.Transaction, id: number): Promise<Topic | undefined> {
  const [row]: TopicRow[] = await trx('push_topic')
    .where({ id })
    .whereNull('ended_at')
    .update({ id })
    .returning('*');
  return row && toTopic(row);
}

export async function advanceTopic(
  trx: Knex.Transaction,
  id: number,
  progress: TopicProgress,
): Promise<void> {
  const columns = toColumns(progress);
  if (Object.keys(columns).length > 0) await trx('push_topic').where({ id }).update(columns);
}

/**
 * Nothing is told of these any more, and what was is gone. Who has subscribed to them learns so, or waits for them to begin again.
 * @param urlOf where a topic is
 */
export async function endTopics(
  database: Database,
  topics: readonly Pick<Topic, 'id' | 'name'>[],
  urlOf: (name: string) => string,
  now: number,
): Promise<void> {
  for (const { id, name } of topics)
    await database.transaction(async (trx) => {
      await endTopic(trx, { id, url: urlOf(name), reason: 'nothing is told there any more' }, now);
      await trx('push_subscription')
        .where({ topic_id: id })
        .update({ sent_seq: trx('push_topic').where({ id }).select('seq') });
    });
}

/** Subscribers of WebSub are told. */
async function endTopic(
  trx: Knex.Transaction,
  { id, url, reason }: { readonly id: number; readonly url: string; readonly reason: string },
  now: number,
): Promise<void> {
  await trx('push_topic').where({ id }).update({ ended_at: now, known: null });
  await trx('push_notification').where({ topic_id: id }).delete();
  const isSubscriber = { topic_id: id, kind: 'websub' };
  const ended: { callback: string }[] = await trx('push_subscription').where(isSubscriber).select('callback');
  await trx('push_subscription').where(isSubscriber).delete();
  for (const { callback } of ended)
    await putDenial(trx, { topicId: id, callback, topicUrl: url, reason }, now);
}

/**
 * Ends whatever is told of the sets of a source, for good: no subscription to any of them is left, whether they are told of now or not.
 * @param urlOf where a topic is
 */
export async function endTopicsOfSource(
  database: Database,
  source: string,
  urlOf: (name: string) => string,
  now: number,
): Promise<void> {
  for (const { id, name } of await topicsOfSource(database.writer, source))
    await database.transaction(async (trx) => {
      await endTopic(trx, { id, url: urlOf(name), reason: 'its source was removed' }, now);
      await trx('push_subscription').where({ topic_id: id }).delete();
    });
}

/** Those that have ended, too. */
export async function topicsOfSource(
  db: Queryable,
  source: string,
): Promise<readonly Pick<Topic, 'id' | 'name'>[]> {
  const rows: { id: number; name: string }[] = await db('push_topic').orderBy('id').select('id', 'name');
  return rows.filter(({ name }) => channelAt(name)?.set.split('/', 1)[0] === source);
}

function toColumns({ journalId, journalSeq, untilAt, known }: TopicProgress) {
  return {
    ...(journalId === undefined ? {} : { journal_id: journalId }),
    ...(journalSeq === undefined ? {} : { journal_seq: journalSeq }),
    ...(untilAt === undefined ? {} : { until_at: untilAt }),
    ...(known === undefined ? {} : { known }),
  };
}

function toTopic(row: TopicRow): Topic {
  return {
    ...{ id: row.id, name: row.name, seq: row.seq, journalSeq: row.journal_seq },
    journalId: row.journal_id ?? undefined,
    untilAt: row.until_at ?? undefined,
    known: row.known ?? undefined,
    endedAt: row.ended_at ?? undefined,
  };
}
