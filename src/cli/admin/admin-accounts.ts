import { linkOnThisMachine, publicLink } from '../../bridge/admin/first-password.ts';
import { BridgeError } from '../../core/errors.ts';
import {
  checkAccountName,
  findAccount,
  firstAccount,
  hasAccounts,
  listAccounts,
  removeAccount,
  setPassword,
} from '../../store/admin/accounts.ts';
import { createLink, linkHours } from '../../store/admin/links.ts';
import { hashPassword } from '../../store/admin/password-hash.ts';
import type { Scope } from '../../store/admin/scope.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult } from '../terminal/io.ts';
import { readPassword } from './read-password.ts';
import { type AdminFlags, type StoredAdmin, withStored } from './stored-admin.ts';

export interface AccountFlags extends AdminFlags {
  readonly name: string;
  readonly scope?: Scope;
}

/** Sets a password; whoever was signed in with the account is not any more. */
export function passwordCommand(flags: AccountFlags, io: CommandIo): Promise<number> {
  return withStored(flags, io, async (bridge) => {
    const name = checkAccountName(flags.name);
    refuseConfigured(bridge, name);
    const scope = await scopeOf(bridge, flags);
    const password = await hashPassword(await readPassword(io));
    await setPassword(bridge.database, { name, scope, password }, bridge.now);
    await bridge.note('set a password', name);
    printResult(
      io,
      flags.json,
      { account: name, scope },
      `the password of ${name} (${scope}) is set; sign in at ${bridge.config.baseUrl}/admin`,
    );
    return exitCodes.ok;
  });
}

export function linkCommand(flags: AccountFlags, io: CommandIo): Promise<number> {
  return withStored(flags, io, async (bridge) => {
    const account = checkAccountName(flags.name);
    refuseConfigured(bridge, account);
    const scope = await scopeOf(bridge, flags);
    const isFirst = !(await hasAccounts(bridge.database.reader));
    const secret = await createLink(bridge.database, { account, scope }, bridge.now);
    await bridge.note('made a link to set a password', account);
    const link = (isFirst ? linkOnThisMachine : publicLink)(bridge.config, secret);
    const where = isFirst ? ' on this machine' : '';
    printResult(
      io,
      flags.json,
      { account, scope, link },
      `${link}\nopen it${where} within ${linkHours} hours; it sets the password of ${account} (${scope}), once`,
    );
    return exitCodes.ok;
  });
}

export function accountsCommand(flags: AdminFlags, io: CommandIo): Promise<number> {
  return withStored(flags, io, async ({ database }) => {
    const accounts = await listAccounts(database.reader);
    for (const account of accounts) {
      const { name, scope, changedAt } = account;
      printResult(io, flags.json, account, `${name}  ${scope}  password of ${changedAt}`);
    }
    if (accounts.length === 0 && !flags.json)
      printResult(io, false, {}, 'nobody has a password yet: rsbridge admin link');
    return exitCodes.ok;
  });
}

export function removeAccountCommand(name: string, flags: AdminFlags, io: CommandIo): Promise<number> {
  return withStored(flags, io, async (bridge) => {
    if (!(await removeAccount(bridge.database, name)))
      throw new BridgeError(
        'usage',
        `there is no account called ${name}; rsbridge admin accounts lists them`,
      );
    await bridge.note('removed an account', name);
    printResult(io, flags.json, { account: name, removed: true }, `${name} is removed`);
    return exitCodes.ok;
  });
}

/** What it has; of a new one, everything for the first and looking for the others. */
async function scopeOf({ database }: StoredAdmin, { name, scope }: AccountFlags): Promise<Scope> {
  if (scope !== undefined) return scope;
  const account = await findAccount(database.reader, name);
  return account?.scope ?? (name === firstAccount ? 'admin' : 'read');
}

function refuseConfigured({ config }: StoredAdmin, name: string): void {
  if (config.adminPassword !== undefined && name === firstAccount)
    throw new BridgeError(
      'usage',
      'the password of admin stands in the configuration (adminPassword); change it there',
    );
}
