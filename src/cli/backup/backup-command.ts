import { existsSync, mkdtempSync, rmdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { loadConfig } from '../../bridge/config/load-config.ts';
import { makeWritableDirectory } from '../../bridge/config/writable.ts';
import { systemClock } from '../../bridge/system-clock.ts';
import type { Config } from '../../core/config/config.ts';
import { countOf } from '../../core/count-of.ts';
import { BridgeError, describeError } from '../../core/errors.ts';
import type { Action } from '../../store/admin/audit.ts';
import { type FactName, type InstallationFact, writeFact } from '../../store/alerts/installation-facts.ts';
import { type CopyFacts, copySqlite } from '../../store/backup/sqlite-copy.ts';
import { openDatabase } from '../../store/engine/database.ts';
import { translate } from '../../store/engine/storage-error.ts';
import { checkSchema } from '../../store/schema/migrate.ts';
import { noteCommand } from '../terminal/actor.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult, say } from '../terminal/io.ts';

export interface BackupFlags {
  readonly config?: string;
  readonly json: boolean;
  /** Overwrite. */
  readonly force: boolean;
}

export type RestoreBackupFlags = Pick<BackupFlags, 'config' | 'json'> & { readonly dryRun: boolean };

/** One file with everything that the database has now; whatever harvests and serves goes on meanwhile. */
export async function backupCommand(file: string, flags: BackupFlags, io: CommandIo): Promise<number> {
  const config = loadConfig(flags, io.env, io.cwd);
  const from = sqliteFile(config, (database) => `pg_dump --format=custom --file=${file} "${database}"`);
  const to = resolve(io.cwd, file);
  const facts = await copyChecked(from, to, flags, io).catch(async (error: unknown) => {
    await noteFailure(config, to, error);
    throw error;
  });
  await noteBackup(config, to, systemClock.now().getTime());
  const others = filesBeside(config);
  await noteInFile(config, 'made a backup', to, io);
  printResult(
    io,
    flags.json,
    { backup: to, database: from, ...facts, notIncluded: others },
    [`${to}: ${describe(facts)}; checked, no damage`, ...others.map((sentence) => `  ${sentence}`)].join(
      '\n',
    ),
  );
  return exitCodes.ok;
}

async function copyChecked(from: string, to: string, flags: BackupFlags, io: CommandIo): Promise<CopyFacts> {
  if (to === from) throw new BridgeError('backup-refused', `${to} is the database itself`);
  if (existsSync(to)) {
    if (!statSync(to).isFile()) throw new BridgeError('backup-refused', `${to} is not a file`);
    if (!flags.force) throw new BridgeError('backup-refused', `${to} exists already`);
  }
  const directory = dirname(to);
  // Made here, it would lie on another disk than the one that is not mounted.
  if (!existsSync(directory) && existsSync(dirname(from)))
    throw new BridgeError(
      'backup-refused',
      `there is no directory ${directory}: is its disk mounted? (mkdir -p ${directory} makes it)`,
    );
  refuseUnwritable(directory);
  // Nothing can be said in between: the database is copied in one statement.
  const { size } = statSync(from, { throwIfNoEntry: false }) ?? { size: 0 };
  if (!flags.json) say(io, `copying ${from} (${(size / 1_000_000).toFixed(1)} MB), then checking the copy`);
  return copySqlite(from, to);
}

/** So that `doctor` and alerts know how old the latest one is. @param at in milliseconds */
export function noteBackup(config: Config, file: string, at: number): Promise<void> {
  return note(config, 'backup', { value: file, at });
}

/** So that a night without a backup is told of, too, where nobody reads what cron sends. */
function noteFailure(config: Config, file: string, error: unknown): Promise<void> {
  const reason = describeError(translate(error));
  const exists = existsSync(file);
  const value = JSON.stringify({ file, reason, exists });
  return note(config, 'backup-failed', { value, at: systemClock.now().getTime() });
}

/** A database that this version does not know, or none, is left as it is. */
async function note({ database: settings }: Config, name: FactName, fact: InstallationFact): Promise<void> {
  if (settings.client === 'sqlite' && !existsSync(settings.file)) return;
  const database = openDatabase(settings);
  try {
    await checkSchema(database);
    await writeFact(database, name, fact);
  } catch {
    // What was done, or could not be, is said all the same.
  } finally {
    await database.close();
  }
}

/** What is to be restored is a backup, and not something that was withdrawn. */
export function isFile(argument: string, cwd: string): boolean {
  return statSync(resolve(cwd, argument), { throwIfNoEntry: false })?.isFile() === true;
}

/**
 * Into the audit log, where the database is of a version that has one: it is not brought to ours for that. What was done
 * is not undone where that fails.
 */
export async function noteInFile(
  { database: settings }: Config,
  action: Action,
  what: string,
  io: CommandIo,
): Promise<void> {
  const database = openDatabase(settings);
  try {
    if (await database.writer.schema.hasTable('audit'))
      await noteCommand({ database, clock: systemClock }, action, what);
  } catch (error) {
    say(io, `the audit log does not say so: ${describeError(translate(error))}`);
  } finally {
    await database.close();
  }
}

/** @throws BridgeError `storage` before the database is copied; what may be written is only known by writing */
function refuseUnwritable(directory: string): void {
  try {
    makeWritableDirectory(directory);
    rmdirSync(mkdtempSync(join(directory, '.rsbridge-')));
  } catch (error) {
    const { code } = error as { code?: unknown };
    const why = code === 'ENOENT' ? 'no file can be made in this directory' : describeError(error);
    const next = 'name a file in a directory that this user may write to';
    throw new BridgeError('storage', `no backup can be written into ${directory}: ${why}; ${next}`);
  }
}

/** @throws BridgeError `usage` with the command that does it for PostgreSQL */
function sqliteFile({ database }: Config, command: (url: string) => string): string {
  if (database.client === 'sqlite') return database.file;
  throw new BridgeError(
    'usage',
    `the database is PostgreSQL, which has tools of its own: ${command(withoutPassword(database.url))}`,
  );
}

export function withoutPassword(url: string): string {
  return url.replace(/^([a-z]+:\/\/[^:/@]*):[^@]*@/i, '$1@').replace(/([?&]password=)[^&]*/gi, '$1…');
}

/** After any backup that was put back. */
export function whatIsNext(config: Config): readonly string[] {
  return [
    'what was published since the backup is newer than the database now: the next `rsbridge publish`, or `serve`, writes all documents anew, and the next harvests bring what is missing',
    ...(mirrors(config).length > 0
      ? [
          '`rsbridge check --blobs` says which mirrored files are missing; `rsbridge harvest --full` brings them',
        ]
      : []),
  ];
}

function filesBeside(config: Config): readonly string[] {
  const { directory } = config;
  return [
    ...(mirrors(config).length > 0
      ? [
          `mirrored files are not in it: copy ${directory}/blobs, after this; a file there never changes (rsync -a ${directory}/blobs DIR)`,
        ]
      : []),
    `the published documents (${directory}/publication) are not in it: they are written anew from the database`,
    'nor is the configuration',
  ];
}

function mirrors({ sources }: Config): readonly string[] {
  return Object.keys(sources).filter((name) => sources[name]?.files.mode === 'mirror');
}

export function describe({ sources, resources, changes, bytes }: CopyFacts): string {
  return `${countOf(sources, 'source')}, ${countOf(resources, 'resource')}, ${countOf(changes, 'change')}, ${(bytes / 1_000_000).toFixed(1)} MB`;
}
