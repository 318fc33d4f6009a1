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

export interface TableSize {
  readonly name: string;
  /** With its indexes. */
  readonly bytes: number;
  /** As the planner estimates it. */
  readonly rows: number;
}

const shown = 40;

/**
 * What tables take on the server, the largest first; partitions count as the table that they are of. The server looks at the
 * sizes of its files, and reads none of them. SQLite would have to read all of its file: there are none.
 */
export async function readTableSizes({ client, reader }: Database): Promise<readonly TableSize[]> {
  if (client !== 'pg') return [];
  const { rows } = await reader.raw<{
    rows: { name: string; bytes: number | string; rows: number | string }[];
  }>(
    `select coalesce(whole.relname, own.relname) as name,
        sum(pg_total_relation_size(own.oid)) as bytes,
        round(sum(greatest(own.reltuples, 0))) as rows
      from pg_class as own
      join pg_namespace as space on space.oid = own.relnamespace
      left join pg_inherits as part on part.inhrelid = own.oid
      left join pg_class as whole on whole.oid = part.inhparent
      where own.relkind = 'r' and space.nspname = current_schema()
      group by 1 order by 2 desc, 1 limit ?`,
    [shown],
  );
  return rows.map(({ name, bytes, rows: count }) => ({ name, bytes: Number(bytes), rows: Number(count) }));
}

/** Of the file of SQLite, what is empty. @returns undefined for PostgreSQL, which does not tell */
export async function readFreeBytes({ client, reader }: Database): Promise<number | undefined> {
  if (client === 'pg') return undefined;
  const [pages]: { freelist_count: number }[] = await reader.raw('pragma freelist_count');
  const [page]: { page_size: number }[] = await reader.raw('pragma page_size');
  return Number(pages?.freelist_count ?? 0) * Number(page?.page_size ?? 0);
}
