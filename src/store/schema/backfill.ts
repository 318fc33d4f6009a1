import type { Database } from '../engine/database.ts';
import type { Migration } from './migration.ts';

/** How far each migration is whose rows are filled in behind the work. */
export const fillTable =
  'create table if not exists backfill (name text primary key, after text, ended_at text)';

/**
 * Fills in the next rows of a migration. Several processes may do so: they take turns, and whoever is killed leaves it
 * to the others at the last commit.
 * @returns whether something is left
 */
export function fillNext(database: Database, { name, fill }: Migration): Promise<boolean> {
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

/** Fills in all that a migration left. */
export async function endFilling(
  database: Database,
  list: readonly Migration[],
  name: string,
): Promise<void> {
  const migration = list.find((one) => one.name === name);
  if (!migration?.fill) throw new Error(`there is nothing in ${name} that could be filled in`);
  while (await fillNext(database, migration));
}
