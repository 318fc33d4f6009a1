import type { NotificationCounts } from '../store/notifications/inbox.ts';
import type { PushState } from '../store/push/state.ts';

/** What is measured of the sources and of the installation, for `/metrics`. Moments are milliseconds since the epoch. */
export interface Measures {
  readonly sources: readonly SourceMeasures[];
  readonly queue: readonly QueueMeasures[];
  /** Of the file, or of the whole database on a server; undefined: nobody may know. */
  readonly databaseBytes: number | undefined;
  /** SQLite: what is written, and not yet in the file. */
  readonly walBytes: number | undefined;
  readonly disks: readonly DiskMeasures[];
  readonly alerts: AlertMeasures;
  /** Of those who are told of changes; undefined: there are none, and never were. */
  readonly push?: PushState | undefined;
  /** What came by COAR Notify, of those that are kept. */
  readonly notified?: readonly NotificationCounts[] | undefined;
  /** Subscriptions to Sources that are followed. */
  readonly followed?: readonly FollowedMeasures[] | undefined;
}

export interface AlertMeasures {
  /** Since the database was made: `sent`, `failed` (and tried again), `given-up`. */
  readonly counted: readonly { readonly channel: string; readonly outcome: string; readonly count: number }[];
  /** Messages that are to be sent. */
  readonly waiting: number;
  /** What is wrong and was told, by kind. */
  readonly active: readonly { readonly kind: string; readonly count: number }[];
  /** When the latest backup was made, where that is known. */
  readonly backupAt: number | undefined;
}

export interface SourceMeasures {
  readonly name: string;
  /** When it was harvested well last; else since when it is known. */
  readonly goodSince: number;
  /** Harvests of what is new that failed in a row. */
  readonly failures: number;
  /** Records that cannot be read. */
  readonly unreadable: number;
  /** Items that are missing from the repository, and wait for a decision. */
  readonly vanished: number;
  /** Published, and not served at present: refused by their servers, gone there, or at addresses that are not asked. */
  readonly withheld: {
    readonly refused: number;
    readonly gone: number;
    readonly atPrivateAddresses: number;
  };
  /** Between two turns of its schedule; undefined: it has none, or is paused. */
  readonly periodMs: number | undefined;
  /** The last harvest that ended. */
  readonly lastRun: { readonly mode: string; readonly seconds: number } | undefined;
  /** Since when a change of it is not in all lists; undefined: they are level. */
  readonly unpublishedSince: number | undefined;
}

/** What is due, of one kind. */
export interface QueueMeasures {
  readonly kind: string;
  readonly waiting: number;
  readonly running: number;
  /** Since when the one has been due that has waited longest. */
  readonly waitingSince: number | undefined;
  /** Failed the last time. */
  readonly failing: number;
  /** When the next one is due that is not due yet. */
  readonly nextAt: number | undefined;
}

export interface DiskMeasures {
  /** `data`, `database`. */
  readonly place: string;
  readonly free: number;
  readonly total: number;
}

/** How often the repository of a source answered so, since this process began. */
export interface UpstreamAnswers {
  readonly source: string;
  /** One of a few: by status; `failed`: none came. */
  readonly answer: string;
  readonly count: number;
}

/** What is kept, and where, for whoever looks after the machine. What is undefined, nobody can tell cheaply. */
export interface StorageMeasures {
  /** ISO: of all but `files`. */
  readonly at: string;
  readonly database: {
    readonly client: 'sqlite' | 'pg';
    readonly bytes: number | undefined;
    readonly walBytes: number | undefined;
    /** SQLite: of these bytes, what is empty; it is used before the file grows. */
    readonly freeBytes: number | undefined;
  };
  /** The largest first; none of SQLite, which would have to read all of it. */
  readonly tables: readonly TableMeasures[];
  readonly items: number;
  readonly resources: number;
  /** Undefined: they are being counted for the first time. */
  readonly files: FilesMeasures | undefined;
  /** What of it goes to the object storage, whose bytes are not counted: it is never searched. */
  readonly inBucket: readonly string[];
  readonly disks: readonly DiskMeasures[];
  /** ISO; undefined: no backup is known. */
  readonly backupAt: string | undefined;
  /** Work that is due, and waits. */
  readonly waiting: number;
}

export interface TableMeasures {
  readonly name: string;
  /** With its indexes. */
  readonly bytes: number;
  /** As the server estimates it. */
  readonly rows: number;
}

export const filePlaces = ['contents', 'documents', 'packages', 'past', 'copies', 'other'] as const;
export type FilePlace = (typeof filePlaces)[number];

/** Files in the data directory, but for the database. */
export interface FilesMeasures {
  /** ISO: when it began to count them. */
  readonly at: string;
  /** False: there are so many that not all were counted, and there is more of each. */
  readonly complete: boolean;
  readonly places: readonly { readonly place: FilePlace; readonly files: number; readonly bytes: number }[];
  /** Documents and packages by source, the largest first; some of them. */
  readonly sources: readonly { readonly name: string; readonly files: number; readonly bytes: number }[];
}

export interface FollowedMeasures {
  readonly source: string;
  /** `active`: its hub tells of changes. */
  readonly state: string;
  /** Notifications since the subscription was made. */
  readonly received: number;
  /** In milliseconds; undefined: none came yet. */
  readonly receivedAt: number | undefined;
}
