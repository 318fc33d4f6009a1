import { existsSync, readFileSync } from 'node:fs';
import type { DatabaseConfig } from '../../../src/core/config/config.ts';
import { type Database, openDatabase } from '../../../src/store/engine/database.ts';

/** Opens a store for a piece of work, and closes it: what PostgreSQL counts of it is told by then. */
export async function using<T>(config: DatabaseConfig, work: (database: Database) => Promise<T>): Promise<T> {
  const database = openDatabase(config);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Only Linux says what a process has read. */
export const saysWhatIsRead = existsSync('/proc/self/io');

/** Rows that PostgreSQL has read, in tables and by indexes, and kilobytes of its file that SQLite has, by all who are done. */
export async function looked(config: DatabaseConfig): Promise<number> {
  if (config.client === 'sqlite')
    return Number(/^rchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]) / 1024;
  return using(config, async ({ reader }) => {
    const { rows } = await reader.raw<{ rows: { rows: string }[] }>(
      'select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) as rows from pg_stat_user_tables',
    );
    return Number(rows[0]?.rows);
  });
}

/** Tables as small as those of tests PostgreSQL would rather read as a whole than look for a few rows. Of whoever opens the store from now on. */
export async function preferIndexes({ writer }: Database): Promise<void> {
  const { rows } = await writer.raw<{ rows: { name: string }[] }>('select current_database() as name');
  for (const setting of ['random_page_cost = 0.1', 'enable_seqscan = off'])
    await writer.raw(`alter database ${rows[0]?.name} set ${setting}`);
}
