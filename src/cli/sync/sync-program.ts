import { type Command, Option } from 'commander';
import type { CommandIo } from '../terminal/io.ts';
import { parseCount, parseOctets, parsePositive } from '../terminal/number-options.ts';

/** `rsbridge sync`. */
export function addSyncCommand(program: Command, io: CommandIo, finish: (exitCode: number) => void): void {
  const several = (text: string, before: readonly string[] | undefined) => [...(before ?? []), text];
  program
    .command('sync <url> [dir...]')
    .description('copy any Source into a directory, and keep the copy up to date')
    .copyInheritedSettings(program)
    .addOption(
      new Option('--baseline', 'read everything, whatever is there')
        .conflicts(['incremental', 'audit'])
        .default(false),
    )
    .addOption(new Option('--incremental', 'follow changes alone').conflicts(['audit']).default(false))
    .option(
      '--audit',
      'compare everything with the Resource List, look at the files of the copy, and mend what differs',
      false,
    )
    .option('--watch', 'go on: look again and again, at the pace of the Source, until Ctrl-C', false)
    .addOption(
      new Option('--every <seconds>', 'with --watch: the shortest time between two looks')
        .argParser(parsePositive)
        .default(60),
    )
    .option('--set <name>', 'of several sets, this one: its Capability List, or the end of its folder')
    .addOption(
      new Option(
        '--only <what>',
        'metadata, type:TYPE/SUBTYPE, path:/PATTERN, rel:RELATION, profile:URI, length:OCTETS, or all; may be repeated; kept for later runs',
      ).argParser(several),
    )
    .option('--delete-excluded', 'delete what is in the copy and not selected any more', false)
    .addOption(
      new Option(
        '--map <base=folder>',
        'resources below this address go into this folder of the copy; may be repeated',
      ).argParser(several),
    )
    .option(
      '--sink <kind>',
      'where resources go: directory, warc, ocfl, s3://BUCKET/PREFIX, or none (changes are told and not fetched); said once, in the first run',
    )
    .addOption(
      new Option('--max-delete <n>', 'delete so many at most (default: a tenth, or 20)').argParser(
        parseCount,
      ),
    )
    .option(
      '--combined <file>',
      'with --audit: write a line for each resource: = same, + missing, - only in the copy, * different, ! refused',
    )
    .option('--backup-dir <dir>', 'move what is replaced or deleted here')
    .option(
      '--exec <command>',
      'run this for each change, which is in its environment: RSBRIDGE_OP, RSBRIDGE_PATH, …',
    )
    .option('--ndjson', 'print each change as a line of JSON', false)
    .option('--ack', 'with --ndjson: a change is done when its number was written to standard input', false)
    .addOption(
      new Option('--host <name>', 'fetch resources at this host, too (*: any); may be repeated').argParser(
        several,
      ),
    )
    .addOption(new Option('--transfers <n>', 'requests at a time').argParser(parsePositive).default(2))
    .addOption(new Option('--max-size <octets>', 'do not fetch larger resources').argParser(parseOctets))
    .addOption(
      new Option(
        '--max-transfer <octets>',
        'begin nothing more once so many octets have come; the next run goes on',
      ).argParser(parseOctets),
    )
    .addOption(
      new Option(
        '--quota <octets>',
        'fetch nothing by which the contents of the copy would have more octets',
      ).argParser(parseOctets),
    )
    .addOption(
      new Option('--quota-resources <n>', 'fetch nothing new once the copy has so many resources').argParser(
        parsePositive,
      ),
    )
    .option('--allow-private', 'fetch from private addresses', false)
    .option('--access-token-file <file>', 'the token of a private Source, sent to its host alone')
    .option('--contact <email>', 'contact address for the User-Agent of every request')
    .option('--dry-run', 'print what would be done, change nothing', false)
    .option('--json', 'print the summary as JSON', false)
    .action(async (url, dir, options) => {
      const { syncCommand } = await import('./sync-command.ts');
      finish(await syncCommand(url, dir, options, io));
    });
}
