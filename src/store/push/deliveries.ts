import type { Knex } from 'knex';
import { isPostgres, whereAnyOf } from '../engine/bulk.ts';
import type { Database, Queryable } from '../engine/database.ts';
import { isDead } from '../runs/leases.ts';
import { countPush } from './counts.ts';
import { type Denial, putDenial } from './denials.ts';
import { deliveryHoldMs } from './hold.ts';
import type { SubscriptionKind } from './subscriptions.ts';

/** A subscriber that something is to be sent to, held by one process. */
export interface ClaimedSubscription {
  readonly id: number;
  readonly topicId: number;
  readonly topic: string;
  readonly kind: SubscriptionKind;
  readonly callback: string;
  readonly host: string;
  readonly secret: string | undefined;
  readonly tokenHash: string | undefined;
  /** The last notification that it got. */
  readonly sentSeq: number;
  readonly attempts: number;
}

export interface DeliveryChoice {
  readonly kinds: readonly SubscriptionKind[];
  /** Those that got the last one and answer soon, or the others. */
  readonly patients: boolean;
  /** Subscriptions of those that take long to answer. */
  readonly slow?: readonly number[] | undefined;
  readonly limit: number;
}

interface ClaimedRow {
  readonly id: number;
  readonly topic_id: number;
  readonly kind: string;
  readonly callback: string;
  readonly host: string;
  readonly secret: string | null;
  readonly token_hash: string | null;
  readonly sent_seq: number;
  readonly attempts: number;
}

/** Takes subscribers that something is to be sent to: no other process sends them anything meanwhile. */
export async function claimDeliveries(
  database: Database,
  holder: string,
  choice: DeliveryChoice,
  now: number,
): Promise<readonly ClaimedSubscription[]> {
  // Looking takes no lock; most of the time there is nothing.
  if (choice.limit <= 0 || !(await dueRows(database.reader, choice, now).first('s.id'))) return [];
  return database.transaction(async (trx) => {
    const next = dueRows(trx, choice, now).orderBy(['s.attempts', 's.sent_seq', 's.id']).limit(choice.limit);
    const locked = isPostgres(trx) ? next.forUpdate('s').skipLocked() : next;
    const rows: ClaimedRow[] = await trx('push_subscription')
      .whereIn('id', locked.select('s.id'))
      .update({ holder, expires: now + deliveryHoldMs })
      .returning('*');
    const names = await namesOf(trx, rows);
    return rows.map((row) => ({
      ...{ id: row.id, topicId: row.topic_id, topic: names.get(row.topic_id) ?? '', kind: row.kind },
      ...{ callback: row.callback, host: row.host, sentSeq: row.sent_seq, attempts: row.attempts },
      secret: row.secret ?? undefined,
      tokenHash: row.token_hash ?? undefined,
    }));
  });
}

async function namesOf(
  trx: Knex.Transaction,
  rows: readonly ClaimedRow[],
): Promise<ReadonlyMap<number, string>> {
  const ids = [...new Set(rows.map((row) => row.topic_id))];
  const topics: { id: number; name: string }[] = await trx('push_topic')
    .whereIn('id', ids)
    .select('id', 'name');
  return new Map(topics.map(({ id, name }) => [id, name]));
}

function dueRows(
  db: Queryable,
  { kinds, patients, slow = [] }: DeliveryChoice,
  now: number,
): Knex.QueryBuilder {
  return db('push_subscription as s')
    .join('push_topic as t', 't.id', 's.topic_id')
    .whereRaw('t.seq > s.sent_seq')
    .whereNull('t.ended_at')
    .whereIn('s.kind', [...kinds])
    .andWhere((due) => due.whereNull('s.due_at').orWhere('s.due_at', '<=', now))
    .andWhere((living) => living.whereNull('s.lease_until').orWhere('s.lease_until', '>', now))
    .andWhere((free) => free.whereNull('s.holder').orWhere('s.expires', '<=', now))
    .modify((query) => {
      const isSlow = (one: Knex.QueryBuilder) => whereAnyOf(one, 's.id', slow);
      if (!patients) query.where('s.attempts', 0).whereNot(isSlow);
      else query.andWhere((either) => either.where('s.attempts', '>', 0).orWhere(isSlow));
    });
}

