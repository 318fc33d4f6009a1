import type { SeenFile } from '../../core/files/published-files.ts';
import type { Queryable } from '../engine/database.ts';
import { readStanding, statedAtAll } from '../tally/file-standing.ts';
import { countAll, readTally, type TalliedFiles } from '../tally/file-tally.ts';

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

/** How the files that items of these sources state are doing, by URL: `unchecked` without those that wait for room. */
export async function countFilesOf(
  db: Queryable,
  sourceIds: readonly number[],
): Promise<(sourceId: number) => FileCounts> {
  const rows = (await readTally(db, sourceIds)) ?? (await countAll(db, sourceIds));
  return (sourceId) => sumFiles(rows.filter((row) => row.source_id === sourceId));
}

function sumFiles(rows: readonly TalliedFiles[]): FileCounts {
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
  for (const { standing, files } of rows) {
    const read = readStanding(standing);
    if (!read) continue;
    const { outcome, isKept, isWaiting, hasOtherBytes, isHidden } = read;
    if (isKept) counts.mirrored += files;
    if (isWaiting) counts.waitingForRoom += files;
    if (hasOtherBytes) counts.otherBytes += files;
    if (isHidden) counts.atPrivateAddresses += files;
    if (!isHidden && !(isWaiting && outcome === 'unchecked')) counts[outcome] += files;
  }
  return counts;
}
