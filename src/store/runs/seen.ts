import type { Knex } from 'knex';
import { insertRows, isPostgres, whereAnyOf } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import type { ResourceRange } from '../rows/one-source.ts';

/**
 * Which resources the runs have met. A resource that is written says so itself (`resource.seen_run`); of one that a pass
 * met and that needs nothing, a bit in `seen` does, so that a pass over what has not changed writes next to nothing.
 * What a later pass has met needs no bits of earlier ones: `foldSeen` leaves those of one pass.
 */
const idsPerChunk = 32;

export async function markSeen(
  trx: Knex.Transaction,
  sourceId: number,
  runId: number,
  ids: readonly number[],
): Promise<void> {
  const rows = [...toChunks(ids)].sort(([a], [b]) => a - b);
  await insertRows(
    trx,
    'seen',
    rows.map(([chunk, bits]) => ({ source_id: sourceId, chunk, run_id: runId, bits })),
    { conflict: { columns: ['source_id', 'chunk', 'run_id'], update: ['bits'], asBits: true } },
  );
}

function toChunks(ids: readonly number[]): ReadonlyMap<number, number> {
  const chunks = new Map<number, number>();
  for (const id of ids) {
    const chunk = Math.floor(id / idsPerChunk);
    chunks.set(chunk, ((chunks.get(chunk) ?? 0) | (1 << (id % idsPerChunk))) >>> 0);
  }
  return chunks;
}

/** Those of these resources for which a bit says that a run has met them. */
export async function readSeen(
  db: Queryable,
  sourceId: number,
  runId: number,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set();
  const wanted = toChunks(ids);
  const rows: { chunk: number; bits: number }[] = await db('seen')
    .select('chunk', 'bits')
    .where({ source_id: sourceId, run_id: runId })
    .modify((query) => whereAnyOf(query, 'chunk', [...wanted.keys()]));
  const bits = new Map(rows.map((row) => [row.chunk, row.bits]));
  return new Set(
    ids.filter((id) => (((bits.get(Math.floor(id / idsPerChunk)) ?? 0) >>> (id % idsPerChunk)) & 1) === 1),
  );
}

/**
 * Within a statement over `resource`: the bits that some run has set for the row's resource.
 * @param sourceId whose all of them are: then PostgreSQL looks into one partition of the bits; undefined: several sources'
 */
const bitsOfResource = (sourceId: number | undefined) => `from seen where seen.source_id = ${
  sourceId ?? 'resource.source_id'
}
  and seen.chunk = resource.id / ${idsPerChunk}
  and (seen.bits >> cast(resource.id % ${idsPerChunk} as integer)) & 1 = 1`;

/**
 * Within a statement over `resource`: neither this run nor a later one has met it.
 * @param run its id: a number, or an expression of SQL
 * @param sourceId of all those resources, if they are of one source
 */
export function unseenBy(run: number | string, sourceId: number | undefined): string {
  return `(resource.seen_run is null or resource.seen_run < ${run})
    and not exists (select 1 ${bitsOfResource(sourceId)} and seen.run_id >= ${run})`;
}

/** Within a statement over `resource`: the last run that met it; 0 where there was none. */
export function lastSeenBy(db: Queryable, sourceId: number): string {
  const later = isPostgres(db) ? 'greatest' : 'max';
  return `${later}(coalesce(resource.seen_run, 0), coalesce((select max(seen.run_id) ${bitsOfResource(sourceId)}), 0))`;
}

/**
 * At the end of a pass, of some resources: what it has met needs no earlier bits; what it has not met (which is little, or a
 * matter for a person) says itself from now on who met it last. Bits that it shares with the resources behind stay.
 */
export async function foldSeen(
  trx: Knex.Transaction,
  sourceId: number,
  runId: number,
  { after, last }: ResourceRange,
): Promise<void> {
  const [first, end] = [Math.floor(after / idsPerChunk), Math.floor(last / idsPerChunk)];
  const earlier = () => earlierBits(trx, sourceId, runId).where('chunk', '>=', first);
  if (!(await earlier().where('chunk', '<=', end).first('run_id'))) return;
  await trx('resource')
    .where({ source_id: sourceId })
    .where('id', '>', after)
    .where('id', '<=', last)
    .whereNull('deleted_at')
    .whereRaw(unseenBy(runId, sourceId))
    .whereRaw(
      `exists (select 1 ${bitsOfResource(sourceId)} and seen.run_id > coalesce(resource.seen_run, 0))`,
    )
    .update({ seen_run: trx.raw(`(select max(seen.run_id) ${bitsOfResource(sourceId)})`) });
  await earlier().where('chunk', '<', end).delete();
}

/** Once all of a source is folded: the bits of resources that are the last, or are no more. */
export async function forgetSeenBefore(
  trx: Knex.Transaction,
  sourceId: number,
  runId: number,
): Promise<void> {
  await earlierBits(trx, sourceId, runId).delete();
}

function earlierBits(trx: Knex.Transaction, sourceId: number, runId: number): Knex.QueryBuilder {
  return trx('seen').where({ source_id: sourceId }).where('run_id', '<', runId);
}
