import { type Command, Option } from 'commander';
import { BridgeError } from '../../core/errors.ts';
import { profiles } from '../../oai-conformance/checks/profile.ts';
import type { CommandIo } from '../terminal/io.ts';
import { parseCount, parsePositive } from '../terminal/number-options.ts';

/** `rsbridge validate`, of Sources and of OAI-PMH endpoints. */
export function addValidateCommand(
  program: Command,
  io: CommandIo,
  finish: (exitCode: number) => void,
): void {
  program
    .command('validate <url>')
    .description(
      'check any Source, or one document (URL, file or -), against the rules of ResourceSync; with --oai any OAI-PMH endpoint',
    )
    .copyInheritedSettings(program)
    .addOption(
      new Option('--oai', 'check the OAI-PMH endpoint at this address instead')
        .conflicts(['sample', 'packages', 'maxPackageBytes', 'maxDocuments', 'follow'])
        .default(false),
    )
    .addOption(
      new Option(
        '--profile <name>',
        'with --oai: these guidelines (default: base, and those whose formats are offered)',
      ).choices([...profiles, 'all']),
    )
    .addOption(
      new Option('--records <n>', 'with --oai: number of records to walk through')
        .argParser(parsePositive)
        .default(500),
    )
    .option('--all', 'with --oai: walk through all records', false)
    .addOption(
      new Option('--sample <n>', 'number of resources to fetch of each set')
        .argParser(parseCount)
        .default(10),
    )
    .addOption(
      new Option('--packages <n>', 'number of packages to open of each dump')
        .argParser(parseCount)
        .default(5),
    )
    .addOption(
      new Option('--max-package-bytes <n>', 'do not open larger packages')
        .argParser(parsePositive)
        .default(2 ** 30),
    )
    .addOption(
      new Option('--max-documents <n>', 'stop after this number of documents')
        .argParser(parsePositive)
        .default(10_000),
    )
    .option('--no-follow', 'check only this document')
    .option('--allow-private', 'follow links to private addresses', false)
    .option('--strict', 'count warnings as errors', false)
    .option('--contact <email>', 'contact address for the User-Agent of every request')
    .option('--json', 'print the findings as NDJSON', false)
    .action(async (url, { oai, ...options }, command: Command) => {
      if (oai) {
        const { validateOaiCommand } = await import('./validate-oai.ts');
        return finish(await validateOaiCommand(url, options, io));
      }
      const own = ['profile', 'records', 'all'].find((name) => command.getOptionValueSource(name) === 'cli');
      if (own !== undefined) throw new BridgeError('usage', `--${own} is for OAI-PMH endpoints: add --oai`);
      const { validateCommand } = await import('./validate.ts');
      finish(await validateCommand(url, options, io));
    });
}
