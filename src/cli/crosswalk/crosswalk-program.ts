import { type Command, Option } from 'commander';
import type { CommandIo } from '../terminal/io.ts';

/** `rsbridge crosswalk`. @param command makes one with the options that all have */
export function addCrosswalkCommand(
  command: (signature: string, description: string) => Command,
  io: CommandIo,
  finish: (exitCode: number) => void,
): void {
  command('crosswalk <source> <id>', 'show what becomes of an item of a DSpace in JPCOAR or OpenAIRE')
    .addOption(
      new Option('--to <format>', 'the format it is written in')
        .choices(['jpcoar_2.0', 'oai_openaire'])
        .makeOptionMandatory(),
    )
    .action(async (source, id, options) => {
      const { crosswalkCommand } = await import('./crosswalk-command.ts');
      finish(await crosswalkCommand(source, id, options, io));
    });
}
