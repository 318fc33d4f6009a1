import { type Command, Option } from 'commander';
import type { CommandIo } from '../terminal/io.ts';
import { parsePositive } from '../terminal/number-options.ts';

/** `rsbridge runs`. @param command makes one with the options that all have */
export function addRunsCommand(
  command: (signature: string, description: string) => Command,
  io: CommandIo,
  finish: (exitCode: number) => void,
): void {
  command('runs <source>', 'list the runs of a source, or its counts day by day')
    .addOption(new Option('--limit <n>', 'the last N runs').argParser(parsePositive).default(30))
    .addOption(
      new Option(
        '--counts',
        'list how many items and records there were day by day, and by the repository’s own count',
      )
        .conflicts('limit')
        .default(false),
    )
    .action(async (source, options) => {
      const { runsCommand } = await import('./runs-command.ts');
      finish(await runsCommand(source, options, io));
    });
}
