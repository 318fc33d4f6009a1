import type { Config } from '../../core/config/config.ts';
import { type Diagnosis, diagnose } from './diagnosis.ts';

const dayMs = 86_400_000;
const mend = 'rsbridge backup FILE (each night: docs/backup.md)';

/** @param at the latest that is known, in milliseconds */
export function judgeBackup(
  { backupDays, backupStamp }: Config['alerts'],
  at: number | undefined,
  now: number,
): readonly Diagnosis[] {
  const days = at === undefined ? 0 : Math.floor((now - at) / dayMs);
  const date = at === undefined ? '' : new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
  const told = `the latest is of ${date}, ${days} days ago`;
  return diagnose(
    'backup',
    [
      at === undefined && {
        severity: 'warning',
        message: `none is known${backupStamp === undefined ? '' : `, nor is there ${backupStamp}`}: what was published before cannot be had again from any repository`,
        mend: `${mend}; of backups by other means: alerts: { backupStamp: FILE }`,
      },
      backupDays !== false &&
        at !== undefined &&
        now - at > backupDays * dayMs && { severity: 'warning', message: told, mend },
    ],
    told,
  );
}