export type DeliveryOutcome =
  /** It has the notification of this number, or will not get it any more. */
  | { readonly kind: 'delivered'; readonly seq: number }
  | { readonly kind: 'failed'; readonly reason: string; readonly counted: string; readonly dueAt: number }
  /** It wants nothing any more. */
  | {
      readonly kind: 'gone';
      readonly reason: string;
      readonly counted: string;
      /** It wants more, and is told that it gets none. */
      readonly denial?: Denial | undefined;
    }
  /** Nothing was sent: what it waits for is not there any more. */
  | { readonly kind: 'nothing'; readonly seq: number };

export interface Settled {
  readonly subscription: Pick<ClaimedSubscription, 'id' | 'kind'>;
  readonly outcome: DeliveryOutcome;
  /** It is still held, for the next one. */
  readonly keep: boolean;
}

/**
 * What became of some that this process holds, in one transaction.
 * @returns those that it does not hold any more: somebody else may have sent the same
 */
export function settleDeliveries(
  database: Database,
  holder: string,
  settled: readonly Settled[],
  now: number,
): Promise<ReadonlySet<number>> {
  return database.transaction(async (trx) => {
    const lost = new Set<number>();
    const counts = new Map<string, readonly [what: string, outcome: string, count: number]>();
    for (const { subscription, outcome, keep } of settled) {
      const own = trx('push_subscription').where({ id: subscription.id, holder });
      const changed =
        outcome.kind === 'gone'
          ? await own.delete()
          : await own.update({
              ...columnsOf(trx, outcome, now),
              ...(keep ? { expires: now + deliveryHoldMs } : freed),
            });
      if (changed === 0) lost.add(subscription.id);
      else if (outcome.kind === 'gone' && outcome.denial) await putDenial(trx, outcome.denial, now);
      const said =
        outcome.kind === 'delivered' ? 'delivered' : outcome.kind === 'nothing' ? '' : outcome.counted;
      if (changed === 0 || said === '') continue;
      const key = `${subscription.kind} ${said}`;
      counts.set(key, [subscription.kind, said, (counts.get(key)?.[2] ?? 0) + 1]);
    }
    for (const [, count] of [...counts].sort()) await countPush(trx, ...count);
    return lost;
  });
}

const freed = { holder: null, expires: null };

function columnsOf(
  trx: Knex.Transaction,
  outcome: Exclude<DeliveryOutcome, { kind: 'gone' }>,
  now: number,
): Record<string, Knex.Value | Knex.Raw | null> {
  switch (outcome.kind) {
    case 'delivered':
      return { sent_seq: outcome.seq, attempts: 0, due_at: null, delivered_at: now, reason: null };
    case 'nothing':
      return { sent_seq: outcome.seq, due_at: null };
    case 'failed':
      return {
        attempts: trx.raw('attempts + 1'),
        ...{ due_at: outcome.dueAt, failed_at: now, reason: outcome.reason.slice(0, 500) },
      };
  }
}

/** Not begun: as it was before. */
export async function releaseDeliveries({ writer }: Database, holder: string): Promise<void> {
  await writer('push_subscription').where({ holder }).update(freed);
}

/** What dead neighbours on this host have left is free at once. */
export async function freeDeliveriesOfDead({ reader, writer }: Database): Promise<void> {
  for (const table of ['push_subscription', 'push_intent']) {
    const rows: { holder: string }[] = await reader(table).whereNotNull('holder').distinct('holder');
    const dead = rows.map(({ holder }) => holder).filter(isDead);
    if (dead.length > 0) await writer(table).whereIn('holder', dead).update(freed);
  }
}
