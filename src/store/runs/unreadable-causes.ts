import { createHash } from 'node:crypto';
import type { Queryable } from '../engine/database.ts';
import { causeColumn } from './unreadable.ts';

/** Records that could not be read for the same reason. */
export interface Cause {
  /** Short, the same as long as the cause is: for addresses and the command line. */
  readonly id: string;
  readonly code: string;
  /** What their messages have in common. */
  readonly message: string;
  readonly count: number;
  /** Of these, those that have a name to be asked for by. */
  readonly named: number;
  readonly lastSeenAt: string;
}

/** The most frequent ones first. */
export async function listCauses(db: Queryable, sourceId: number, limit: number): Promise<readonly Cause[]> {
  const rows: CauseRow[] = await db('unreadable')
    .where({ source_id: sourceId })
    .groupByRaw(causeColumn)
    .select(
      db.raw(`${causeColumn} as common`),
      db.raw('max(code) as code'),
      db.raw('count(*) as records'),
      db.raw('count(identifier) as named'),
      db.raw('max(last_at) as last_at'),
    )
    .orderBy([{ column: 'records', order: 'desc' }, 'common'])
    .limit(limit);
  return rows.map(({ code, common: message, records, named, last_at: lastSeenAt }) => ({
    ...{ id: causeId(message), code, message, lastSeenAt },
    ...{ count: Number(records), named: Number(named) },
  }));
}

/** The cause of this id; undefined: it has no records, any more. */
export async function findCause(db: Queryable, sourceId: number, id: string): Promise<string | undefined> {
  const rows: { common: string }[] = await db('unreadable')
    .where({ source_id: sourceId })
    .distinct(db.raw(`${causeColumn} as common`));
  return rows.find(({ common }) => causeId(common) === id)?.common;
}

export function causeId(cause: string): string {
  return createHash('sha256').update(cause).digest('hex').slice(0, 12);
}

interface CauseRow {
  readonly common: string;
  readonly code: string;
  readonly records: number | string;
  readonly named: number | string;
  readonly last_at: string;
}
