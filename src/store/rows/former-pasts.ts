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
  /** The last change that was the former item's. */
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
  for (const { id, seq, owner } of pasts)
    await trx('version')
      .where({ source_id: sourceId, resource_id: id, gone: 0 })
      .where('seq', '<=', seq)
      .whereNull('dropped_at')
      .update({ dropped_at: now, upstream_url: owner });
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
  const rows: { path: string; hash: string; dropped_at: string | null; upstream_url: string | null }[] =
    await db('resource')
      .join('version', 'version.resource_id', 'resource.id')
      .modify(sameSource, 'version', 'resource')
      .where({ 'resource.source_id': sourceId, 'resource.kind': 'metadata', 'version.source_id': sourceId })
      .modify((query) => whereAnyOf(query, 'resource.path', [...new Set(paths)]))
      .whereNotNull('version.hash')
      .where((any) => any.whereNotNull('version.upstream_url').orWhereNull('version.dropped_at'))
      .select('resource.path', 'version.hash', 'version.dropped_at', 'version.upstream_url');
  for (const { path, hash, dropped_at, upstream_url } of rows) {
    if (dropped_at === null || upstream_url === null) continue;
    const hashes = found.get(path) ?? new Set();
    found.set(path, hashes.add(hash));
  }
  // What it is, or was, by itself as well is public.
  for (const { path, hash, dropped_at } of rows) if (dropped_at === null) found.get(path)?.delete(hash);
  return found;
}
