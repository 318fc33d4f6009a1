import type { Threads } from '../core/threads.ts';
import type { SourcePort } from '../resourcesync/source-port.ts';
import type { QuotaLimits } from './choice/quota.ts';
import type { Selection } from './choice/selection.ts';
import type { Way } from './choice/way.ts';
import type { Author, OpenBucket } from './open-sink.ts';
import type { PlaceRule } from './places/loc-path.ts';
import type { Telling } from './sinks/copied-change.ts';
import type { SyncProgress } from './sync-progress.ts';

export interface SyncOptions {
  /** Of the Source, or of anything in it. */
  readonly address: URL;
  /** Of the copy. */
  readonly directory: string;
  /** Undefined: whatever is needed. */
  readonly way: Way | undefined;
  readonly isDryRun: boolean;
  /** Of several sets this one. */
  readonly set: string | undefined;
  /** Undefined: as in the run before; in the first one everything. */
  readonly selection: Selection | undefined;
  /** What the selection leaves out and is held goes. */
  readonly dropsExcluded: boolean;
  /** Undefined: as in the run before. */
  readonly places: readonly PlaceRule[] | undefined;
  /** Where resources go; undefined: as in the run before, in the first one a directory. */
  readonly sink?: string | undefined;
  /** So many may be deleted; undefined: not more than a tenth, or 20. */
  readonly maximumDeletions: number | undefined;
  /** An audit that is asked for writes here what it finds, resource by resource. */
  readonly combined?: string | undefined;
  /** Where replaced and deleted files go; undefined: nowhere. */
  readonly backup: string | undefined;
  /** Further hosts whose resources may be fetched; `*`: all. Undefined: as in the run before. */
  readonly hosts: readonly string[] | undefined;
  /** Requests at a time. */
  readonly transfers: number;
  /** Of one resource. */
  readonly maximumOctets: number;
  /** Once a run has taken so many octets, nothing more is begun; undefined: there is no limit. */
  readonly maximumTransfer?: number | undefined;
  /** What the copy may come to as a whole; what has no room in it stays due. */
  readonly quota?: QuotaLimits | undefined;
}

export interface SyncDeps {
  readonly port: SourcePort;
  /** Our clock, ISO UTC. */
  readonly now: () => string;
  /** What is under way is finished, and nothing new begun. */
  readonly stop: AbortSignal;
  readonly telling?: Telling | undefined;
  /** The way to a bucket, by its address `s3://…`; undefined: there is none. */
  readonly openBucket?: OpenBucket | undefined;
  /** What is many is unpacked there; undefined: here. */
  readonly threads?: Threads | undefined;
  /** Who we are, for what names its author. */
  readonly author?: Author | undefined;
  readonly onProgress?: ((progress: SyncProgress) => void) | undefined;
}
