import type { Knex } from 'knex';
import { insertRows, isPostgres, whereAnyOf } from '../engine/bulk.ts';
import type { Database, Queryable } from '../engine/database.ts';
import { ofSource } from '../rows/one-source.ts';
import { standingOf, unstated } from './file-standing.ts';

/**
 * Files are counted where they change, not where somebody asks. Whoever changes what a file is counted as names it in the same
 * transaction; the next who settles counts those that are named anew, and whoever reads meanwhile does so for himself. A name that
 * is not committed when the others are counted stays for the next time, so that none is lost.
 */
export async function nameFiles(
  trx: Knex.Transaction,
  sourceId: number,
  urls: Iterable<string>,
): Promise<void> {
  await insertRows(
    trx,
    'file_recount',
    [...new Set(urls)].map((url) => ({ source_id: sourceId, url })),
  );
}

/** Files of so many names are counted in a transaction. */
const namesAtATime = 1_000;

/** Counts the files of a source that are named. @param signal what is left is counted the next time */
export async function settleTally(database: Database, sourceId: number, signal?: AbortSignal): Promise<void> {
  // Nearly always there are none: then nothing is written.
  if (!(await database.writer('file_recount').where({ source_id: sourceId }).first('id'))) return;
  // What processes of before change is not named: as long as they are at work, names alone say nothing.
  if (await database.writer('file_tally').where({ source_id: 0, files: 1 }).first('files')) return;
  while (!signal?.aborted && (await settleSome(database, sourceId)));
}

interface Counted {
  readonly id: number;
  readonly counted: number | null;
}

/** @returns whether there were any */
function settleSome(database: Database, sourceId: number): Promise<boolean> {
  return database.transaction(async (trx) => {
    // Written first: on SQLite this takes the lock.
    await trx('file_recount').where({ id: 0 }).delete();
    const names: { id: number; url: string }[] = await trx('file_recount')
      .select('id', 'url')
      .where({ source_id: sourceId })
      .orderBy('id')
      .limit(namesAtATime);
    const urls = [...new Set(names.map(({ url }) => url))];
    const before: Counted[] = await trx('remote_file')
      .select('id', 'counted')
      .where({ source_id: sourceId })
      .modify((query) => whereAnyOf(query, 'url', urls))
      .orderBy('id')
      .modify(inTurn);
    const now = await standingsOf(trx, sourceId, before);
    const changed = new Map<number, number[]>();
    for (const { id, counted } of before) {
      const standing = now.get(id) ?? unstated;
      if (standing !== counted) changed.set(standing, [...(changed.get(standing) ?? []), id]);
    }
    for (const [counted, ids] of changed)
      await trx('remote_file')
        .modify((query) => whereAnyOf(query, 'id', ids))
        .modify(ofSource, 'remote_file', sourceId)
        .update({ counted });
    await addToTally(trx, sourceId, [
      ...before.map(({ counted }) => [counted ?? unstated, -1] as const),
      ...before.map(({ id }) => [now.get(id) ?? unstated, 1] as const),
    ]);
    await trx('file_recount')
      .where({ source_id: sourceId })
      .modify((query) =>
        whereAnyOf(
          query,
          'id',
          names.map(({ id }) => Number(id)),
        ),
      )
      .delete();
    return names.length === namesAtATime;
  });
}

/** Asked for after the rows are locked: what was changed before that is committed by then. */
async function standingsOf(
  trx: Knex.Transaction,
  sourceId: number,
  files: readonly Counted[],
): Promise<ReadonlyMap<number, number>> {
  const rows: { id: number; standing: number }[] = await trx('remote_file')
    .select('id', { standing: standingOf(trx, [sourceId]) })
    .modify(ofSource, 'remote_file', sourceId)
    .modify((query) =>
      whereAnyOf(
        query,
        'id',
        files.map(({ id }) => id),
      ),
    );
  return new Map(rows.map(({ id, standing }) => [id, Number(standing)]));
}

/** Two processes may be counting the same. */
function inTurn(query: Knex.QueryBuilder): void {
  if (isPostgres(query)) query.forUpdate();
}

async function addToTally(
  trx: Knex.Transaction,
  sourceId: number,
  changes: Iterable<readonly [standing: number, files: number]>,
): Promise<void> {
  const sums = new Map<number, number>();
  for (const [standing, files] of changes) sums.set(standing, (sums.get(standing) ?? 0) + files);
  for (const [standing, files] of [...sums].sort(([a], [b]) => a - b))
    if (standing !== unstated && files !== 0)
      await trx.raw(
        `insert into file_tally (source_id, standing, files) values (?, ?, ?)
          on conflict (source_id, standing) do update set files = file_tally.files + excluded.files`,
        [sourceId, standing, files],
      );
}

