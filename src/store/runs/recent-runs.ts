import { whereAnyOf } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { findRuns, listLatestRuns, type Run, type RunKind } from './runs.ts';

/** The latest runs of each of these sources, the newest first. */
export async function listRecentRuns(
  db: Queryable,
  names: readonly string[],
  limit: number,
): Promise<ReadonlyMap<string, readonly Run<RunKind>[]>> {
  const rows: { id: number; name: string }[] = await db('source')
    .select('id', 'name')
    .modify((query) => whereAnyOf(query, 'name', names));
  const runs = await listLatestRuns(
    db,
    rows.map(({ id }) => id),
    limit,
  );
  return new Map(rows.map(({ id, name }) => [name, runs.get(id) ?? []]));
}

/** Of one source, those before a number, the newest first. */
export async function listRunsBefore(
  db: Queryable,
  source: string,
  { before, limit }: { readonly before?: number | undefined; readonly limit: number },
): Promise<readonly Run<RunKind>[]> {
  const rows: { id: number }[] = await db('run')
    .where('source_id', db('source').select('id').where({ name: source }))
    .modify((query) => {
      if (before !== undefined) query.where('id', '<', before);
    })
    .orderBy('id', 'desc')
    .limit(limit)
    .select('id');
  const runs = await findRuns(
    db,
    rows.map(({ id }) => id),
  );
  return rows.flatMap(({ id }) => runs.get(id) ?? []);
}

/** A run by its number, with the name of its source. */
export async function findRunById(
  db: Queryable,
  id: number,
): Promise<{ readonly source: string; readonly run: Run<RunKind> } | undefined> {
  const row: { name: string } | undefined = await db('run')
    .join('source', 'source.id', 'run.source_id')
    .where('run.id', id)
    .first('source.name');
  const run = row && (await findRuns(db, [id])).get(id);
  return row && run && { source: row.name, run };
}
