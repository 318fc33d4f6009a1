import type { Backups } from '../../bridge/state/backups.ts';
import type { Config } from '../../core/config/config.ts';
import { toIso } from '../../core/datetime.ts';
import { createReader } from '../../server/words/reader.ts';
import { withoutPassword } from '../backup/backup-command.ts';
import { type Diagnosis, diagnose } from './diagnosis.ts';

const dayMs = 86_400_000;
const nightly = 'each night: docs/backup.md';
const reader = createReader('en');

/** @param now in milliseconds */
export function judgeBackup(
  { alerts, database }: Pick<Config, 'alerts' | 'database'>,
  { at, failed }: Backups,
  now: number,
): readonly Diagnosis[] {
  const { backupDays, backupStamp } = alerts;
  const when = (time: number) => {
    const date = toIso(new Date(time));
    return `${date} (${reader.age(date, toIso(new Date(now)))})`;
  };
  const told = at === undefined ? '' : `the latest is of ${when(at)}`;
  const again = mendOf(database, backupStamp);
  return diagnose(
    'backup',
    [
      failed !== undefined && {
        severity: 'warning',
        message: `${failed.file} could not be made at ${when(failed.at)}: ${failed.reason}${told && `; ${told}`}`,
        mend: `rsbridge backup ${failed.file}${failed.exists ? ' --force, or a name with the date in it' : ''} (${nightly})`,
      },
      failed === undefined &&
        at === undefined && {
          severity: 'warning',
          message: `none is known${backupStamp === undefined ? '' : `, nor is there ${backupStamp}`}: what was published before cannot be had again from any repository`,
          mend: `${again}${backupStamp === undefined ? '; of backups by other means: alerts: { backupStamp: FILE }' : ''}`,
        },
      backupDays !== false &&
        failed === undefined &&
        at !== undefined &&
        now - at > backupDays * dayMs && { severity: 'warning', message: told, mend: again },
    ],
    told,
  );
}

/** PostgreSQL has tools of its own, which tell nobody: a file is touched for that. */
function mendOf(database: Config['database'], stamp = 'FILE.made'): string {
  if (database.client === 'sqlite') return `rsbridge backup FILE (${nightly})`;
  const dump = `pg_dump --format=custom --file=FILE "${withoutPassword(database.url)}"`;
  return `${dump} && touch ${stamp} (${nightly})`;
}
