import type { Database } from '../../../src/store/engine/database.ts';

interface Index {
  readonly name: string;
  readonly sql: string;
}

/** Runs `work` while the tables have no index but that of their key, and makes the others anew. */
export async function withoutIndexes(
  database: Database,
  tables: readonly string[],
  work: () => Promise<void>,
): Promise<void> {
  const { writer } = database;
  const indexes: Index[] = [];
  for (const table of tables) indexes.push(...(await indexesOf(database, table)));
  for (const { name } of indexes) await writer.raw(`drop index "${name}"`);
  await work();
  for (const { sql } of indexes) await writer.raw(sql);
}

async function indexesOf({ client, writer }: Database, table: string): Promise<readonly Index[]> {
  if (client === 'sqlite')
    return writer('sqlite_master')
      .select('name', 'sql')
      .where({ type: 'index', tbl_name: table })
      .whereNotNull('sql');
  const { rows } = await writer.raw<{ rows: Index[] }>(
    `select relname as name, pg_get_indexdef(indexrelid) as sql
      from pg_index join pg_class on pg_class.oid = indexrelid
      where indrelid = ?::regclass and not indisprimary`,
    [table],
  );
  // Of a table with partitions, it says that the index is of the table alone.
  return rows.map(({ name, sql }) => ({ name, sql: sql.replace(' ON ONLY ', ' ON ') }));
}
