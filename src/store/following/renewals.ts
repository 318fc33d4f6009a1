import type { Database } from '../engine/database.ts';
import { type FollowedTopic, type TopicRow, type WantedTopic, wantedRow } from './followed-topics.ts';

/**
 * Has a subscription asked for anew, at another callback; the one that there is counts until that is confirmed, or its lease ends.
 * One that is being asked for anew already stays so.
 */
export function renewTopic(
  database: Database,
  { key, source, topic, leaseUntil = 0 }: FollowedTopic,
  wanted: WantedTopic,
  now: number,
): Promise<void> {
  return database.transaction(async (trx) => {
    const next = await trx('followed_topic')
      .where({ source, topic })
      .whereIn('state', ['wanted', 'asked'])
      .first('key');
    if (!next) await trx('followed_topic').insert(wantedRow(source, wanted, now));
    const own = trx('followed_topic').where({ key, state: 'active' });
    if (leaseUntil <= now) await own.delete();
    else await own.update({ due_at: leaseUntil });
  });
}

/** Less than a third of the lease is left of these: they are renewed now, whatever was planned. */
export async function renewLateTopics({ reader, writer }: Database, now: number): Promise<void> {
  const late: { source: string; topic: string }[] = await reader('followed_topic')
    .where({ state: 'active' })
    .whereRaw('(lease_until - ?) * 3 < lease_ms', [now])
    .select('source', 'topic');
  for (const { source, topic } of late)
    await writer('followed_topic')
      .where({ source, topic })
      .whereIn('state', ['active', 'wanted'])
      .where('due_at', '>', now)
      .update({ due_at: now });
}

/** The hub told us at the callback before may still be on its way for so long. */
const handOverMs = 60_000;

/**
 * The hub has called back: from now on it tells. What was told at other callbacks of the same topic counts here, and those end.
 * @returns false where it is in another state by now, or gone
 */
export function activateTopic(
  database: Database,
  { key, source, topic }: FollowedTopic,
  { leaseMs, dueAt }: { readonly leaseMs: number; readonly dueAt: number },
  now: number,
): Promise<boolean> {
  return database.transaction(async (trx) => {
    const lease = { lease_until: now + leaseMs, lease_ms: leaseMs, due_at: dueAt };
    const changed = await trx('followed_topic')
      .where({ key, state: 'asked' })
      .update({ state: 'active', reason: null, attempts: 0, ...lease });
    if (changed === 0) return false;
    const others = () => trx('followed_topic').where({ source, topic }).whereNot({ key });
    const before: TopicRow[] = await others().whereNot({ state: 'ending' });
    for (const { received, received_at, until_at } of before)
      await trx('followed_topic')
        .where({ key })
        .update({
          received: trx.raw('received + ?', [Number(received)]),
          ...(received_at !== null && { received_at }),
          ...(until_at !== null && { until_at }),
        });
    await others()
      .whereNot({ state: 'ending' })
      .update({ state: 'ending', due_at: now + handOverMs, attempts: 0 });
    return true;
  });
}
