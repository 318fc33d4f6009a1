import type { Database } from '../../../src/store/engine/database.ts';

/**
 * Divides the large tables of an empty database among fewer partitions than migrations do: what has to hold for one of them holds for
 * each, and a database that is copied some hundred times has a fourth of the files. PostgreSQL only.
 *
 * @param count of each table
 */
export async function divideAmong(database: Database, count: number): Promise<void> {
  const { rows } = await database.writer.raw(
    `select parent.oid::regclass::text as parent, array_agg(part.oid::regclass::text order by part.oid) as parts,
      min(array_to_string(part.reloptions, ', ')) as options
    from pg_class parent join pg_inherits on inhparent = parent.oid join pg_class part on part.oid = inhrelid
    where parent.relkind = 'p' group by parent.oid`,
  );
  for (const { parent, parts, options } of rows as PartitionedTable[]) {
    const settings = options ? ` with (${options})` : '';
    await database.writer.raw(
      [
        `drop table ${parts.join(', ')}`,
        ...Array.from(
          { length: count },
          (_, part) =>
            `create table ${parent}_p${part} partition of ${parent} for values with (modulus ${count}, remainder ${part})${settings}`,
        ),
      ].join(';\n'),
    );
  }
}

interface PartitionedTable {
  readonly parent: string;
  readonly parts: readonly string[];
  /** As `create table` has them in its `with`. */
  readonly options: string | null;
}
