export interface SyncFlags {
  readonly baseline: boolean;
  readonly incremental: boolean;
  readonly audit: boolean;
  readonly watch: boolean;
  /** Seconds. */
  readonly every: number;
  readonly dryRun: boolean;
  readonly set?: string;
  readonly only?: readonly string[];
  readonly deleteExcluded: boolean;
  readonly map?: readonly string[];
  readonly sink?: string;
  readonly maxDelete?: number;
  readonly backupDir?: string;
  readonly combined?: string;
  readonly exec?: string;
  readonly ndjson: boolean;
  readonly ack: boolean;
  readonly host?: readonly string[];
  readonly transfers: number;
  readonly maxSize?: number;
  readonly maxTransfer?: number;
  readonly quota?: number;
  readonly quotaResources?: number;
  readonly allowPrivate: boolean;
  readonly contact?: string;
  readonly accessTokenFile?: string;
  readonly json: boolean;
}
