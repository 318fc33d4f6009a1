import type { Knex } from 'knex';
import { isPostgres } from '../engine/bulk.ts';
import type { Database, Queryable } from '../engine/database.ts';
import { isDead } from '../runs/leases.ts';

/** By which way a message goes. */
export type AlertChannel = 'mail' | 'webhook' | 'slack';

/** A message that is to be sent, by whichever process; moments are milliseconds by the clock of the database. */
export interface NewMessage {
  /** What its receivers know it by, however often it comes: a message of the same id is the same. */
  readonly id: string;
  readonly channel: AlertChannel;
  /** JSON. */
  readonly content: string;
}

export interface OutboxMessage extends NewMessage {
  readonly createdAt: number;
  /** That failed in a row. */
  readonly attempts: number;
}

export interface ListedMessage extends Omit<OutboxMessage, 'content'> {
  readonly dueAt: number | undefined;
  readonly sentAt: number | undefined;
  /** Why it could not be sent. */
  readonly reason: string | undefined;
}

interface MessageRow {
  readonly id: string;
  readonly channel: AlertChannel;
  readonly content: string;
  readonly created_at: number;
  readonly due_at: number | null;
  readonly attempts: number;
  readonly reason: string | null;
  readonly holder: string | null;
  readonly sent_at: number | null;
}

/** In the transaction of what it tells: either both are there, or neither. */
export async function putMessage(trx: Knex.Transaction, message: NewMessage, now: number): Promise<void> {
  const { id, channel, content } = message;
  await trx('alert_message')
    .insert({ id, channel, content, created_at: now, due_at: now })
    .onConflict('id')
    .ignore();
}

/** What a process that is taken for dead has begun may have been sent, and is sent again. */
const holdMs = 180_000;

/** Here messages come in the order in which they were made; by mail one that is refused for its receiver holds up nobody else's. */
export const inOrder: readonly AlertChannel[] = ['webhook', 'slack'];

/**
 * Takes some of what is due, the oldest first: no other process sends them meanwhile. Where order counts, what is older and waits to be tried again
 * comes along, and nothing overtakes what another process is sending.
 * @param tried ids of those that are not to be tried once more now
 */
export async function claimMessages(
  database: Database,
  {
    holder,
    now,
    limit,
    tried = [],
  }: {
    readonly holder: string;
    readonly now: number;
    readonly limit: number;
    readonly tried?: readonly string[];
  },
): Promise<readonly OutboxMessage[]> {
  await freeMessagesOfDead(database);
  return database.transaction(async (trx) => {
    const next = trx('alert_message')
      .whereNotIn('id', tried)
      .andWhere((due) => due.where('due_at', '<=', now).orWhere((older) => waitsBefore(older, now)))
      .andWhere((free) => free.whereNull('holder').orWhere('expires', '<=', now))
      .whereNotExists(
        trx('alert_message as ahead')
          .whereIn('alert_message.channel', inOrder)
          .whereRaw('?? = ??', ['ahead.channel', 'alert_message.channel'])
          .whereRaw('?? < ??', ['ahead.created_at', 'alert_message.created_at'])
          .whereNotNull('ahead.holder')
          .where('ahead.expires', '>', now)
          .select(trx.raw('1')),
      )
      .orderBy(['created_at', 'id'])
      .limit(limit)
      .select('id');
    const rows: MessageRow[] = await trx('alert_message')
      .whereIn('id', isPostgres(trx) ? next.forUpdate().skipLocked() : next)
      .update({ holder, expires: now + holdMs })
      .returning('*');
    return rows.map(toMessage).sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
  });
}

/** It is older than another one of its channel that is due. */
function waitsBefore(rows: Knex.QueryBuilder, now: number): void {
  rows
    .whereIn('channel', inOrder)
    .whereNotNull('due_at')
    .whereExists((newer) =>
      newer
        .from('alert_message as newer')
        .whereRaw('?? = ??', ['newer.channel', 'alert_message.channel'])
        .whereRaw('?? > ??', ['newer.created_at', 'alert_message.created_at'])
        .where('newer.due_at', '<=', now)
        .select('newer.id'),
    );
}

