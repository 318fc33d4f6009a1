import type { Database, Queryable } from '../engine/database.ts';
import { nextEdition } from './edition.ts';

/** A source that is configured in the database. */
export interface KeptSource {
  readonly name: string;
  /** As somebody gave them, without those of its group and without defaults. */
  readonly settings: Readonly<Record<string, unknown>>;
}

interface KeptRow {
  readonly name: string;
  readonly settings: string;
}

/** In the order of their names. */
export async function listKeptSources(db: Queryable): Promise<readonly KeptSource[]> {
  const rows: KeptRow[] = await db('kept_source').select('name', 'settings').orderBy('name');
  return rows.map(({ name, settings }) => ({ name, settings: JSON.parse(settings) }));
}

export async function findKeptSource(db: Queryable, name: string): Promise<KeptSource | undefined> {
  const row: KeptRow | undefined = await db('kept_source').where({ name }).first('name', 'settings');
  return row && { name, settings: JSON.parse(row.settings) };
}

/**
 * Every process at the database hears of it.
 * @param now ISO
 * @returns the names of those that were kept: one that is there already stays as it is
 */
export function keepSources(
  database: Database,
  sources: readonly KeptSource[],
  now: string,
): Promise<readonly string[]> {
  return database.transaction(async (trx) => {
    const kept: string[] = [];
    for (const { name, settings } of sources) {
      const [row] = await trx('kept_source')
        .insert({ name, settings: JSON.stringify(settings), updated_at: now })
        .onConflict('name')
        .ignore()
        .returning('name');
      if (row) kept.push(name);
    }
    await nextEdition(trx);
    return kept;
  });
}

/**
 * @param change what becomes of its settings; in one transaction with reading them
 * @returns whether there is such a source
 */
export function changeKeptSource(
  database: Database,
  name: string,
  change: (settings: KeptSource['settings']) => KeptSource['settings'],
  now: string,
): Promise<boolean> {
  return database.transaction(async (trx) => {
    // Written first: on SQLite this takes the lock, on PostgreSQL that of the row.
    const found = await trx('kept_source').where({ name }).update({ updated_at: now });
    if (found === 0) return false;
    const before = (await findKeptSource(trx, name))?.settings ?? {};
    const settings = JSON.stringify(change(before));
    await trx('kept_source').where({ name }).update({ settings });
    await nextEdition(trx);
    return true;
  });
}

/** @returns whether there was such a source */
export function forgetKeptSource(database: Database, name: string): Promise<boolean> {
  return database.transaction(async (trx) => {
    const found = await trx('kept_source').where({ name }).delete();
    await trx('pause').where({ source: name }).delete();
    await trx('due').where({ source: name }).delete();
    await nextEdition(trx);
    return found > 0;
  });
}
