import type { Knex } from 'knex';
import type { Growth } from '../../core/alerts/growth.ts';
import type { Queryable } from '../engine/database.ts';

/** A source that is looked at in every round; one that is paused is not. */
export interface WatchedSource {
  readonly source: string;
  /** In milliseconds. */
  readonly since: number;
  /** Of its records that cannot be read. */
  readonly records: Growth | undefined;
}

export async function readWatched(db: Queryable): Promise<ReadonlyMap<string, WatchedSource>> {
  const rows: { source: string; since: number; records: string | null }[] = await db('alert_watch');
  return new Map(
    rows.map(({ source, since, records }) => [
      source,
      { source, since, records: records === null ? undefined : (JSON.parse(records) as Growth) },
    ]),
  );
}

const rowsAtATime = 100;

export async function writeWatched(
  trx: Knex.Transaction,
  changed: readonly WatchedSource[],
  left: readonly string[],
): Promise<void> {
  const rows = changed.map(({ source, since, records }) => ({
    ...{ source, since },
    records: records ? JSON.stringify(records) : null,
  }));
  for (let from = 0; from < rows.length; from += rowsAtATime)
    await trx('alert_watch')
      .insert(rows.slice(from, from + rowsAtATime))
      .onConflict('source')
      .merge();
  for (let from = 0; from < left.length; from += rowsAtATime)
    await trx('alert_watch')
      .whereIn('source', left.slice(from, from + rowsAtATime))
      .delete();
}
