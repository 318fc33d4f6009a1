import { type Command, InvalidArgumentError } from 'commander';
import type { CommandIo } from '../terminal/io.ts';

/** `rsbridge subscriptions …`. */
export function addSubscriptionCommands(
  program: Command,
  io: CommandIo,
  finish: (exitCode: number) => void,
): void {
  const subscriptions = program
    .command('subscriptions')
    .description('list, add, remove and try those who are told of changes as they happen')
    .copyInheritedSettings(program);
  const commandOf = (name: string, description: string) =>
    subscriptions
      .command(name)
      .description(description)
      .copyInheritedSettings(program)
      .option('-c, --config <file>', 'configuration file (default: rsbridge.yaml)')
      .option('--json', 'print the results as NDJSON', false);
  commandOf('list', 'list who is told of what, and how that goes').action(async (options) => {
    const { listSubscriptionsCommand } = await import('./list-subscriptions.ts');
    finish(await listSubscriptionsCommand(options, io));
  });
  commandOf('followed', 'list Sources that are followed, and whether their hubs tell of changes').action(
    async (options) => {
      const { followedSourcesCommand } = await import('./followed-sources.ts');
      finish(await followedSourcesCommand(options, io));
    },
  );
  commandOf('add <url>', 'have each change of a set told to a program, signed (webhook)')
    .requiredOption('--set <path>', 'the set that it is told of, as rsbridge status lists it')
    .option(
      '--secret-file <file>',
      'a file with the secret that messages are signed with (default: one is made)',
    )
    .option('--label <text>', 'what people call it')
    .action(async (url, options) => {
      const { addSubscriptionCommand } = await import('./add-subscription.ts');
      finish(await addSubscriptionCommand(url, options, io));
    });
  commandOf('remove', 'send nothing there any more')
    .argument('<id>', 'the number that the list has', parseId)
    .action(async (id: number, options) => {
      const { removeSubscriptionCommand } = await import('./remove-subscription.ts');
      finish(await removeSubscriptionCommand(id, options, io));
    });
  commandOf('test', 'send something there now, and say what it answers')
    .argument('<id>', 'the number that the list has', parseId)
    .action(async (id: number, options) => {
      const { testSubscriptionCommand } = await import('./test-subscription.ts');
      finish(await testSubscriptionCommand(id, options, io));
    });
}

function parseId(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new InvalidArgumentError('give the number that rsbridge subscriptions list has');
  return Number(text);
}
