import type { Remarks } from '../../resourcesync/reading/remarks.ts';
import type {
  DocumentOpening,
  Member,
  StatementHandler,
} from '../../resourcesync/reading/source-document.ts';
import type { Statement } from '../../resourcesync/reading/statement.ts';
import type { SourcePort } from '../../resourcesync/source-port.ts';
import type { CopyDatabase } from '../state/copy-database.ts';
import type { DueResource, DueResources } from '../state/due-resources.ts';
import type { HeldResources } from '../state/held-resources.ts';
import type { ListedResources } from '../state/listed-resources.ts';
import type { Comparison } from './comparison.ts';
import type { KnownPackages } from './known-packages.ts';

/**
 * Fetches a package, hands on what its manifest says, and takes from it what became due by that.
 * @returns why it is of no use; undefined: it was read to its end
 */
export type ReadPackage = (
  member: Member,
  handler: StatementHandler,
  keep?: KeepManifest,
) => Promise<string | undefined>;

/** Told the manifest of a package that was read to its end, packed without a header (RFC 1951). */
export type KeepManifest = (packed: Uint8Array) => void;

/** Packages that say what there is, for a copy that has nothing yet. */
export interface Filler {
  /** Begins to fetch one. */
  fetch(member: Member): ComingPackage;
  /** To be called when none is under way. */
  close(): void;
}

/** A package on its way. */
export interface ComingPackage {
  /** Whether it lies here; it never fails. */
  readonly arrived: Promise<boolean>;
  /**
   * Takes from it what is chosen of what its manifest says.
   * @returns why not all of that is in the copy or due; undefined: it is
   */
  fill(filling: Filling): Promise<string | undefined>;
  /** In place of `fill`. Nothing of it is on its way any more. */
  leave(): Promise<void>;
}

/** What is done with a package that says what there is, in a copy that has nothing yet. */
export interface Filling {
  /** Before the first of `choose`. */
  opened(document: DocumentOpening): void;
  /** @returns what is to come at once, `due` where it became a row like any other; undefined: nothing */
  choose(statement: Statement): DueResource | 'due' | undefined;
}

/** What reading a Source's lists needs: what they say becomes rows, and nothing is fetched for it. */
export interface Staging {
  readonly port: SourcePort;
  readonly database: CopyDatabase;
  readonly held: HeldResources;
  readonly due: DueResources;
  readonly remarks: Remarks;
  /** What was chosen. */
  readonly isWanted: (statement: Statement) => boolean;
  /** What is held and not wanted any more goes. */
  readonly dropsExcluded: boolean;
  /** Whether resources of this address may be fetched at all. */
  readonly isAllowed: (loc: string) => boolean;
  /** For manifests that lie in their packages alone; undefined: nothing is fetched. */
  readonly readPackage: ReadPackage | undefined;
  /** Where manifests that lie in their packages alone are remembered. */
  readonly packages: KnownPackages;
  /** Undefined: lists have to say what there is. */
  readonly filler?: Filler | undefined;
  /** Where what a list names is gathered, in a copy that has nothing yet; undefined: in rows. */
  readonly listed?: ListedResources | undefined;
  /** Our clock, ISO UTC: for a Source that states no times at all. */
  readonly now: () => string;
  /** Told what an audit finds. */
  readonly comparison?: Comparison | undefined;
  readonly onProgress?: ((entries: number) => void) | undefined;
}

/** What came of the entries that were read. */
export interface Tally {
  entries: number;
  /** As they are held. */
  same: number;
  /** To be fetched, or asked for. */
  due: number;
  /** To be deleted. */
  doomed: number;
  /** Not chosen. */
  excluded: number;
  /** At other hosts. */
  foreign: number;
  /** Older than what is known. */
  outdated: number;
}

export function addTally(
  sum: Tally,
  { entries, same, due, doomed, excluded, foreign, outdated }: Tally,
): void {
  sum.entries += entries;
  sum.same += same;
  sum.due += due;
  sum.doomed += doomed;
  sum.excluded += excluded;
  sum.foreign += foreign;
  sum.outdated += outdated;
}

export function newTally(): Tally {
  return { entries: 0, same: 0, due: 0, doomed: 0, excluded: 0, foreign: 0, outdated: 0 };
}
