import type { FollowedSource } from '../../core/following/followed-source.ts';
import type { Queryable } from '../engine/database.ts';
import { listTopics } from './followed-topics.ts';

/** By name. */
export async function listFollowed(db: Queryable): Promise<readonly FollowedSource[]> {
  const topics = await listTopics(db);
  const told = new Set(topics.map(({ source }) => source));
  const looked: { source: string; reason: string | null }[] = await db('followed_source');
  const polled = looked
    .filter(({ source }) => !told.has(source))
    .map(({ source, reason }) => ({
      ...{ source, hub: undefined, state: 'polled' as const, reason: reason ?? undefined },
      ...{ leaseUntil: undefined, receivedAt: undefined, received: 0 },
    }));
  return [...topics.map(toFollowed), ...polled].toSorted((a, b) => (a.source < b.source ? -1 : 1));
}

function toFollowed({
  source,
  hub,
  state,
  reason,
  leaseUntil,
  receivedAt,
  received,
}: FollowedSource): FollowedSource {
  return { source, hub, state, reason, leaseUntil, receivedAt, received };
}
