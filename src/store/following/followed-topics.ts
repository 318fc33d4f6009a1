import type { Database, Queryable } from '../engine/database.ts';

/** `wanted`: the hub is to be asked; `asked`: it was, and has not called back; `ending`: it is to be told that it is over. */
export type TopicState = 'wanted' | 'asked' | 'active' | 'ending';

/** A channel by which a Source tells of its changes. Moments are milliseconds by the clock of the database. */
export interface FollowedTopic {
  /** Of the callback: whoever knows it is the hub. */
  readonly key: string;
  readonly source: string;
  readonly topic: string;
  readonly hub: string;
  readonly secret: string | undefined;
  readonly state: TopicState;
  /** Why it is not what it should be. */
  readonly reason: string | undefined;
  readonly leaseUntil: number | undefined;
  readonly dueAt: number;
  readonly attempts: number;
  /** Up to here changes were told of (ISO). */
  readonly untilAt: string | undefined;
  readonly receivedAt: number | undefined;
  readonly received: number;
}

/** As it is in the database. */
export interface TopicRow {
  readonly key: string;
  readonly source: string;
  readonly topic: string;
  readonly hub: string;
  readonly secret: string | null;
  readonly state: TopicState;
  readonly reason: string | null;
  readonly lease_until: number | null;
  readonly due_at: number;
  readonly attempts: number;
  readonly until_at: string | null;
  readonly received_at: number | null;
  readonly received: number | string;
}

export interface WantedTopic extends Pick<FollowedTopic, 'key' | 'topic' | 'hub' | 'secret'> {}

/**
 * What a Source names now: what is new is wanted, what it names no more ends, what it names with another hub is asked for there, and
 * told of by the hub before until then.
 */
export function wantTopics(
  database: Database,
  source: string,
  wanted: readonly WantedTopic[],
  now: number,
): Promise<void> {
  return database.transaction(async (trx) => {
    const rows: TopicRow[] = await trx('followed_topic').where({ source }).whereNot({ state: 'ending' });
    for (const row of rows) {
      const same = wanted.find(({ topic }) => topic === row.topic);
      if (!same || (same.hub !== row.hub && row.state !== 'active')) await end(trx, { key: row.key }, now);
    }
    for (const one of wanted)
      if (!rows.some(({ topic, hub }) => topic === one.topic && hub === one.hub))
        await trx('followed_topic').insert(wantedRow(source, one, now));
  });
}

/** One that the hub is to be asked for. */
export function wantedRow(source: string, { key, topic, hub, secret }: WantedTopic, now: number) {
  return { ...{ key, source, topic, hub }, secret: secret ?? null, state: 'wanted', due_at: now };
}

/** Of sources that are followed no more. */
export async function endTopicsOfOthers(
  database: Database,
  followed: readonly string[],
  now: number,
): Promise<void> {
  const left = (db: Queryable) =>
    db('followed_topic')
      .whereNotIn('source', [...followed])
      .whereNot({ state: 'ending' });
  if (!(await left(database.reader).first('key'))) return;
  await database
    .writer('followed_topic')
    .whereNotIn('source', [...followed])
    .whereNot({ state: 'ending' })
    .update({ state: 'ending', due_at: now, attempts: 0 });
  await database
    .writer('followed_source')
    .whereNotIn('source', [...followed])
    .delete();
}

function end(db: Queryable, which: { readonly key: string }, now: number) {
  return db('followed_topic').where(which).update({ state: 'ending', due_at: now, attempts: 0 });
}

export async function findTopic(db: Queryable, key: string): Promise<FollowedTopic | undefined> {
  const row: TopicRow | undefined = await db('followed_topic').where({ key }).first();
  return row && toTopic(row);
}

/** The one that stands for its topic where there are several: of these the one that counts. */
export async function findStanding(
  db: Queryable,
  { source, topic }: Pick<FollowedTopic, 'source' | 'topic'>,
): Promise<FollowedTopic | undefined> {
  const rows: TopicRow[] = await db('followed_topic').where({ source, topic });
  return standing(rows.map(toTopic))[0];
}

