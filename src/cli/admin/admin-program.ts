import { type Command, InvalidArgumentError, Option } from 'commander';
import { actions } from '../../store/admin/audit.ts';
import { momentOption } from '../history/moment-option.ts';
import type { CommandIo } from '../terminal/io.ts';

const scopes = ['read', 'run', 'admin'];

/** `rsbridge admin …`: who may use the dashboard and its API. A command is loaded when it is asked for. */
export function addAdminCommands(program: Command, io: CommandIo, finish: (exitCode: number) => void): void {
  const admin = program
    .command('admin')
    .description('passwords, links, tokens and the audit log of the dashboard')
    .copyInheritedSettings(program);
  const commandOf = (parent: Command, signature: string, description: string) =>
    parent
      .command(signature)
      .description(description)
      .copyInheritedSettings(program)
      .option('-c, --config <file>', 'configuration file (default: rsbridge.yaml)')
      .option('--json', 'print the results as NDJSON', false);
  const nameOption = () => new Option('--name <account>', 'the account').default('admin');
  const scopeOption = (preset?: string) =>
    new Option('--scope <scope>', 'what it may do: read; run (and pause, stop); admin (everything)')
      .choices(scopes)
      .default(preset);

  commandOf(admin, 'password', 'set the password of an account, typed or from standard input')
    .addOption(nameOption())
    .addOption(scopeOption())
    .action(async (options) => {
      const { passwordCommand } = await import('./admin-accounts.ts');
      finish(await passwordCommand(options, io));
    });

  commandOf(admin, 'link', 'print a link by which a person sets the password of an account, once')
    .addOption(nameOption())
    .addOption(scopeOption())
    .action(async (options) => {
      const { linkCommand } = await import('./admin-accounts.ts');
      finish(await linkCommand(options, io));
    });

  commandOf(admin, 'accounts', 'list the accounts').action(async (options) => {
    const { accountsCommand } = await import('./admin-accounts.ts');
    finish(await accountsCommand(options, io));
  });

  commandOf(
    admin,
    'remove <account>',
    'remove an account; whoever is signed in with it is not any more',
  ).action(async (name, options) => {
    const { removeAccountCommand } = await import('./admin-accounts.ts');
    finish(await removeAccountCommand(name, options, io));
  });

  commandOf(admin, 'log', 'print who did what, the newest first')
    .addOption(new Option('--limit <n>', 'at most so many').argParser(parseNumber).default(50))
    .option('--find <text>', 'only with this in who did it, with what, or from where')
    .addOption(new Option('--action <word>', 'only this').choices(actions))
    .addOption(new Option('--since <datetime>', 'only since then').argParser(momentOption))
    .addOption(new Option('--until <datetime>', 'only before then').argParser(momentOption))
    .action(async (options) => {
      const { logCommand } = await import('./admin-log.ts');
      finish(await logCommand(options, io));
    });

  const sessions = admin
    .command('sessions')
    .description('list and end sessions: where people are signed in')
    .copyInheritedSettings(program);

  commandOf(sessions, 'list', 'list the sessions').action(async (options) => {
    const { listSessionsCommand } = await import('./admin-sessions.ts');
    finish(await listSessionsCommand(options, io));
  });

  commandOf(sessions, 'end <session>', 'sign out whoever has this session').action(
    async (session, options) => {
      const { endSessionCommand } = await import('./admin-sessions.ts');
      finish(await endSessionCommand(session, options, io));
    },
  );

  const tokens = admin
    .command('tokens')
    .description('list, make and revoke tokens for programs')
    .copyInheritedSettings(program);

  commandOf(tokens, 'list', 'list the tokens; their secrets are not kept').action(async (options) => {
    const { listTokensCommand } = await import('./admin-tokens.ts');
    finish(await listTokensCommand(options, io));
  });

  commandOf(tokens, 'add <name>', 'make a token, and print it this once')
    .addOption(scopeOption())
    .option(
      '--set <name>',
      'what it reads of what is private, and nothing else: SOURCE or SOURCE/SET; again for more',
      (name: string, before: readonly string[] = []) => [...before, name],
    )
    .addOption(new Option('--days <n>', 'until it expires (default: never)').argParser(parseNumber))
    .action(async (name, options) => {
      const { addTokenCommand } = await import('./admin-tokens.ts');
      finish(await addTokenCommand(name, options, io));
    });

  commandOf(tokens, 'revoke <id>', 'refuse a token from now on').action(async (id, options) => {
    const { revokeTokenCommand } = await import('./admin-tokens.ts');
    finish(await revokeTokenCommand(id, options, io));
  });
}

function parseNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('give a whole number above 0');
  return Number(text);
}
