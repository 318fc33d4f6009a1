import type { Knex } from 'knex';
import { notPublicPattern } from '../../core/addresses/private-address.ts';
import type { SeenFile } from '../../core/files/published-files.ts';
import { whereAnyOf } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { ofSources } from '../rows/one-source.ts';
import { noRoomReason, otherBytesReason } from './remote-files.ts';

/** Octets of the mirrored contents that items of a source state, each content once. */
export async function countMirroredBytes(db: Queryable, sourceId: number): Promise<number> {
  const contents = db('remote_file')
    .where({ source_id: sourceId })
    .whereNotNull('content_hash')
    .whereExists(statedAtAll(db, [sourceId]))
    .distinct('content_hash', 'content_length')
    .as('contents');
  const [row] = await db.from(contents).sum({ bytes: 'content_length' });
  return Number((row as { bytes?: unknown } | undefined)?.bytes ?? 0);
}

export type FileCounts = Readonly<Record<SeenFile['outcome'], number>> & {
  /** Contents that are kept. */
  readonly mirrored: number;
  /** Not downloaded, because the quota has no room for them. */
  readonly waitingForRoom: number;
  /** Mirrored, but not what the repository says of them. */
  readonly otherBytes: number;
  /** Never asked for: at addresses that are not public, and not allowed. They are not among the refused ones. */
  readonly atPrivateAddresses: number;
};

/** For rows of `remote_file` of these sources. */
export function statedAtAll(db: Queryable, sourceIds: readonly number[]): Knex.QueryBuilder {
  return db('item_file')
    .modify(ofSources, 'item_file', sourceIds)
    .whereRaw('item_file.source_id = remote_file.source_id')
    .whereRaw('item_file.url = remote_file.url')
    .select(db.raw('1'));
}

interface OutcomeCount {
  readonly source_id: number;
  readonly outcome: SeenFile['outcome'];
  readonly files: number;
  readonly kept: number;
  readonly waiting: number;
  readonly other: number;
  readonly hidden: number;
}

/** How the files that items of these sources state are doing, by URL: `unchecked` without those that wait for room. */
export async function countFilesOf(
  db: Queryable,
  sourceIds: readonly number[],
): Promise<(sourceId: number) => FileCounts> {
  const rows: OutcomeCount[] = await db('remote_file')
    .modify((query) => whereAnyOf(query, 'source_id', sourceIds))
    .whereExists(statedAtAll(db, sourceIds))
    .groupBy('source_id', 'outcome')
    .select(
      'source_id',
      'outcome',
      db.raw('count(*) as files'),
      db.raw('count(content_hash) as kept'),
      db.raw('sum(case when reason = ? then 1 else 0 end) as waiting', [noRoomReason]),
      db.raw('sum(case when reason = ? then 1 else 0 end) as other', [otherBytesReason]),
      db.raw("sum(case when outcome = 'refused' and reason like ? then 1 else 0 end) as hidden", [
        notPublicPattern,
      ]),
    );
  return (sourceId) => sumFiles(rows.filter((row) => row.source_id === sourceId));
}

function sumFiles(rows: readonly OutcomeCount[]): FileCounts {
  const counts = {
    unchecked: 0,
    confirmed: 0,
    refused: 0,
    gone: 0,
    unreachable: 0,
    mirrored: 0,
    waitingForRoom: 0,
    otherBytes: 0,
    atPrivateAddresses: 0,
  };
  for (const { outcome, files, kept, waiting, other, hidden } of rows) {
    counts.otherBytes += Number(other);
    counts.atPrivateAddresses += Number(hidden);
    counts[outcome] = Number(files) - Number(hidden) - (outcome === 'unchecked' ? Number(waiting) : 0);
    counts.waitingForRoom += Number(waiting);
    counts.mirrored += Number(kept);
  }
  return counts;
}
