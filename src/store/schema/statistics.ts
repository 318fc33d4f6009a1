import type { Knex } from 'knex';
import type { Database } from '../engine/database.ts';

/** Rows of which it is worth it, and how many times as many there have to be for the next look. */
const [firstLook, growth] = [1000, 4];

/** By which the store looks up what it holds of a source, and goes through it, where an index by the source alone would seem to do as well. */
const lookedUpBy: Readonly<Record<string, string>> = {
  item: 'source_id, id, identifier, landing_due',
  resource: 'source_id, id, item_id, path, kind, deleted_at, withdrawn_at',
  item_collection: 'source_id, item_id, collection_id',
  item_file: 'source_id, item_id, url',
  remote_file: 'source_id, url',
  change: 'source_id, seq, resource_id',
  version: 'source_id, resource_id, seq',
  description: 'source_id, item_id, resource_id, place',
  oai_record: 'source_id, format, spec, seq, resource_id',
};

/**
 * Lets PostgreSQL look anew at what it holds of a source that has grown, and at tables that have grown as a whole.
 *
 * By itself it looks at a partition once a minute at the most, and when a tenth of it is new. Until then it takes a source that it has never met to
 * have a row or two, and for each page reads all that came before. At a table that has partitions it never looks as a whole; how its rows meet those
 * of others it does not know then, and reads all of a source for one of its resources.
 *
 * A few thousand rows of a few columns: that does not count as the look that autovacuum will take.
 * @param sourceId that has grown; undefined: none in particular
 */
export async function refreshStatistics(database: Database, sourceId?: number): Promise<void> {
  if (database.client !== 'pg') return;
  await database.transaction(async (trx) => {
    await trx.raw('set local default_statistics_target = 10');
    const tables = Object.keys(lookedUpBy);
    if (sourceId !== undefined) await analyze(trx, await rowsOf(trx, partsOfSource, [tables, sourceId]));
    await analyze(trx, await rowsOf(trx, grownTables, [tables]));
  });
}

interface Table {
  readonly parent: string;
  readonly name: string;
  readonly word: string;
}

async function rowsOf(
  trx: Knex.Transaction,
  sql: string,
  bindings: readonly unknown[],
): Promise<readonly Table[]> {
  return (await trx.raw<{ rows: Table[] }>(sql, bindings as Knex.Value[])).rows;
}

async function analyze(trx: Knex.Transaction, tables: readonly Table[]): Promise<void> {
  if (tables.length === 0) return;
  const list = tables.map(({ parent, name, word }) => `${word} ${name} (${lookedUpBy[parent]})`);
  // What another process is at is done then, too.
  await trx.raw(`analyze (skip_locked) ${list.join(', ')}`);
}

const tablesNamed = 'parent.oid = any(array(select unnest(?::text[])::regclass::oid))';

const partsOfSource = `select parent, name, '' as word from (
    select parent.relname as parent, parent.oid as parent_oid, part.oid::regclass::text as name,
      substring(part.relname from '\\d+$')::int as remainder, count(*) over (partition by parent.oid)::int as modulus
    from pg_class as parent
    join pg_inherits on inhparent = parent.oid
    join pg_class as part on part.oid = inhrelid
    where ${tablesNamed}) as parts
  where satisfies_hash_partition(parent_oid, modulus, remainder, ?::int)`;

/** Four times as large as when they were looked at; before version 18 PostgreSQL cannot but look at each partition, too. */
const grownTables = `select parent.relname as parent, parent.oid::regclass::text as name,
    case when current_setting('server_version_num')::int >= 180000 then 'only' else '' end as word
  from pg_class as parent
  join pg_inherits on inhparent = parent.oid
  join pg_class as part on part.oid = inhrelid
  where ${tablesNamed}
  group by parent.oid, parent.relname, parent.reltuples
  having sum(greatest(part.reltuples, 0)) >= ${firstLook}
    and sum(greatest(part.reltuples, 0)) > ${growth} * greatest(parent.reltuples, 0)`;

/** Whether it has become four times as many as when it was last time to look: with 1,000, 4,000, 16,000… */
export function isTimeToLook(before: number, now: number): boolean {
  for (let many = firstLook; many <= now; many *= growth) if (before < many) return true;
  return false;
}
