import { type Command, Option } from 'commander';
import { momentOption } from '../history/moment-option.ts';
import type { CommandIo } from '../terminal/io.ts';
import { parsePositive } from '../terminal/number-options.ts';

/** `rsbridge log`. @param command makes one with the options that all have */
export function addLogCommand(
  command: (signature: string, description: string) => Command,
  io: CommandIo,
  finish: (exitCode: number) => void,
): void {
  command(
    'log',
    'print what all processes logged in the last seven days: warnings, errors, milestones of runs',
  )
    .option('--source <name>', 'only lines of this source')
    .addOption(
      new Option('--level <level>', 'only this level and what is worse').choices([
        'info',
        'warn',
        'error',
        'fatal',
      ]),
    )
    .addOption(new Option('--run <n>', 'only lines of this run').argParser(parsePositive))
    .option('--find <words>', 'only lines with these words')
    .option('--since <datetime>', 'all lines since then (default: the last 100 lines)', momentOption)
    .addOption(new Option('--limit <n>', 'the last N lines').argParser(parsePositive))
    .option('--follow', 'print new lines as they come, until it is stopped (Ctrl-C)', false)
    .action(async (options) => {
      const { logCommand } = await import('./log-command.ts');
      finish(await logCommand(options, io));
    });
}
