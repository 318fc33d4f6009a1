import type { Database, Queryable } from '../engine/database.ts';
import { buildNext } from './large-indexes.ts';
import type { LargeIndex, Migration } from './migration.ts';

/** How far each migration is whose rows are filled in behind the work. */
export const fillTable =
  'create table if not exists backfill (name text primary key, after text, ended_at text)';

/**
 * Fills in the next rows of a migration. Several processes may do so: they take turns, and whoever is killed leaves it
 * to the others at the last commit.
 * @returns whether something is left
 */
export async function fillNext(
  database: Database,
  { name, fill, indexes }: Migration,
  stop?: AbortSignal,
): Promise<boolean> {
  if (indexes) return buildSome(database, name, indexes, stop);
  return database.transaction(async (trx) => {
    const own = () => trx('backfill').where({ name, ended_at: null });
    // Written first: another process that fills in the same waits here.
    if ((await own().update({ name })) === 0 || !fill) return false;
    const { after }: { after: string | null } = await own().first('after');
    const next = await fill(trx, after ?? undefined);
    await own().update(next === undefined ? { ended_at: new Date().toISOString() } : { after: next });
    return next !== undefined;
  });
}

/** Built beside those who write, and so in no transaction: whoever comes to an end first says so. */
async function buildSome(
  database: Database,
  name: string,
  indexes: readonly LargeIndex[],
  stop: AbortSignal | undefined,
): Promise<boolean> {
  const { writer } = database;
  const row = await whatIsLeft(writer, name);
  if (!row) return false;
  const next = await buildNext(database, indexes, row.after ?? undefined, stop);
  await writer('backfill')
    .where({ name, ...row, ended_at: null })
    .update(next === undefined ? { ended_at: new Date().toISOString() } : { after: next });
  return next !== undefined;
}

/** Whether nothing of a migration is left to be filled in or built. */
export async function isFilledIn(db: Queryable, name: string): Promise<boolean> {
  return (await whatIsLeft(db, name)) === undefined;
}

async function whatIsLeft(db: Queryable, name: string): Promise<{ after: string | null } | undefined> {
  if (!(await db.schema.hasTable('backfill'))) return undefined;
  return db('backfill').where({ name, ended_at: null }).first('after');
}

/** Whoever did not know a migration has left rows that it is to fill in, after all had been. */
export async function openFilling(db: Queryable, name: string): Promise<void> {
  await db('backfill').where({ name }).whereNotNull('ended_at').update({ ended_at: null, after: null });
}

/** Fills in all that a migration left. */
export async function endFilling(
  database: Database,
  list: readonly Migration[],
  name: string,
): Promise<void> {
  const migration = list.find((one) => one.name === name);
  if (!migration?.fill && !migration?.indexes)
    throw new Error(`there is nothing in ${name} that could be filled in`);
  while (await fillNext(database, migration));
}