/** What is due waits for one that could not be sent; it is no attempt. */
export async function postponeMessages(
  { writer }: Database,
  channel: AlertChannel,
  { now, until }: { readonly now: number; readonly until: number },
): Promise<void> {
  await writer('alert_message')
    .where({ channel })
    .whereNull('holder')
    .where('due_at', '<=', now)
    .update({ due_at: until });
}

async function freeMessagesOfDead({ reader, writer }: Database): Promise<void> {
  const rows: { holder: string }[] = await reader('alert_message').whereNotNull('holder').distinct('holder');
  const dead = rows.map(({ holder }) => holder).filter(isDead);
  if (dead.length > 0)
    await writer('alert_message').whereIn('holder', dead).update({ holder: null, expires: null });
}

export type SendOutcome =
  | { readonly kind: 'sent' }
  /** `dueAt` undefined: it is given up. */
  | { readonly kind: 'failed'; readonly reason: string; readonly dueAt: number | undefined };

/** What became of one that was claimed; counted once, whoever else has sent it meanwhile. */
export function settleMessage(
  database: Database,
  { id, channel }: Pick<OutboxMessage, 'id' | 'channel'>,
  holder: string,
  outcome: SendOutcome,
  now: number,
): Promise<boolean> {
  const ended =
    outcome.kind === 'sent'
      ? { sent_at: now, due_at: null, reason: null }
      : { due_at: outcome.dueAt ?? null, reason: outcome.reason.slice(0, 1000) };
  return database.transaction(async (trx) => {
    const changed = await trx('alert_message')
      .where({ id, holder })
      .update({
        ...ended,
        holder: null,
        expires: null,
        attempts: outcome.kind === 'sent' ? trx.ref('attempts') : trx.raw('attempts + 1'),
      });
    if (changed === 0) return false;
    const counted = outcome.kind === 'sent' ? 'sent' : outcome.dueAt === undefined ? 'given-up' : 'failed';
    await trx('alert_count')
      .insert({ channel, outcome: counted, count: 1 })
      .onConflict(['channel', 'outcome'])
      .merge({ count: trx.raw('alert_count.count + 1') });
    return true;
  });
}

/** Not begun: as it was before. */
export async function releaseMessages({ writer }: Database, holder: string): Promise<void> {
  await writer('alert_message').where({ holder }).update({ holder: null, expires: null });
}

/** The newest first. */
export async function listMessages(db: Queryable, limit: number): Promise<readonly ListedMessage[]> {
  const rows: MessageRow[] = await db('alert_message')
    .orderBy([
      { column: 'created_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .limit(limit)
    .select('id', 'channel', 'created_at', 'due_at', 'attempts', 'reason', 'sent_at');
  return rows.map(({ created_at, due_at, sent_at, reason, ...row }) => ({
    ...{ id: row.id, channel: row.channel, attempts: row.attempts, createdAt: created_at },
    dueAt: due_at ?? undefined,
    sentAt: sent_at ?? undefined,
    reason: reason ?? undefined,
  }));
}

export interface MessageCounts {
  /** Since the database was made, by channel and outcome. */
  readonly counted: readonly { readonly channel: string; readonly outcome: string; readonly count: number }[];
  readonly waiting: number;
  /** Since when the oldest of them has waited. */
  readonly waitingSince: number | undefined;
}

export async function countMessages(db: Queryable): Promise<MessageCounts> {
  const counted: { channel: string; outcome: string; count: number }[] = await db('alert_count')
    .orderBy(['channel', 'outcome'])
    .select('channel', 'outcome', 'count');
  const row: { waiting?: number | string; since?: number | null } | undefined = await db('alert_message')
    .whereNotNull('due_at')
    .count({ waiting: '*' })
    .min({ since: 'created_at' })
    .first();
  return { counted, waiting: Number(row?.waiting ?? 0), waitingSince: row?.since ?? undefined };
}

/** Those that are over, and older than this. */
export async function pruneMessages({ writer }: Database, before: number): Promise<void> {
  await writer('alert_message').whereNull('due_at').andWhere('created_at', '<', before).delete();
}

function toMessage({ created_at: createdAt, ...row }: MessageRow): OutboxMessage {
  const { id, channel, content, attempts } = row;
  return { id, channel, content, attempts, createdAt };
}
