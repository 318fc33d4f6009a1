import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { protocols } from '../bridge/protocols.ts';
import { version } from '../bridge/version.ts';
import { parseDatestamp } from '../core/datetime.ts';
import { addAdminCommands } from './admin/admin-program.ts';
import { addAlertCommands } from './alerts/alert-program.ts';
import { parseAccept } from './commands/accept-option.ts';
import { addCrosswalkCommand } from './crosswalk/crosswalk-program.ts';
import { momentOption } from './history/moment-option.ts';
import { addLogCommand } from './log/log-program.ts';
import { addExamples } from './manual/examples.ts';
import { shells } from './manual/shells.ts';
import { addProblemsCommand } from './problems/problems-program.ts';
import { addQualityCommand } from './quality/quality-program.ts';
import { addRunsCommand } from './runs/runs-program.ts';
import { addSimulateCommand } from './simulate/simulate-program.ts';
import { addSourcesCommands } from './sources/sources-program.ts';
import { addSubscriptionCommands } from './subscriptions/subscriptions-program.ts';
import { addSyncCommand } from './sync/sync-program.ts';
import { exitCodes } from './terminal/exit-codes.ts';
import type { CommandIo } from './terminal/io.ts';
import { parsePort, parsePositive, parseSeconds } from './terminal/number-options.ts';
import { adviseOnUsage } from './terminal/usage-advice.ts';
import { withoutSecrets } from './terminal/without-secrets.ts';
import { addValidateCommand } from './validate/validate-program.ts';

/**
 * The command line. Results go to stdout, talk to stderr. A command is loaded when it is asked for.
 * @returns the exit code, see `terminal/exit-codes.ts`
 */
export async function main(argv: readonly string[], given: CommandIo): Promise<number> {
  const io = { ...given, stdout: withoutSecrets(given.stdout), stderr: withoutSecrets(given.stderr) };
  let exitCode: number = exitCodes.ok;
  const program = createProgram(io, (code) => {
    exitCode = code;
  });
  adviseOnUsage(program, argv);
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    const { reportError } = await import('./terminal/report-error.ts');
    return reportError(error, argv.includes('--json'), io);
  }
}

