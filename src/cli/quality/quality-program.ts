import { type Command, Option } from 'commander';
import type { CommandIo } from '../terminal/io.ts';
import { parseCount } from '../terminal/number-options.ts';

/** `rsbridge quality`. @param command makes one with the options that all have */
export function addQualityCommand(
  command: (signature: string, description: string) => Command,
  io: CommandIo,
  finish: (exitCode: number) => void,
): void {
  command('quality <source>', 'count what records lack for those who read JPCOAR or OpenAIRE')
    .option('--examples <n>', 'name N items of each (default: 3)', parseCount, 3)
    .addOption(
      new Option('--csv', 'print a line of CSV for each item and what it lacks, for spreadsheets')
        .conflicts('json')
        .default(false),
    )
    .action(async (source, options) => {
      const { qualityCommand } = await import('./quality-command.ts');
      finish(await qualityCommand(source, options, io));
    });
}
