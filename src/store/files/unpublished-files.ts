import { hostNotPublic } from '../../core/addresses/private-address.ts';
import type { Queryable } from '../engine/database.ts';
import { statedAtAll } from '../tally/file-standing.ts';
import type { FileCounts } from './file-counts.ts';
import type { WithheldCounts } from './withheld-files.ts';

/** A file that items state and that is not published, because of what its server says, or of where it lies. */
export interface UnpublishedFile {
  readonly id: number;
  readonly url: string;
  readonly outcome: 'refused' | 'gone';
  /** It was never asked for: its address is not public, and not allowed. */
  readonly atPrivateAddress: boolean;
  /** One clause, for people. */
  readonly reason: string | undefined;
  /** When that was found last, ISO UTC. */
  readonly checkedAt: string | undefined;
}

export type UnpublishedCounts = Pick<WithheldCounts, 'refused' | 'gone' | 'atPrivateAddresses'>;

/** How many that are: those of all whose servers say no, or are not asked, that are not published and withheld. */
export function countUnpublished(files: FileCounts, withheld: UnpublishedCounts): UnpublishedCounts {
  const left = (what: keyof UnpublishedCounts) => Math.max(0, files[what] - withheld[what]);
  return {
    refused: left('refused'),
    gone: left('gone'),
    atPrivateAddresses: left('atPrivateAddresses'),
  };
}

interface Row {
  readonly id: number;
  readonly url: string;
  readonly outcome: 'refused' | 'gone';
  readonly reason: string | null;
  readonly checked_at: string | null;
}

/** Of a source, in the order of ids, which are those of the table `remote_file`; without what is withheld. */
export async function listUnpublishedFiles(
  db: Queryable,
  sourceId: number,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<readonly UnpublishedFile[]> {
  const rows: Row[] = await db('remote_file')
    .select('id', 'url', 'outcome', 'reason', 'checked_at')
    .where({ source_id: sourceId, withheld_at: null })
    .whereIn('outcome', ['refused', 'gone'])
    .where('id', '>', after)
    .whereExists(statedAtAll(db, [sourceId]))
    .orderBy('id')
    .limit(limit);
  return rows.map(({ id, url, outcome, reason, checked_at }) => ({
    ...{ id, url, outcome },
    atPrivateAddress: hostNotPublic(reason ?? undefined) !== undefined,
    reason: reason ?? undefined,
    checkedAt: checked_at ?? undefined,
  }));
}
