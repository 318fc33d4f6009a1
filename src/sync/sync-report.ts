import type { Remark } from '../resourcesync/reading/remarks.ts';
import type { Way } from './choice/way.ts';
import type { CopyTally } from './content/copying.ts';
import type { LookedAt } from './stages/comparison.ts';
import type { Tally } from './stages/staging.ts';
import type { FailedResource, Obstacle } from './state/due-resources.ts';

/** What a run did, or what it would do. */
export interface SyncReport {
  /** Of the Capability List that was followed. */
  readonly set: string;
  /** One after the other, each with its reason. */
  readonly ways: readonly { readonly way: Way; readonly why: string }[];
  /** Of all lists that were read. */
  readonly read: Readonly<Tally>;
  /** What was to be fetched when all lists had been read, with the octets of those that state a length. */
  readonly due: { readonly count: number; readonly stated: number; readonly octets: number };
  readonly copied: Readonly<CopyTally>;
  /** Packages of dumps that were read. */
  readonly packages: number;
  /** What an audit that was asked for found of the files of the copy; undefined: they were not looked at. */
  readonly looked: Readonly<LookedAt> | undefined;
  /** Resources that are to be deleted and were not; undefined: none. */
  readonly heldBack:
    | {
        readonly count: number;
        readonly limit: number;
        /** They are absent from a list that names nothing. */
        readonly isListEmpty: boolean;
      }
    | undefined;
  /** Still due, those that failed first. */
  readonly left: number;
  readonly failures: readonly FailedResource[];
  /** What keeps resources out of the copy, beside those. */
  readonly obstacles: readonly Obstacle[];
  /** In the copy. */
  readonly held: number;
  /** Up to when the copy knows everything, in the Source's time; undefined: it does not yet. */
  readonly cursor: string | undefined;
  /** Lists that could not be read to their ends, gaps between them, dumps of no use. */
  readonly notes: readonly string[];
  readonly remarks: readonly Remark[];
  readonly isDryRun: boolean;
  readonly isStopped: boolean;
  /** The copy is what the Source says, as far as it tells; false where anybody has to look, or a later run. */
  readonly isComplete: boolean;
}
