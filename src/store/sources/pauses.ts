import type { Database, Queryable } from '../engine/database.ts';
import { nextEdition } from './edition.ts';

/** A source that is left alone for a while. Times are ISO. */
export interface Pause {
  readonly source: string;
  readonly since: string;
  /** Undefined: until somebody ends it. */
  readonly until: string | undefined;
  readonly reason: string | undefined;
}

interface PauseRow {
  readonly source: string;
  readonly since: string;
  readonly until: string | null;
  readonly reason: string | null;
}

/** Those that have not come to their end, by source. */
export async function readPauses(db: Queryable, now: string): Promise<ReadonlyMap<string, Pause>> {
  const rows: PauseRow[] = await db('pause')
    .where((still) => still.whereNull('until').orWhere('until', '>', now))
    .select('source', 'since', 'until', 'reason');
  return new Map(
    rows.map(({ source, since, until, reason }) => [
      source,
      { source, since, until: until ?? undefined, reason: reason ?? undefined },
    ]),
  );
}

/** Every process at the database hears of it. One that is paused is paused as it is said now. */
export function pauseSources(database: Database, pauses: readonly Pause[]): Promise<void> {
  return database.transaction(async (trx) => {
    for (const { source, since, until = null, reason = null } of pauses) {
      await trx('pause').insert({ source, since, until, reason }).onConflict('source').merge();
    }
    await nextEdition(trx);
  });
}

/** @returns the names of those that were paused */
export function resumeSources(database: Database, sources: readonly string[]): Promise<readonly string[]> {
  return database.transaction(async (trx) => {
    const resumed: string[] = [];
    for (const source of sources) {
      if ((await trx('pause').where({ source }).delete()) > 0) resumed.push(source);
    }
    await nextEdition(trx);
    return resumed;
  });
}
