import { type Command, Option } from 'commander';
import { protocols } from '../../bridge/protocols.ts';
import type { CommandIo } from '../terminal/io.ts';
import { pathOption, settingOption } from './setting-options.ts';

/** `rsbridge sources …`: which repositories are read, and how. A command is loaded when it is asked for. */
export function addSourcesCommands(
  program: Command,
  io: CommandIo,
  finish: (exitCode: number) => void,
): void {
  const sources = program
    .command('sources')
    .description('list, add and change the repositories that are read')
    .copyInheritedSettings(program);
  const command = (signature: string, description: string) =>
    sources
      .command(signature)
      .description(description)
      .copyInheritedSettings(program)
      .option('-c, --config <file>', 'configuration file (default: rsbridge.yaml)')
      .option('--json', 'print the results as NDJSON', false);

  command('list', 'list every source, from files and from the database').action(async (options) => {
    const { listSources } = await import('./sources-list.ts');
    finish(await listSources(options, io));
  });

  command('add <url>', 'find what can be harvested behind an address, and keep it in the database')
    .option('--name <name>', 'the first segment of its URIs (default: made from the host)')
    .option('--group <name>', 'the group of the configuration whose settings it has')
    .addOption(
      new Option('--adapter <kind>', 'use this protocol (default: the one that tells most)').choices(
        protocols,
      ),
    )
    .option('--set <key=value>', 'a setting, such as files.mode=mirror; may be repeated', settingOption)
    .option('--dry-run', 'print what would be added, keep nothing', false)
    .option('--verbose', 'when nothing is found, list every address that was tried', false)
    .action(async (url, options) => {
      const { addSource } = await import('./sources-add.ts');
      finish(await addSource(url, options, io));
    });

  command('import <file>', 'add the repositories of a list: CSV, JSON, or XML of base URLs')
    .option('--group <name>', 'the group of the configuration whose settings they have')
    .option('--no-probe', 'take the addresses as those of OAI-PMH endpoints, ask none of them')
    .option('--dry-run', 'look at each, keep nothing', false)
    .action(async (file, options) => {
      const { importSources } = await import('./sources-import.ts');
      finish(await importSources(file, options, io));
    });

  command('export', 'print the sources of the database as JSON').action(async (options) => {
    const { exportSources } = await import('./sources-list.ts');
    finish(await exportSources(options, io));
  });

  command('show <source>', 'print the settings of a source, and where each comes from').action(
    async (source, options) => {
      const { showSource } = await import('./sources-list.ts');
      finish(await showSource(source, options, io));
    },
  );

  command('edit <source>', 'change settings of a source of the database')
    .option('--set <key=value>', 'a setting, such as schedule=false; may be repeated', settingOption)
    .option('--unset <key>', 'have the default again, or what the group says; may be repeated', pathOption)
    .action(async (source, options) => {
      const { editSource } = await import('./sources-edit.ts');
      finish(await editSource(source, options, io));
    });

  command('pause <sources...>', 'leave sources alone for a while, whatever their schedules say')
    .option('--until <when>', 'a date, a time, or a day such as monday (default: until resume)')
    .option('--why <text>', 'the reason; `rsbridge status` shows it')
    .action(async (names, options) => {
      const { pauseCommand } = await import('./sources-edit.ts');
      finish(await pauseCommand(names, options, io));
    });

  command(
    'stop <sources...>',
    'end what `rsbridge serve` is doing with sources; they are read again at their next turn',
  ).action(async (names, options) => {
    const { stopCommand } = await import('./sources-edit.ts');
    finish(await stopCommand(names, options, io));
  });

  command('resume <sources...>', 'read sources again').action(async (names, options) => {
    const { resumeCommand } = await import('./sources-edit.ts');
    finish(await resumeCommand(names, options, io));
  });

  command(
    'remove <source>',
    'take a source out of the configuration in the database: it is neither read nor served; what is stored of it stays',
  ).action(async (source, options) => {
    const { removeSource } = await import('./sources-edit.ts');
    finish(await removeSource(source, options, io));
  });
}
