import { type Command, Option } from 'commander';
import type { CommandIo } from '../terminal/io.ts';

/** `rsbridge problems`. @param command makes one with the options that all have */
export function addProblemsCommand(
  command: (signature: string, description: string) => Command,
  io: CommandIo,
  finish: (exitCode: number) => void,
): void {
  command('problems [source]', 'list records that could not be read')
    .option('--item <id>', 'list only this item, with the record as it came')
    .option('--raw', 'list the records as they came, too', false)
    .option('--causes', 'list only the causes, each with its id', false)
    .addOption(
      new Option('--cause <id>', 'list only the records of this cause').conflicts(['item', 'causes']),
    )
    .addOption(
      new Option('--csv', 'print a line of CSV for each, for spreadsheets')
        .conflicts(['json', 'raw', 'item', 'causes'])
        .default(false),
    )
    .addOption(
      new Option(
        '--try-again',
        'have a running `rsbridge serve` read them again: one (--item), of a cause, or all',
      )
        .conflicts(['raw', 'causes', 'csv'])
        .default(false),
    )
    .action(async (source, { tryAgain: again, ...options }) => {
      const { tryAgain } = await import('./try-again.ts');
      if (again) return finish(await tryAgain(source, options, io));
      const { problemsCommand } = await import('./problems-command.ts');
      finish(await problemsCommand(source, options, io));
    });
}