/**
 * Rows of `remote_file` that are about to be deleted are counted no more.
 * @param files a query of them
 */
export async function uncountFiles(
  trx: Knex.Transaction,
  sourceId: number,
  files: Knex.QueryBuilder,
): Promise<void> {
  const rows: Counted[] = await files.select('id', 'counted').orderBy('id').modify(inTurn);
  await addToTally(
    trx,
    sourceId,
    rows.map(({ counted }) => [counted ?? unstated, -1] as const),
  );
}

export interface TalliedFiles {
  readonly source_id: number;
  /** `readStanding` */
  readonly standing: number;
  readonly files: number;
}

/** Files of these sources, of one moment; undefined: those of before are not named yet. */
export async function readTally(
  db: Queryable,
  sourceIds: readonly number[],
): Promise<readonly TalliedFiles[] | undefined> {
  const named = (file: Knex.QueryBuilder) =>
    file
      .joinRaw('cross join remote_file')
      .whereRaw('remote_file.source_id = named.source_id and remote_file.url = named.url')
      .modify((query) => whereAnyOf(query, 'remote_file.source_id', sourceIds));
  const told = db
    .unionAll([
      db('file_tally')
        .select('source_id', 'standing', 'files')
        .modify((query) => whereAnyOf(query, 'source_id', [0, ...sourceIds])),
      // SQLite keeps to the order of a cross join: the few names lead to the files.
      named(db('named'))
        .whereNotNull('remote_file.counted')
        .select('remote_file.source_id', 'remote_file.counted')
        .select(db.raw('-1')),
      named(db('named'))
        .select('remote_file.source_id')
        .select(standingOf(db, sourceIds))
        .select(db.raw('1')),
    ])
    .as('told');
  const rows: Record<keyof TalliedFiles, unknown>[] = await db
    .with(
      'named',
      db('file_recount')
        .distinct('source_id', 'url')
        .modify((query) => whereAnyOf(query, 'source_id', sourceIds)),
    )
    .from(told)
    .groupBy('source_id', 'standing')
    .select('source_id', 'standing')
    .sum({ files: 'files' });
  if (rows.some(({ source_id }) => Number(source_id) === 0)) return undefined;
  return rows.map(({ source_id, standing, files }) => ({
    source_id: Number(source_id),
    standing: Number(standing),
    files: Number(files),
  }));
}

/** All files of these sources, counted one by one. */
export async function countAll(
  db: Queryable,
  sourceIds: readonly number[],
): Promise<readonly TalliedFiles[]> {
  const all = db('remote_file')
    .modify((query) => whereAnyOf(query, 'source_id', sourceIds))
    .select('source_id', { standing: standingOf(db, sourceIds) })
    .as('every');
  const rows: Record<keyof TalliedFiles, unknown>[] = await db
    .from(all)
    .groupBy('source_id', 'standing')
    .select('source_id', 'standing')
    .count({ files: '*' });
  return rows.map(({ source_id, standing, files }) => ({
    source_id: Number(source_id),
    standing: Number(standing),
    files: Number(files),
  }));
}

/** Whether the tally says what all files of a source say, in one moment. It reads all of them. */
export async function areTalliedRight(database: Database, sourceId: number): Promise<boolean> {
  return database.snapshot(async (trx) => {
    const tallied = await readTally(trx, [sourceId]);
    if (!tallied) return true;
    const numbers = (rows: readonly TalliedFiles[]) =>
      rows
        .filter(({ standing, files }) => standing !== unstated && files !== 0)
        .map(({ standing, files }) => `${standing}: ${files}`)
        .sort()
        .join();
    return numbers(tallied) === numbers(await countAll(trx, [sourceId]));
  });
}

/** Makes the tally what files are counted as, and names all of them. */
export async function recountFiles(database: Database, sourceId: number): Promise<void> {
  await database.transaction(async (trx) => {
    // Whoever is counting has committed by then, or waits.
    await trx('file_tally').where({ source_id: sourceId }).delete();
    await trx.raw(
      `insert into file_tally (source_id, standing, files)
        select source_id, counted, count(*) from remote_file
        where source_id = ? and counted is not null and counted <> ${unstated} group by source_id, counted`,
      [sourceId],
    );
    await trx.raw(
      'insert into file_recount (source_id, url) select source_id, url from remote_file where source_id = ?',
      [sourceId],
    );
  });
  await settleTally(database, sourceId);
}
