import { addSeconds } from '../../core/datetime.ts';
import type { PatternName } from '../../core/notifications/patterns.ts';
import type { Database, Queryable } from '../engine/database.ts';

/**
 * `item`: the item is read again; `unknown`: none of the partner's sources has such an item; `none`: it is about no item;
 * `received`: whoever took it ended before that was known.
 */
export type NotificationOutcome = 'received' | 'item' | 'unknown' | 'none';

export interface NewNotification {
  readonly id: string;
  readonly partner: string;
  readonly pattern: PatternName;
  /** ISO. */
  readonly at: string;
  readonly content: string;
  readonly hash: string;
}

export interface KeptNotification extends Omit<NewNotification, 'hash' | 'pattern'> {
  readonly number: number;
  /** One of `PatternName`, or of another release. */
  readonly pattern: string;
  readonly outcome: NotificationOutcome;
  readonly source: string | undefined;
  readonly item: string | undefined;
  /** By which it can be followed how the item is read (`asked.ts`). */
  readonly asked: number | undefined;
}

interface NotificationRow extends Omit<NewNotification, 'pattern'> {
  readonly number: number;
  readonly pattern: string;
  readonly outcome: NotificationOutcome;
  readonly source: string | null;
  readonly item: string | null;
  readonly asked: number | null;
}

const keptSeconds = 90 * 86_400;
/** Of each partner: what was sent before is not remembered. */
const keptOfPartner = 5_000;

/** `full`: it has sent as many as it may within a minute; `other`: another notification has this id. */
export type Reception = KeptNotification | 'full' | 'other';

/** Keeps one, once. @param perMinute more of one partner are not taken within a minute */
export function receiveNotification(
  database: Database,
  notification: NewNotification,
  perMinute: number,
): Promise<Reception> {
  const { id, partner, at, hash } = notification;
  return database.transaction(async (trx) => {
    const before = await rowWithId(trx, id);
    if (before) return isSame(before, { partner, hash }) ? toKept(before) : 'other';
    const recent = await countSince(trx, partner, addSeconds(at, -60));
    if (recent >= perMinute) return 'full';
    await trx('notification').where('at', '<', addSeconds(at, -keptSeconds)).delete();
    await trx('notification')
      .where({ partner })
      .andWhere(
        'number',
        '<=',
        trx('notification')
          .where({ partner })
          .orderBy('number', 'desc')
          .offset(keptOfPartner - 1)
          .limit(1)
          .select('number'),
      )
      .delete();
    await trx('notification')
      .insert({ ...notification, outcome: 'received' })
      .onConflict('id')
      .ignore();
    const row = await rowWithId(trx, id);
    if (!row) throw new Error('a notification was kept and is not there');
    return isSame(row, { partner, hash }) ? toKept(row) : 'other';
  });
}

function isSame(row: NotificationRow, { partner, hash }: Pick<NewNotification, 'partner' | 'hash'>): boolean {
  return row.partner === partner && row.hash === hash;
}

async function rowWithId(db: Queryable, id: string): Promise<NotificationRow | undefined> {
  return db('notification').where({ id }).first();
}

async function countSince(db: Queryable, partner: string, since: string): Promise<number> {
  const row: { count?: number | string } | undefined = await db('notification')
    .where({ partner })
    .andWhere('at', '>', since)
    .count({ count: '*' })
    .first();
  return Number(row?.count ?? 0);
}

/** What came of it. */
export async function noteOutcome(
  { writer }: Pick<Database, 'writer'>,
  number: number,
  {
    outcome,
    source,
    item,
    asked,
  }: Partial<Pick<KeptNotification, 'source' | 'item' | 'asked'>> & Pick<KeptNotification, 'outcome'>,
): Promise<void> {
  await writer('notification')
    .where({ number })
    .update({ outcome, source: source ?? null, item: item ?? null, asked: asked ?? null });
}

/** The newest first. @param page `before`: the number of one, those before it */
export async function listNotifications(
  db: Queryable,
  { before, limit }: { readonly before?: number | undefined; readonly limit: number },
): Promise<readonly KeptNotification[]> {
  const rows: NotificationRow[] = await db('notification')
    .modify((query) => {
      if (before !== undefined) query.where('number', '<', before);
    })
    .orderBy('number', 'desc')
    .limit(limit);
  return rows.map(toKept);
}

export async function findNotification(db: Queryable, number: number): Promise<KeptNotification | undefined> {
  const row: NotificationRow | undefined = await db('notification').where({ number }).first();
  return row && toKept(row);
}

export interface NotificationCounts {
  readonly partner: string;
  readonly outcome: NotificationOutcome;
  readonly count: number;
  /** Of the latest, ISO. */
  readonly last: string;
}

/** Of those that are kept, by partner and what came of them. */
export async function countNotifications(db: Queryable): Promise<readonly NotificationCounts[]> {
  const rows: { partner: string; outcome: NotificationOutcome; count: number | string; last: string }[] =
    await db('notification')
      .groupBy('partner', 'outcome')
      .orderBy(['partner', 'outcome'])
      .select('partner', 'outcome')
      .count({ count: '*' })
      .max({ last: 'at' });
  return rows.map(({ count, ...row }) => ({ ...row, count: Number(count) }));
}

function toKept({ hash: _, source, item, asked, ...row }: NotificationRow): KeptNotification {
  return { ...row, source: source ?? undefined, item: item ?? undefined, asked: asked ?? undefined };
}
