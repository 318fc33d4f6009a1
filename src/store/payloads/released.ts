import type { Knex } from 'knex';
import { addSeconds, endOfUtcDay } from '../../core/datetime.ts';
import { listedHashes } from '../drivers/sqlite-hashes.ts';
import { insertRows, isPostgres, whereAnyOf } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { hiddenFormerOf } from '../rows/former-pasts.ts';

/**
 * Versions that retention has given up, until their bytes are removed: the table `released`. What is removed is
 * found through it, and nothing is removed that it does not name.
 */
export interface ReleasedVersion {
  readonly resourceId: number;
  readonly seq: number;
  /** Of the version after it. */
  readonly endSeq: number;
  readonly hash: string;
}

/** For so long a version that was given up can be brought back. */
const graceSeconds = 2 * 86_400;

/** What is given up on one day falls due at one moment, so that looking for what still needs it pays. */
export function dueAfterGrace(now: string): string {
  return endOfUtcDay(addSeconds(now, graceSeconds));
}

/**
 * Gives up versions of a source.
 * @returns how many had not been given up before
 */
export async function releaseVersions(
  trx: Knex.Transaction,
  sourceId: number,
  versions: readonly ReleasedVersion[],
  now: string,
): Promise<number> {
  const rows = versions.map(({ resourceId, seq, endSeq, hash }) => ({
    source_id: sourceId,
    resource_id: resourceId,
    seq,
    end_seq: endSeq,
    hash,
    due_at: dueAfterGrace(now),
  }));
  const conflict = { columns: ['source_id', 'resource_id', 'seq'], update: [] };
  await insertRows(trx, 'released', rows, { conflict });
  const resources = [...new Set(versions.map(({ resourceId }) => resourceId))];
  return trx('version')
    .whereNull('dropped_at')
    .where({ source_id: sourceId })
    .whereIn(['resource_id', 'seq'], releasedOf(trx, sourceId, resources).select('resource_id', 'seq'))
    .update({ dropped_at: now });
}

/**
 * Brings back versions of a source whose bytes are still there.
 * @returns how many; 0 where none is left that could be
 */
export async function restoreVersions(
  trx: Knex.Transaction,
  sourceId: number,
  limit: number,
): Promise<number> {
  const rows: { id: number; resource_id: number; seq: number }[] = await trx('released')
    .select('id', 'resource_id', 'seq')
    .where({ source_id: sourceId })
    .whereExists(trx('blob').select(trx.raw('1')).whereRaw('blob.hash = released.hash'))
    .orderBy('id')
    .limit(limit)
    .modify((query) => {
      // What is just being removed is not brought back.
      if (isPostgres(trx)) query.forUpdate().skipLocked();
    });
  if (rows.length === 0) return 0;
  const ids = rows.map(({ id }) => id);
  const these = trx('released')
    .select('resource_id', 'seq')
    .modify((query) => whereAnyOf(query, 'id', ids));
  await trx('version')
    .where({ source_id: sourceId })
    .whereIn(['resource_id', 'seq'], these)
    // What is withheld besides does not come back.
    .whereRaw(`not exists (select 1 ${hiddenFormerOf('version')})`)
    .update({ dropped_at: null });
  await trx('released')
    .modify((query) => whereAnyOf(query, 'id', ids))
    .delete();
  return rows.length;
}

/**
 * Whoever stores bytes says so before anything else, in the transaction that stores them or in one before it: should
 * the same bytes have been given up, they are not removed for now. Where they are being removed at this moment, this
 * waits until they are, and then they are stored as if they had never been there.
 */
export async function claimPayloads(db: Queryable, hashes: readonly string[]): Promise<void> {
  if (hashes.length === 0) return;
  await db('released')
    // Most databases have none, and need not read the list for that.
    .whereRaw('exists (select 1 from released)')
    .whereNotNull('due_at')
    .modify((query) => {
      // SQLite reads it before it looks, if it is there.
      if (isPostgres(db)) whereAnyOf(query, 'hash', hashes);
      else query.whereRaw(`hash in (${listedIfReleased})`, [JSON.stringify(hashes)]);
    })
    .update({ due_at: null });
}

const listedIfReleased = listedHashes.replace(
  'json_each(?)',
  "json_each(case when exists (select 1 from released) then ? else '[]' end)",
);

function releasedOf(trx: Knex.Transaction, sourceId: number, resources: readonly number[]) {
  return trx('released')
    .where({ source_id: sourceId })
    .modify((query) => whereAnyOf(query, 'resource_id', resources));
}
