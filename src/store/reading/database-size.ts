import { statSync } from 'node:fs';
import type { DatabaseConfig } from '../../core/config/config.ts';
import type { Database } from '../engine/database.ts';

export interface DatabaseSize {
  /** Undefined: nobody may know. */
  readonly bytes: number | undefined;
  /** Of the write-ahead log of SQLite: what is written, and not yet in the file. */
  readonly walBytes: number | undefined;
}

/** What the database takes, on the disk or on its server. */
export async function readDatabaseSize({ reader }: Database, config: DatabaseConfig): Promise<DatabaseSize> {
  if (config.client === 'pg') {
    const { rows } = await reader.raw<{ rows: { bytes: number | string }[] }>(
      'select pg_database_size(current_database()) as bytes',
    );
    return { bytes: Number(rows[0]?.bytes), walBytes: undefined };
  }
  const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size;
  return { bytes: sizeOf(config.file), walBytes: sizeOf(`${config.file}-wal`) ?? 0 };
}
