import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../../core/config/config.ts';
import { countOf } from '../../core/count-of.ts';
import { moveIntoPostgres } from '../../store/backup/into-postgres.ts';
import { copySqlite, inspectSqlite, isOfThisSchema } from '../../store/backup/sqlite-copy.ts';
import { openDatabase } from '../../store/engine/database.ts';
import { migrate } from '../../store/schema/migrate.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult } from '../terminal/io.ts';
import { createProgress } from '../terminal/progress.ts';
import { describe, noteInFile, type RestoreBackupFlags, whatIsNext } from './backup-command.ts';

/** Everything of an SQLite database, its history included, into the PostgreSQL of the configuration, which has to be empty. */
export async function intoPostgres(
  from: string,
  config: Config,
  { json, dryRun }: RestoreBackupFlags,
  io: CommandIo,
): Promise<number> {
  const facts = await inspectSqlite(from);
  if (dryRun) {
    printResult(io, json, { dryRun: true, ...facts }, `${from}: ${describe(facts)} (dry run)`);
    return exitCodes.ok;
  }
  const progress = createProgress(io, { json });
  const target = openDatabase(config.database);
  let rows: number;
  try {
    await migrate(target);
    rows = await ofThisSchema(from, (file) =>
      moveIntoPostgres(file, target, ({ table, rows: done }) =>
        progress.show(
          'move',
          { label: table, done, noun: 'row' },
          () => `${countOf(done, 'row')}, now ${table}`,
        ),
      ),
    );
    await target.writer.raw('analyze');
  } finally {
    progress.end();
    await target.close();
  }
  await noteInFile(config, 'restored a backup', from, io);
  const next = [
    `${from} is as it was; keep it until all is well`,
    'words of the search are gathered anew by `rsbridge serve`, beside other work',
    ...whatIsNext(config),
  ];
  printResult(
    io,
    json,
    { restored: from, database: 'postgresql', ...facts, rows, next },
    [
      `PostgreSQL: ${describe(facts)} (${countOf(rows, 'row')}), from ${from}`,
      ...next.map((sentence) => `  ${sentence}`),
    ].join('\n'),
  );
  return exitCodes.ok;
}

/** An older file is not changed: a copy of it is brought to this version's schema, in TMPDIR. */
async function ofThisSchema<Result>(from: string, work: (file: string) => Promise<Result>): Promise<Result> {
  if (isOfThisSchema(from)) return work(from);
  const directory = await mkdtemp(join(tmpdir(), 'rsbridge-move-'));
  try {
    const copy = join(directory, 'copy.db');
    await copySqlite(from, copy);
    const database = openDatabase({ client: 'sqlite', file: copy });
    try {
      await migrate(database);
    } finally {
      await database.close();
    }
    return await work(copy);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
