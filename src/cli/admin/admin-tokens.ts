import { BridgeError } from '../../core/errors.ts';
import type { Scope } from '../../store/admin/scope.ts';
import { createToken, listTokens, revokeToken } from '../../store/admin/tokens.ts';
import { actor } from '../terminal/actor.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult } from '../terminal/io.ts';
import { type AdminFlags, withStored } from './stored-admin.ts';

export function listTokensCommand(flags: AdminFlags, io: CommandIo): Promise<number> {
  return withStored(flags, io, async ({ database }) => {
    const tokens = await listTokens(database.reader);
    for (const token of tokens) {
      const { id, name, scope, usedAt = 'never', expiresAt = 'never' } = token;
      printResult(
        io,
        flags.json,
        token,
        `${id}  ${name}  ${scope}  last used ${usedAt}, expires ${expiresAt}, made by ${token.createdBy} at ${token.createdAt}`,
      );
    }
    if (tokens.length === 0 && !flags.json)
      printResult(io, false, {}, 'there are no tokens: rsbridge admin tokens add NAME');
    return exitCodes.ok;
  });
}

export interface AddTokenFlags extends AdminFlags {
  readonly scope: Scope;
  readonly days?: number;
}

export function addTokenCommand(name: string, flags: AddTokenFlags, io: CommandIo): Promise<number> {
  return withStored(flags, io, async (bridge) => {
    const { scope, days } = flags;
    const made = await createToken(
      bridge.database,
      { name, scope, createdBy: actor().who, days },
      bridge.now,
    );
    await bridge.note('made a token', `${made.name} (${scope})`);
    const { secret, ...token } = made;
    printResult(
      io,
      flags.json,
      { ...token, token: secret },
      `${secret}\nit is not kept, and not shown again; number ${made.id}: ${made.name}, scope ${scope}`,
    );
    return exitCodes.ok;
  });
}

export function revokeTokenCommand(id: string, flags: AdminFlags, io: CommandIo): Promise<number> {
  return withStored(flags, io, async (bridge) => {
    const name = /^\d{1,9}$/.test(id) ? await revokeToken(bridge.database, Number(id)) : undefined;
    if (name === undefined)
      throw new BridgeError(
        'usage',
        `there is no token ${id}; rsbridge admin tokens list shows their numbers`,
      );
    await bridge.note('revoked a token', name);
    printResult(io, flags.json, { id: Number(id), name, revoked: true }, `${name} is refused from now on`);
    return exitCodes.ok;
  });
}
