import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { loadConfig } from '../../bridge/config/load-config.ts';
import { makeWritableDirectory } from '../../bridge/config/writable.ts';
import { systemClock } from '../../bridge/system-clock.ts';
import { countOf } from '../../core/count-of.ts';
import { toIso } from '../../core/datetime.ts';
import { BridgeError } from '../../core/errors.ts';
import type { CarriedOver } from '../../store/backup/carried-over.ts';
import { inspectSqlite, isSqliteFile, replaceSqlite } from '../../store/backup/sqlite-copy.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult } from '../terminal/io.ts';
import {
  describe,
  noteBackup,
  noteInFile,
  type RestoreBackupFlags,
  whatIsNext,
  withoutPassword,
} from './backup-command.ts';
import { intoPostgres } from './into-postgres.ts';

/** Puts a backup in the place of the database; what comes from SQLite fills an empty PostgreSQL, too. */
export async function restoreBackup(file: string, flags: RestoreBackupFlags, io: CommandIo): Promise<number> {
  const config = loadConfig(flags, io.env, io.cwd);
  const from = resolve(io.cwd, file);
  if (!existsSync(from)) throw new BridgeError('backup-refused', `there is no ${from}`);
  const isSqlite = await isSqliteFile(from);
  const { database } = config;
  if (database.client === 'pg' && isSqlite) return intoPostgres(from, config, flags, io);
  if (database.client === 'pg')
    throw new BridgeError(
      'usage',
      `the database is PostgreSQL, which has tools of its own: pg_restore --clean --dbname="${withoutPassword(database.url)}" ${file}; what was withdrawn since it was made, and tokens revoked since, have to be so once more before rsbridge serve begins`,
    );
  if (from === database.file) throw new BridgeError('backup-refused', `${from} is the database itself`);
  if (!isSqlite) throw new BridgeError('backup-refused', `${from} is not a backup`);
  if (flags.dryRun) {
    const facts = await inspectSqlite(from);
    printResult(io, flags.json, { dryRun: true, ...facts }, `${from}: ${describe(facts)} (dry run)`);
    return exitCodes.ok;
  }
  makeWritableDirectory(dirname(database.file));
  const { facts, kept, carried } = await replaceSqlite(from, database.file, toIso(systemClock.now()));
  // A copy does not know that it is one.
  await noteBackup(config, from, Math.floor(statSync(from).mtimeMs));
  await noteInFile(config, 'restored a backup', from, io);
  const next = [
    ...(kept === undefined ? [] : [`what was there is kept as ${kept}; remove it when all is well`]),
    ...(carried ? whatStays(carried) : [nothingKnown]),
    ...whatIsNext(config),
  ];
  printResult(
    io,
    flags.json,
    { restored: from, database: database.file, ...facts, kept, carriedOver: carried ?? null, next },
    [`${database.file}: ${describe(facts)}, from ${from}`, ...next.map((sentence) => `  ${sentence}`)].join(
      '\n',
    ),
  );
  return exitCodes.ok;
}

/** There was no database, or none that can be read. */
const nothingKnown =
  'what was withdrawn since the backup, and which accounts and tokens were taken away, is not known here: do it again (`rsbridge withdraw`, `rsbridge admin`) before `rsbridge serve` begins, and have `rsbridge harvest --full` find what repositories have hidden since';
const mostNamed = 5;

function whatStays({ withdrawals, refusals, gone, access, restored }: CarriedOver): readonly string[] {
  const names = restored.slice(0, mostNamed).map((one) => `rsbridge restore ${one}`);
  const more = restored.length > mostNamed ? `, and ${restored.length - mostNamed} more` : '';
  return [
    ...(withdrawals > 0
      ? [`${countOf(withdrawals, 'withdrawal')} made since the backup hold${withdrawals === 1 ? 's' : ''} on`]
      : []),
    ...(refusals > 0
      ? [
          `${countOf(refusals, 'file')} refused since by their servers: withheld until those have been asked again`,
        ]
      : []),
    ...(gone > 0
      ? [
          `${countOf(gone, 'resource')} of the backup not published any more: withheld until their repositories show them; the next harvest of their sources reads everything`,
        ]
      : []),
    access
      ? 'accounts, tokens and the audit log are those of before, not of the backup'
      : 'accounts, tokens and the audit log are those of the backup: it is not an earlier state of what was here',
    ...(restored.length > 0
      ? [`withdrawn again, as they were at the backup: ${names.join(', ')}${more} publishes them`]
      : []),
  ];
}