/** All commands, with what each does. @param finish told the exit code of the one that was asked for */
export function createProgram(io: CommandIo, finish: (exitCode: number) => void): Command {
  const program = new Command('rsbridge')
    .description('Publishes any repository through ResourceSync, with full version history.')
    .version(version, '-V, --version')
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
    })
    .showSuggestionAfterError()
    .exitOverride();
  const command = (signature: string, description: string) =>
    program
      .command(signature)
      .description(description)
      .copyInheritedSettings(program)
      .option('-c, --config <file>', 'configuration file (default: rsbridge.yaml)')
      .option('--json', 'print the results as NDJSON', false);

  command('init <url>', 'find the DSpace or OAI-PMH endpoint of a repository, and write rsbridge.yaml')
    .option(
      '--name <name>',
      'name of the source, the first segment of its URIs (default: made from the host)',
    )
    .option('--base-url <url>', 'the public address of the bridge')
    .option('--contact <email>', 'contact address for the User-Agent of every request')
    .addOption(
      new Option('--adapter <kind>', 'use this protocol (default: the one that tells most)').choices(
        protocols,
      ),
    )
    .option('--force', 'overwrite an existing configuration', false)
    .option('--dry-run', 'print the configuration, write nothing', false)
    .option('--verbose', 'when nothing is found, list every address that was tried', false)
    .action(async (url, options) => {
      const { initCommand } = await import('./init/init.ts');
      finish(await initCommand(url, options, io));
    });

  command('check', 'check configuration, database, disk, every source and the clock')
    .option('--blobs', 'also read everything that is stored, and compare it with its hash', false)
    .action(async (options) => {
      const { checkCommand } = await import('./check/check.ts');
      finish(await checkCommand(options, io));
    });

  command(
    'doctor',
    'look at all that `check` does, at the machine and at how it is seen from outside; say what mends what',
  ).action(async (options) => {
    const { doctorCommand } = await import('./doctor/doctor.ts');
    finish(await doctorCommand(options, io));
  });

  command('harvest [sources...]', 'read what is new (default: of every source)')
    .option('--full', 'read everything, and find deletions', false)
    .addOption(
      new Option('--identifiers', 'list only the identifiers, and find deletions')
        .conflicts(['full', 'since', 'limit', 'dryRun'])
        .default(false),
    )
    .option('--since <datetime>', 'read what changed since then', parseSince)
    .option('--limit <n>', 'stop after about N items', parsePositive)
    .option('--dry-run', 'print what would change, store nothing', false)
    .addOption(
      new Option(
        '--accept-deletions [run]',
        'ask again for the items that this run (default: the latest) did not find, and delete those that are gone',
      )
        .argParser(parseAccept)
        .conflicts(['since', 'limit', 'dryRun']),
    )
    .addOption(
      new Option('--by-serve', 'have a running `rsbridge serve` do it, at once')
        .conflicts(['since', 'limit', 'dryRun', 'acceptDeletions', 'item'])
        .default(false),
    )
    .addOption(
      new Option('--item <id>', 'read only this item again, by its identifier; may be repeated')
        .argParser((id: string, before: readonly string[] | undefined) => [...(before ?? []), id])
        .conflicts(['full', 'identifiers', 'since', 'limit', 'dryRun', 'acceptDeletions']),
    )
    .action(async (sources, { byServe, ...options }) => {
      const { askServe } = await import('./harvest/harvest-by-serve.ts');
      if (byServe) return finish(await askServe(sources, options, io));
      const { harvestCommand } = await import('./harvest/harvest-command.ts');
      finish(await harvestCommand(sources, options, io));
    });

  command('publish [sets...]', 'write the documents (default: of every set)')
    .option('--dry-run', 'print what would be published, write nothing', false)
    .option('--close', 'close the open Change Lists now, and package what is in them', false)
    .option('--lists-only', 'leave the dumps as they are', false)
    .action(async (sets, options) => {
      const { publishCommand } = await import('./commands/publish-command.ts');
      finish(await publishCommand(sets, options, io));
    });

  command('export <dir>', 'publish, and write everything as files for any web server')
    .option('--dry-run', 'print what would be written, write nothing', false)
    .option('--full', 'compare every file, not only what changed since the last export', false)
    .option(
      '--at <datetime>',
      'write the Resource Lists and the resources as they were at this time',
      momentOption,
    )
    .option('--private', 'what is not for everybody, too: whoever can read the directory reads it', false)
    .action(async (dir, options) => {
      const { exportCommand } = await import('./export/export-command.ts');
      finish(await exportCommand(dir, options, io));
    });

  command('serve', 'serve, and harvest and publish on schedule')
    .addOption(
      new Option('--role <role>', 'only answer requests, only work, or both (default: role)').choices([
        'web',
        'work',
        'all',
      ]),
    )
    .addOption(new Option('--port <n>', 'port to listen on').argParser(parsePort))
    .option('--host <address>', 'address to listen on')
    .addOption(
      new Option('--processes <n>', 'processes that answer requests (default: listen.processes)').argParser(
        parsePositive,
      ),
    )
    // What other servers call it.
    .addOption(new Option('--workers <n>').argParser(parsePositive).conflicts('processes').hideHelp())
    .action(async ({ workers, ...options }) => {
      const { serveCommand } = await import('./commands/serve.ts');
      finish(await serveCommand({ processes: workers, ...options }, io));
    });

  addSourcesCommands(program, io, finish);
  addAdminCommands(program, io, finish);
  addAlertCommands(program, io, finish);
  addSubscriptionCommands(program, io, finish);

  command(
    'reload',
    'check the configuration, and have every running `rsbridge serve` read its sources again',
  ).action(async (options) => {
    const { reloadCommand } = await import('./commands/reload-command.ts');
    finish(await reloadCommand(options, io));
  });

  command('status [sources...]', 'print what each source is doing (default: of every source)')
    .option('--at <datetime>', 'print what each source held at this time', momentOption)
    .addOption(
      new Option('--unhealthy', 'print those that need attention, and how many they are').conflicts('at'),
    )
    .addOption(
      new Option('--watch [seconds]', 'print it again and again, until Ctrl-C')
        .argParser(parsePositive)
        .preset('5')
        .conflicts('at'),
    )
    .action(async (sources, options) => {
      const { statusCommand } = await import('./status/status.ts');
      finish(await statusCommand({ ...options, sources }, io));
    });

  addRunsCommand(command, io, finish);
  addLogCommand(command, io, finish);

  command('healthcheck', 'ask /livez of the `rsbridge serve` of this configuration; exit code 0 or 1')
    .addOption(new Option('--port <n>', 'port to ask (default: listen.port)').argParser(parsePort))
    .option('--host <address>', 'address to ask (default: listen.host)')
    .addOption(
      new Option('--timeout <seconds>', 'how long to wait for the answer')
        .argParser(parsePositive)
        .default(5),
    )
    .action(async (options) => {
      const { healthcheckCommand } = await import('./status/healthcheck.ts');
      finish(await healthcheckCommand(options, io));
    });

  addProblemsCommand(command, io, finish);
  addQualityCommand(command, io, finish);
  addCrosswalkCommand(command, io, finish);

  command('vanished <source>', 'list items that are missing from the repository, and still published')
    .addOption(
      new Option(
        '--reject <run>',
        'keep what this run did not find, until a later harvest misses it again',
      ).argParser(parsePositive),
    )
    .action(async (source, options) => {
      const { rejectCommand, vanishedCommand } = await import('./commands/vanished-command.ts');
      const { reject: run, ...flags } = options;
      if (run !== undefined) return finish(await rejectCommand(source, run, flags, io));
      finish(await vanishedCommand(source, flags, io));
    });

  command('refused <source>', 'list published files that are not served, and why')
    .option('--all', 'list also the files that are not published', false)
    .option(
      '--accept <datetime>',
      'delete the files that have been withheld since this time or longer, as listed',
      momentOption,
    )
    .action(async (source, options) => {
      const { refusedCommand } = await import('./commands/refused-command.ts');
      finish(await refusedCommand(source, options, io));
    });

  command('withdraw <uri>', 'stop publishing a resource or an item, whatever the repository delivers')
    .option('--reason <text>', 'the reason; `rsbridge status` shows it')
    .option('--dry-run', 'print what would be withdrawn, change nothing', false)
    .action(async (uri, options) => {
      const { withdrawCommand } = await import('./commands/withdraw-command.ts');
      finish(await withdrawCommand(uri, options, io));
    });

  command('restore <uri|file>', 'publish again what was withdrawn; or replace the database with a backup')
    .option('--dry-run', 'print what would be restored, change nothing', false)
    .action(async (what, options) => {
      const { isFile } = await import('./backup/backup-command.ts');
      const { restoreBackup } = await import('./backup/restore-backup.ts');
      const { restoreCommand } = await import('./commands/restore-command.ts');
      finish(await (isFile(what, io.cwd) ? restoreBackup : restoreCommand)(what, options, io));
    });

  command('remove <source>', 'remove a source that is not configured any more')
    .option('--at-once', 'remove everything at once, its lists included', false)
    .option('--by-serve', 'have a running `rsbridge serve` do it, in the background', false)
    .option('--dry-run', 'print what would be removed, change nothing', false)
    .action(async (source, options) => {
      const { removeCommand } = await import('./commands/remove-command.ts');
      finish(await removeCommand(source, options, io));
    });

  const storage = program
    .command('storage')
    .description('say what is kept and where; move it between the disk and the object storage')
    .copyInheritedSettings(program);
  storage
    .command('migrate')
    .description('move mirrored files, documents and packages to where `storage` says, while they are served')
    .copyInheritedSettings(program)
    .option('-c, --config <file>', 'configuration file (default: rsbridge.yaml)')
    .option('--json', 'print the results as NDJSON', false)
    .action(async (options) => {
      const { migrateStorageCommand } = await import('./commands/storage-command.ts');
      finish(await migrateStorageCommand(options, io));
    });

  storage
    .command('show')
    .description('print what the database, the files and the tables take, and what is left on the disks')
    .copyInheritedSettings(program)
    .option('-c, --config <file>', 'configuration file (default: rsbridge.yaml)')
    .option('--json', 'print the results as NDJSON', false)
    .action(async (options) => {
      const { showStorageCommand } = await import('./commands/show-storage-command.ts');
      finish(await showStorageCommand(options, io));
    });

  command('history <uri>', 'list the versions of a resource, and what changed')
    .addOption(
      new Option('--at <datetime>', 'print the bytes of the version of this time')
        .argParser(momentOption)
        .conflicts(['diff', 'all', 'json']),
    )
    .option(
      '--diff <a..b>',
      'list what changed between two versions, by number or datetime (default: the last two)',
    )
    .option('--no-diff', 'list only the versions')
    .option('--all', 'list all versions and all differences', false)
    .action(async (uri, options) => {
      const { historyCommand } = await import('./history/history-command.ts');
      finish(await historyCommand(uri, options, io));
    });

  command('backup <file>', 'copy the database into one file, while rsbridge runs')
    .option('--force', 'overwrite an existing file', false)
    .action(async (file, options) => {
      const { backupCommand } = await import('./backup/backup-command.ts');
      finish(await backupCommand(file, options, io));
    });

  addValidateCommand(program, io, finish);
  addSyncCommand(program, io, finish);

  program
    .command('demo')
    .description('harvest, publish and serve a sample repository that keeps changing')
    .copyInheritedSettings(program)
    .addOption(new Option('--port <n>', 'port to serve on').argParser(parsePort).default(8080))
    .option('--data <dir>', 'directory for its data', 'data/demo')
    .addOption(
      new Option('--edit-every <seconds>', 'how often the sample repository changes; 0: never')
        .argParser(parseSeconds)
        .default(4),
    )
    .option('--json', 'print the addresses as NDJSON', false)
    .action(async (options) => {
      const { demoCommand } = await import('./demo/demo.ts');
      finish(await demoCommand(options, io));
    });

  addSimulateCommand(program, io, finish);

  program
    .command('completion')
    .description('print what a shell needs to complete commands and options')
    .copyInheritedSettings(program)
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .action(async (shell) => {
      const { completionFor } = await import('./manual/completion.ts');
      io.stdout.write(completionFor(shell, program));
    });
  addExamples(program);
  return program;
}

function parseSince(text: string): string {
  const since = parseDatestamp(text);
  if (since === undefined) throw new InvalidArgumentError('give a date or time such as 2026-11-21T00:00:00Z');
  return since;
}
