import type { Database, Queryable } from '../engine/database.ts';

/**
 * Remembers which sources are private: what is served of one that has left the configuration is as private as it was.
 * @param named all sources of a configuration
 */
export async function markPrivate(
  database: Database,
  named: ReadonlyMap<string, { readonly isPrivate: boolean }>,
): Promise<void> {
  const marked = new Set(await listMarkedPrivate(database.reader));
  const open = [...marked].filter((name) => named.get(name)?.isPrivate === false);
  const added = [...named].flatMap(([name, { isPrivate }]) =>
    isPrivate && !marked.has(name) ? [{ name }] : [],
  );
  if (open.length === 0 && added.length === 0) return;
  await database.transaction(async (trx) => {
    for (const name of open) await trx('private_source').where({ name }).delete();
    for (const row of added) await trx('private_source').insert(row).onConflict('name').ignore();
  });
}

/** Sources that were private when they were configured last. */
export async function listMarkedPrivate(db: Queryable): Promise<readonly string[]> {
  const rows: { name: string }[] = await db('private_source').orderBy('name').select('name');
  return rows.map(({ name }) => name);
}

/** Whether it was private when it was configured last. */
export async function isMarkedPrivate(db: Queryable, name: string): Promise<boolean> {
  // PostgreSQL refuses NUL even in a question.
  if (name.includes('\0')) return false;
  return (await db('private_source').where({ name }).first('name')) !== undefined;
}
