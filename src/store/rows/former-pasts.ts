import type { Knex } from 'knex';
import { whereAnyOf } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { sameSource } from './one-source.ts';

/**
 * Where another item has the identifier of one that its repository refuses, what is published of it is public, and what there was
 * before stays withheld. Those versions count as dropped, and their bytes stay: they are the former item's, and say so
 * (`upstream_url`, which no other version of metadata has). When that item is shown again, they are back.
 */
export interface FormerPast {
  readonly id: number;
  /** The former item's are the changes behind this one, */
  readonly after: number;
  /** up to this one. */
  readonly seq: number;
  /** Address of the former item. */
  readonly owner: string;
}

export async function withholdPasts(
  trx: Knex.Transaction,
  sourceId: number,
  pasts: readonly FormerPast[],
  now: string,
): Promise<void> {
  for (const { id, after, seq, owner } of pasts) {
    // What is there now is the item's own, though nothing in it has changed since it was the other's.
    const current = trx('resource')
      .where({ source_id: sourceId, id })
      .whereNull('deleted_at')
      .whereRaw(
        'not exists (select 1 from version as later where later.source_id = ? and later.resource_id = ? and later.seq > version.seq)',
        [sourceId, id],
      )
      .select(trx.raw('1'));
    await trx('version')
      .where({ source_id: sourceId, resource_id: id, gone: 0 })
      .where('seq', '>', after)
      .where('seq', '<=', seq)
      .whereNull('dropped_at')
      .whereNotExists(current)
      .update({ dropped_at: now, upstream_url: owner });
  }
}

/** As far as their bytes are still there. */
export async function showPasts(
  trx: Knex.Transaction,
  sourceId: number,
  pasts: readonly Pick<FormerPast, 'id' | 'owner'>[],
): Promise<void> {
  for (const { id, owner } of pasts)
    await trx('version')
      .where({ source_id: sourceId, resource_id: id, upstream_url: owner })
      .whereNotNull('dropped_at')
      .whereExists(trx('blob').select(trx.raw('1')).whereRaw('blob.hash = version.hash'))
      .update({ dropped_at: null, upstream_url: null });
}

/**
 * Within a statement about a table with the columns of a version: the `former_item` whose it is, if its repository does not show that.
 * @param table that has `source_id`, `resource_id` and `seq`
 */
export function hiddenFormerOf(table: string): string {
  const isOf = (one: string) =>
    `${one}.source_id = ${table}.source_id and ${one}.resource_id = ${table}.resource_id and ${one}.until_seq >= ${table}.seq`;
  return `from former_item as former where ${isOf('former')} and former.hidden_seq is not null and not exists (
    select 1 from former_item as earlier where ${isOf('earlier')} and earlier.until_seq < former.until_seq)`;
}

/** Resources of a source whose former items were found to be hidden behind a sequence of its journal; as `resource`, for more conditions. */
export function hiddenFormersSince(db: Queryable, sourceId: number, seq: number): Knex.QueryBuilder {
  return db('former_item as former')
    .join('resource', 'resource.id', 'former.resource_id')
    .modify(sameSource, 'resource', 'former')
    .where('former.source_id', sourceId)
    .where('former.hidden_seq', '>', seq);
}

/** Within a statement about `resource` and its change `gone`: whether what lived before it is a former item's. */
export function wasOfFormerItem(sourceId: number): string {
  return `resource.kind = 'metadata' and (
  select case when former.dropped_at is null then null else former.upstream_url end from version as former
  where former.source_id = ${sourceId} and former.resource_id = gone.resource_id and former.seq < gone.seq and former.gone = 0
  order by former.seq desc limit 1) is not null`;
}

/** What may not be handed out of the past of these paths, though something public is there by now: the hashes of each. */
export async function findFormerHashes(
  db: Queryable,
  sourceId: number | undefined,
  paths: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const found = new Map<string, Set<string>>();
  if (sourceId === undefined || paths.length === 0) return found;
  const former = await hashesOf(db, sourceId, [...new Set(paths)], (version) =>
    version.whereNotNull('version.dropped_at').whereNotNull('version.upstream_url'),
  );
  if (former.length === 0) return found;
  for (const { path, hash } of former) found.set(path, (found.get(path) ?? new Set()).add(hash));
  // What it is, or was, by itself as well is public.
  const own = await hashesOf(db, sourceId, [...found.keys()], (version) =>
    version.whereNull('version.dropped_at'),
  );
  for (const { path, hash } of own) found.get(path)?.delete(hash);
  return found;
}

function hashesOf(
  db: Queryable,
  sourceId: number,
  paths: readonly string[],
  which: (version: Knex.QueryBuilder) => void,
): Promise<readonly { readonly path: string; readonly hash: string }[]> {
  return db('resource')
    .join('version', 'version.resource_id', 'resource.id')
    .modify(sameSource, 'version', 'resource')
    .where({ 'resource.source_id': sourceId, 'resource.kind': 'metadata', 'version.source_id': sourceId })
    .modify((query) => whereAnyOf(query, 'resource.path', paths))
    .whereNotNull('version.hash')
    .modify(which)
    .select('resource.path', 'version.hash');
}
