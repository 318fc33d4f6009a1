import { type Command, Option } from 'commander';
import type { CommandIo } from '../terminal/io.ts';
import { parseCount, parsePort, parsePositive, parseSeconds } from '../terminal/number-options.ts';

/** `rsbridge simulate`. */
export function addSimulateCommand(
  program: Command,
  io: CommandIo,
  finish: (exitCode: number) => void,
): void {
  const words = (text: string) => text.split(/[\s,]+/).filter((word) => word !== '');
  const number = (name: string, what: string, parse: (text: string) => number) =>
    new Option(name, what).argParser(parse);
  program
    .command('simulate')
    .description('serve a Source that changes, with faults on request, to test Destinations with')
    .copyInheritedSettings(program)
    .addOption(number('--port <n>', 'port to serve on; 0: any (default: 8888)', parsePort))
    .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
    .option('--base-url <url>', 'the address that documents have (default: what it listens on)')
    .option('--settings <file>', 'a configuration file of resync-simulator; options go before it')
    .addOption(number('--seed <n>', 'the same seed has the same history and faults (default: 1)', parseCount))
    .addOption(number('--resources <n>', 'resources to begin with (default: 1000)', parseCount))
    .addOption(number('--size <octets>', 'of a resource, on average (default: 1000)', parseCount))
    .addOption(
      number('--rate <n>', 'changes a second; 0: only on request (default: 0.5)', parseSeconds).conflicts(
        'changeDelay',
      ),
    )
    .addOption(number('--change-delay <seconds>', 'between two changes', parseSeconds))
    .addOption(new Option('--events <kinds>', 'which changes: create,update,delete').argParser(words))
    .addOption(number('--max-events <n>', 'hold still after so many changes', parseCount))
    .addOption(
      number(
        '--list-every <seconds>',
        'make Resource List and dump so often (default: at each request)',
        parseSeconds,
      ),
    )
    .addOption(number('--max-changes <n>', 'tell of so many of the latest changes alone', parsePositive))
    .addOption(number('--close-after <n>', 'close a Change List after so many changes', parsePositive))
    .addOption(number('--part-size <n>', 'entries of one list (default: 50000)', parsePositive))
    .option('--dumps', 'offer a Resource Dump and a Change Dump, too', false)
    .option('--link-manifests', 'with --dumps: they link to the manifests of their packages, too', false)
    .addOption(number('--package-size <n>', 'resources of one package (default: 1000)', parsePositive))
    .option('--mementos', 'keep former states, and link to them', false)
    .option('--gzip', 'compress answers for those who take them so', false)
    .addOption(number('--latency <ms>', 'wait before each answer', parseCount))
    .addOption(
      new Option('--faults <names>', 'what it does wrong: NAME or NAME:SHARE, separated by commas').argParser(
        words,
      ),
    )
    .option('--list-faults', 'print every fault, and what a Destination should make of it', false)
    .addOption(number('--for <seconds>', 'end after this time (default: at Ctrl-C)', parseSeconds))
    .addOption(number('--stats <seconds>', 'say so often how it stands; 0: never', parseSeconds).default(10))
    .option('--json', 'print addresses, changes and faults as NDJSON', false)
    .action(async (options) => {
      const { simulateCommand } = await import('./simulate-command.ts');
      finish(await simulateCommand(options, io));
    });
}