/** One for each topic that is subscribed to, or is to be. */
export async function listTopics(db: Queryable): Promise<readonly FollowedTopic[]> {
  const rows: TopicRow[] = await db('followed_topic').orderBy(['source', 'topic', 'due_at', 'key']);
  return standing(rows.map(toTopic));
}

/** While a subscription is renewed it stands for what takes its place; what is over stands for nothing but itself. */
function standing(all: readonly FollowedTopic[]): readonly FollowedTopic[] {
  const ranks: readonly TopicState[] = ['active', 'asked', 'wanted', 'ending'];
  const found = new Map<string, FollowedTopic>();
  for (const one of all) {
    const name = `${one.source} ${one.topic}`;
    const other = found.get(name);
    if (!other || ranks.indexOf(one.state) < ranks.indexOf(other.state)) found.set(name, one);
  }
  return [...found.values()];
}

/** Something is to be done about these, those that have waited longest first. */
export async function dueTopics(
  db: Queryable,
  states: readonly TopicState[],
  now: number,
  limit: number,
): Promise<readonly FollowedTopic[]> {
  const rows: TopicRow[] = await db('followed_topic')
    .whereIn('state', [...states])
    .where('due_at', '<=', now)
    .orderBy(['due_at', 'key'])
    .limit(limit);
  return rows.map(toTopic);
}

export interface TopicNews {
  readonly state?: TopicState;
  readonly reason?: string | undefined;
  readonly leaseUntil?: number | undefined;
  readonly dueAt?: number;
  readonly attempts?: number;
}

/** @returns false where it is in another state by now, or gone */
export async function noteTopic(
  { writer }: Pick<Database, 'writer'>,
  { key, state }: Pick<FollowedTopic, 'key' | 'state'>,
  news: TopicNews,
): Promise<boolean> {
  const changed = await writer('followed_topic')
    .where({ key, state })
    .update({
      ...(news.state !== undefined && { state: news.state }),
      ...('reason' in news && { reason: news.reason?.slice(0, 500) ?? null }),
      ...('leaseUntil' in news && { lease_until: news.leaseUntil ?? null }),
      ...(news.dueAt !== undefined && { due_at: news.dueAt }),
      ...(news.attempts !== undefined && { attempts: news.attempts }),
    });
  return changed > 0;
}

/** A notification has come. @param until up to when it tells (ISO) */
export async function noteReceived(
  { writer }: Pick<Database, 'writer'>,
  key: string,
  until: string | undefined,
  now: number,
): Promise<void> {
  await writer('followed_topic')
    .where({ key })
    .update({
      received_at: now,
      received: writer.raw('received + 1'),
      ...(until !== undefined && { until_at: until }),
    });
}

export async function forgetTopic({ writer }: Pick<Database, 'writer'>, key: string): Promise<void> {
  await writer('followed_topic').where({ key }).delete();
}

/** When a Source is looked at again, by its name. */
export async function listLooks(
  db: Queryable,
): Promise<ReadonlyMap<string, { readonly url: string; readonly lookAt: number }>> {
  const rows: { source: string; url: string; look_at: number }[] = await db('followed_source');
  return new Map(rows.map(({ source, url, look_at }) => [source, { url, lookAt: look_at }]));
}

export async function noteLook(
  { writer }: Pick<Database, 'writer'>,
  {
    source,
    url,
    lookAt,
    reason,
  }: { source: string; url: string; lookAt: number; reason?: string | undefined },
): Promise<void> {
  await writer('followed_source')
    .insert({ source, url, look_at: lookAt, reason: reason?.slice(0, 500) ?? null })
    .onConflict('source')
    .merge();
}

function toTopic(row: TopicRow): FollowedTopic {
  const { key, source, topic, hub, state, attempts } = row;
  return {
    ...{ key, source, topic, hub, state, attempts, dueAt: row.due_at },
    secret: row.secret ?? undefined,
    reason: row.reason ?? undefined,
    leaseUntil: row.lease_until ?? undefined,
    untilAt: row.until_at ?? undefined,
    receivedAt: row.received_at ?? undefined,
    received: Number(row.received),
  };
}
