import { isPostgres } from '../engine/bulk.ts';
import type { Database } from '../engine/database.ts';

/** By which the store looks up what it holds of a page of records, where an index by the source alone would seem to do as well. */
const lookedUpBy: Readonly<Record<string, string>> = {
  item: 'source_id, identifier',
  resource: 'source_id, item_id, path',
  item_collection: 'source_id, item_id',
  item_file: 'source_id, item_id, url',
  remote_file: 'source_id, url',
  change: 'source_id, resource_id',
};

/**
 * Lets PostgreSQL look anew at what it holds of a source that has grown. By itself it does so once a minute at the most, and when a tenth of a
 * partition is new. Until then it takes a source that it has never met to have a row or two, and for each page reads all that came before.
 *
 * A few thousand rows of a few columns: that does not count as the look that autovacuum will take.
 */
export async function refreshStatistics(database: Database, sourceId: number): Promise<void> {
  if (!isPostgres(database.writer)) return;
  await database.transaction(async (trx) => {
    const { rows } = await trx.raw<{ rows: { parent: string; name: string }[] }>(partitionsOfSource, [
      Object.keys(lookedUpBy),
      sourceId,
    ]);
    if (rows.length === 0) return;
    const tables = rows.map(({ parent, name }) => `${name} (${lookedUpBy[parent]})`);
    await trx.raw('set local default_statistics_target = 10');
    // What another process is at is done then, too.
    await trx.raw(`analyze (skip_locked) ${tables.join(', ')}`);
  });
}

const partitionsOfSource = `select parent, name from (
    select parent.relname as parent, parent.oid as parent_oid, part.oid::regclass::text as name,
      substring(part.relname from '\\d+$')::int as remainder, count(*) over (partition by parent.oid)::int as modulus
    from pg_class as parent
    join pg_inherits on inhparent = parent.oid
    join pg_class as part on part.oid = inhrelid
    where parent.oid = any(array(select unnest(?::text[])::regclass::oid))) as parts
  where satisfies_hash_partition(parent_oid, modulus, remainder, ?::int)`;

const firstLook = 1000;

/** Whether it has become four times as many as when it was last time to look: with 1,000, 4,000, 16,000… */
export function isTimeToLook(before: number, now: number): boolean {
  for (let many = firstLook; many <= now; many *= 4) if (before < many) return true;
  return false;
}
