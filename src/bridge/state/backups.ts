import { stat } from 'node:fs/promises';
import { readFact } from '../../store/alerts/installation-facts.ts';
import type { StoredBridge } from '../stored-bridge.ts';

/** What is known of backups of the database; times in milliseconds. */
export interface Backups {
  /** Of the latest: of `rsbridge backup`, or of whatever else writes `alerts.backupStamp`. */
  readonly at: number | undefined;
  /** Since then `rsbridge backup` could not make this one. */
  readonly failed: BackupFailure | undefined;
}

export interface BackupFailure {
  readonly at: number;
  readonly file: string;
  /** For people. */
  readonly reason: string;
  /** A file of that name was there already. */
  readonly exists: boolean;
}

type Known = Pick<StoredBridge, 'config' | 'database'>;

export async function readBackups(bridge: Known): Promise<Backups> {
  const at = await lastBackupAt(bridge);
  const failed = await readFact(bridge.database.reader, 'backup-failed');
  const isLater = failed !== undefined && failed.at > (at ?? 0);
  return { at, failed: isLater ? { ...parse(failed.value), at: failed.at } : undefined };
}

/** The latest one that is known. */
export async function lastBackupAt({ config, database }: Known): Promise<number | undefined> {
  const { backupStamp } = config.alerts;
  const made = (await readFact(database.reader, 'backup'))?.at;
  const stamped =
    backupStamp === undefined
      ? undefined
      : await stat(backupStamp).then(
          ({ mtimeMs }) => mtimeMs,
          () => undefined,
        );
  const known = [made, stamped].filter((at) => at !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

function parse(value: string): Omit<BackupFailure, 'at'> {
  return JSON.parse(value) as Omit<BackupFailure, 'at'>;
}
