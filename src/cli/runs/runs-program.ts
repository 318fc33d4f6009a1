import { type Command, Option } from 'commander';
import type { CommandIo } from '../terminal/io.ts';
import { parsePositive } from '../terminal/number-options.ts';

/** `rsbridge runs`. @param command makes one with the options that all have */
export function addRunsCommand(
  command: (signature: string, description: string) => Command,
  io: CommandIo,
  finish: (exitCode: number) => void,
): void {
  command('runs <source>', 'list the runs of a source, or its counts day by day; or compare two runs')
    .addOption(new Option('--limit <n>', 'the last N runs').argParser(parsePositive).default(30))
    .addOption(
      new Option(
        '--counts',
        'list how many items and records there were day by day, and by the repository’s own count',
      )
        .conflicts('limit')
        .default(false),
    )
    .addOption(
      new Option('--compare <run>', 'print what differs between this run and another one')
        .argParser(parsePositive)
        .conflicts(['limit', 'counts']),
    )
    .addOption(
      new Option('--with <run>', 'compare with this one (default: the one before of the same kind)')
        .argParser(parsePositive)
        .conflicts(['limit', 'counts']),
    )
    .action(async (source, { compare, with: other, ...options }) => {
      if (compare !== undefined || other !== undefined) {
        const { compareCommand } = await import('./compare-command.ts');
        return finish(await compareCommand(source, { ...options, compare, with: other }, io));
      }
      const { runsCommand } = await import('./runs-command.ts');
      finish(await runsCommand(source, options, io));
    });
}
