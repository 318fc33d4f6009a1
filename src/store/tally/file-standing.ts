import type { Knex } from 'knex';
import { notPublicPattern } from '../../core/addresses/private-address.ts';
import type { SeenFile } from '../../core/files/published-files.ts';
import type { Queryable } from '../engine/database.ts';
import { ofSources } from '../rows/one-source.ts';

/** The reason of files that are put off until the quota has room for them. */
export const noRoomReason = 'it does not fit into what is left of quotaBytes';

/** The reason of files whose bytes were downloaded twice, and contradict length or checksum both times. */
export const otherBytesReason = 'its bytes are not what the repository says of them';

/** How a file is doing, as far as it is counted: what its server said, and some of why. */
export interface Standing {
  readonly outcome: SeenFile['outcome'];
  /** Its content is kept. */
  readonly isKept: boolean;
  /** Not downloaded, because the quota has no room for it. */
  readonly isWaiting: boolean;
  /** Mirrored, but not what the repository says of it. */
  readonly hasOtherBytes: boolean;
  /** At an address that is not public and not allowed: it was never asked for. */
  readonly isHidden: boolean;
}

/** Numbers that databases have: nothing but an end may be added. */
const outcomes = ['unchecked', 'confirmed', 'refused', 'gone', 'unreachable'] as const;
const bits = { isKept: 1, isWaiting: 2, hasOtherBytes: 4, isHidden: 8 } as const;
const perOutcome = 16;

/** Of a file that no item states any more; it is not counted. */
export const unstated = 0;

const numberOfOutcome = outcomes
  .map((outcome, index) => `when '${outcome}' then ${(index + 1) * perOutcome}`)
  .join(' ');
const whyOf = `(case outcome ${numberOfOutcome} else ${unstated} end)
  + (case when content_hash is null then 0 else ${bits.isKept} end)
  + (case reason when ? then ${bits.isWaiting} when ? then ${bits.hasOtherBytes} else 0 end)
  + (case when outcome = 'refused' and reason like ? then ${bits.isHidden} else 0 end)`;

/** Of rows of `remote_file` of these sources, as a number (`readStanding`). */
export function standingOf(db: Queryable, sourceIds: readonly number[]): Knex.Raw {
  return db.raw(`case when exists ? then ${whyOf} else ${unstated} end`, [
    statedAtAll(db, sourceIds),
    noRoomReason,
    otherBytesReason,
    notPublicPattern,
  ]);
}

/** For rows of `remote_file` of these sources. */
export function statedAtAll(db: Queryable, sourceIds: readonly number[]): Knex.QueryBuilder {
  return db('item_file')
    .modify(ofSources, 'item_file', sourceIds)
    .whereRaw('item_file.source_id = remote_file.source_id')
    .whereRaw('item_file.url = remote_file.url')
    .select(db.raw('1'));
}

/** @returns undefined: no item states it */
export function readStanding(number: number): Standing | undefined {
  const outcome = outcomes[Math.floor(number / perOutcome) - 1];
  if (outcome === undefined) return undefined;
  const has = (bit: keyof typeof bits) => (number & bits[bit]) !== 0;
  return {
    outcome,
    isKept: has('isKept'),
    isWaiting: has('isWaiting'),
    hasOtherBytes: has('hasOtherBytes'),
    isHidden: has('isHidden'),
  };
}

/** What of a file says how it is counted. */
export interface CountedFacts {
  readonly outcome: SeenFile['outcome'];
  readonly reason?: string | undefined;
  readonly contentHash?: string | undefined;
}

/** Whether a file may be counted in another way than before. */
export function isCountedOtherwise(before: CountedFacts | undefined, after: CountedFacts): boolean {
  return (
    before?.outcome !== after.outcome ||
    before.reason !== after.reason ||
    (before.contentHash === undefined) !== (after.contentHash === undefined)
  );
}
