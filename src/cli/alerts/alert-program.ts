import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CommandIo } from '../terminal/io.ts';

/** `rsbridge alert …`, and `rsbridge digest`. */
export function addAlertCommands(program: Command, io: CommandIo, finish: (exitCode: number) => void): void {
  const alert = program
    .command('alert')
    .description(
      'try how those who run the bridge are told when something is wrong; list what they were told',
    )
    .copyInheritedSettings(program);
  const commandOf = (name: string, description: string) =>
    alert
      .command(name)
      .description(description)
      .copyInheritedSettings(program)
      .option('-c, --config <file>', 'configuration file (default: rsbridge.yaml)')
      .option('--json', 'print the results as NDJSON', false);
  commandOf('test', 'send a test message by each way that the configuration names').action(
    async (options) => {
      const { testAlertsCommand } = await import('./test-alerts.ts');
      finish(await testAlertsCommand(options, io));
    },
  );
  commandOf('list', 'list what is wrong now and was told, and the latest messages')
    .addOption(new Option('--limit <n>', 'at most so many messages').argParser(parseNumber).default(20))
    .action(async (options) => {
      const { listAlertsCommand } = await import('./list-alerts.ts');
      finish(await listAlertsCommand(options, io));
    });
  program
    .command('digest <source>')
    .description('send the mail of the week to whoever looks after a source (digestTo), now')
    .copyInheritedSettings(program)
    .option('-c, --config <file>', 'configuration file (default: rsbridge.yaml)')
    .option('--dry-run', 'print it, send nothing', false)
    .addOption(
      new Option('--revoke', 'end all links to the page of this source that were sent, send nothing')
        .conflicts('dryRun')
        .default(false),
    )
    .option('--json', 'print the results as NDJSON', false)
    .action(async (source, options) => {
      const { digestCommand } = await import('./digest.ts');
      finish(await digestCommand(source, options, io));
    });
}

function parseNumber(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('give a whole number above 0');
  return Number(text);
}
