import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { loadConfig } from '../../bridge/config/load-config.ts';
import { makeWritableDirectory } from '../../bridge/config/writable.ts';
import { systemClock } from '../../bridge/system-clock.ts';
import { toIso, toStamp } from '../../core/datetime.ts';
import { BridgeError } from '../../core/errors.ts';
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
      `the database is PostgreSQL, which has tools of its own: pg_restore --clean --dbname="${withoutPassword(database.url)}" ${file}`,
    );
  if (from === database.file) throw new BridgeError('backup-refused', `${from} is the database itself`);
  if (!isSqlite) throw new BridgeError('backup-refused', `${from} is not a backup`);
  if (flags.dryRun) {
    const facts = await inspectSqlite(from);
    printResult(io, flags.json, { dryRun: true, ...facts }, `${from}: ${describe(facts)} (dry run)`);
    return exitCodes.ok;
  }
  makeWritableDirectory(dirname(database.file));
  const { facts, kept } = await replaceSqlite(from, database.file, toStamp(toIso(systemClock.now())));
  // A copy does not know that it is one.
  await noteBackup(config, from, statSync(from).mtimeMs);
  await noteInFile(config, 'restored a backup', from, io);
  const next = [
    ...(kept === undefined ? [] : [`what was there is kept as ${kept}; remove it when all is well`]),
    ...whatIsNext(config),
  ];
  printResult(
    io,
    flags.json,
    { restored: from, database: database.file, ...facts, kept, next },
    [`${database.file}: ${describe(facts)}, from ${from}`, ...next.map((sentence) => `  ${sentence}`)].join(
      '\n',
    ),
  );
  return exitCodes.ok;
}
