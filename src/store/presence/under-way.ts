import type { Knex } from 'knex';
import { toIso } from '../../core/datetime.ts';
import type { AskedWindow, WorkKind, WorkPhase } from '../../core/under-way.ts';
import { insertRows } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { databaseNow } from '../engine/database-clock.ts';
import { isDead } from '../runs/leases.ts';
import { processLifeMs } from './processes.ts';

/** Something that a process is at, as it was told last. */
export interface UnderWay {
  readonly holder: string;
  /** Of the process. */
  readonly number: number;
  readonly kind: WorkKind;
  /** Empty: of no one source. */
  readonly source: string;
  /** The path of a set that is published. */
  readonly set: string | undefined;
  readonly phase: WorkPhase;
  readonly run: number | undefined;
  readonly done: number;
  readonly expected: number | undefined;
  /** So many are done in a minute, of late. */
  readonly perMinute: number | undefined;
  /** To the repository, since it began here. */
  readonly requests: number | undefined;
  readonly window: AskedWindow | undefined;
  /** ISO. */
  readonly beganAt: string;
  readonly seenAt: string;
}

interface UnderWayRow {
  readonly holder: string;
  readonly number: number;
  readonly kind: WorkKind;
  readonly source: string;
  readonly set_path: string | null;
  readonly phase: WorkPhase;
  readonly run: number | null;
  readonly done: number | string;
  readonly expected: number | string | null;
  readonly per_minute: number | null;
  readonly requests: number | null;
  readonly window: string | null;
  readonly began: number | string;
  readonly seen: number | string;
}

export type Told = Omit<UnderWay, 'holder' | 'beganAt' | 'seenAt'> & {
  /** In milliseconds, by the clock of the database. */
  readonly began: number;
  readonly seen: number;
};

const columns = [
  ...['kind', 'source', 'set_path', 'phase', 'run', 'done', 'expected', 'per_minute', 'requests', 'window'],
  ...['began', 'seen'],
];

/** @param ended the numbers of what is not under way any more */
export async function tellUnderWay(
  trx: Knex.Transaction,
  holder: string,
  { told, ended }: { readonly told: readonly Told[]; readonly ended: readonly number[] },
): Promise<void> {
  if (ended.length > 0) await trx('under_way').where({ holder }).whereIn('number', ended).delete();
  const rows = told.map(({ set, run, expected, perMinute, requests, window, ...one }) => ({
    ...{ holder, ...one, set_path: set ?? null, run: run ?? null, expected: expected ?? null },
    ...{ per_minute: perMinute ?? null, requests: requests ?? null },
    window: window === undefined ? null : JSON.stringify(window),
  }));
  await insertRows(trx, 'under_way', rows, {
    conflict: { columns: ['holder', 'number'], update: columns },
  });
}

/** Of processes that live; of one source, where one is named. What began first comes first. */
export async function listUnderWay(db: Queryable, source?: string): Promise<readonly UnderWay[]> {
  const rows: UnderWayRow[] = await db('under_way')
    .join('process', 'process.holder', 'under_way.holder')
    .whereRaw(`process.seen > ${databaseNow(db)} - ${processLifeMs}`)
    .modify((query) => {
      if (source !== undefined) query.where('under_way.source', source);
    })
    .orderBy(['under_way.began', 'under_way.holder', 'under_way.number'])
    .select('under_way.*');
  return rows.filter(({ holder }) => !isDead(holder)).map(toUnderWay);
}

function toUnderWay({ holder, number, kind, source, phase, ...row }: UnderWayRow): UnderWay {
  return {
    ...{ holder, number, kind, source, phase },
    set: row.set_path ?? undefined,
    run: row.run ?? undefined,
    done: Number(row.done),
    expected: row.expected === null ? undefined : Number(row.expected),
    perMinute: row.per_minute ?? undefined,
    requests: row.requests ?? undefined,
    window: row.window === null ? undefined : (JSON.parse(row.window) as AskedWindow),
    beganAt: toIso(new Date(Number(row.began))),
    seenAt: toIso(new Date(Number(row.seen))),
  };
}
