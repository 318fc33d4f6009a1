import type { SourceConfig } from '../../core/config/config.ts';
import { suggest } from '../../core/config/suggestion.ts';
import { BridgeError } from '../../core/errors.ts';
import { nameOfSet, resourceSets } from '../../core/resource-set.ts';
import type { Scope, TokenScope } from '../../store/admin/scope.ts';
import { createToken, listTokens, revokeToken } from '../../store/admin/tokens.ts';
import { actor } from '../terminal/actor.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult } from '../terminal/io.ts';
import { type AdminFlags, type StoredAdmin, withStored } from './stored-admin.ts';

export function listTokensCommand(flags: AdminFlags, io: CommandIo): Promise<number> {
  return withStored(flags, io, async ({ database }) => {
    const tokens = await listTokens(database.reader);
    for (const token of tokens) {
      const { id, name, usedAt = 'never', expiresAt = 'never' } = token;
      const scope = scopeWords(token);
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
  /** Default: `read`, or what `set` needs. */
  readonly scope?: Scope;
  /** What it reads: private sources, or sets of them. */
  readonly set?: readonly string[];
  readonly days?: number;
}

/** What it may do, and of one for content, what it reads. */
export function scopeWords({
  scope,
  sets = [],
}: {
  readonly scope: TokenScope;
  readonly sets?: readonly string[] | undefined;
}): string {
  return scope === 'content' ? `content of ${sets.join(', ')}` : scope;
}

export function addTokenCommand(name: string, flags: AddTokenFlags, io: CommandIo): Promise<number> {
  return withStored(flags, io, async (bridge) => {
    const { set: sets, days } = flags;
    const scope = flags.scope ?? (sets ? 'content' : 'read');
    if (scope !== 'content' && sets)
      throw new BridgeError('usage', 'a token with --set reads what is private, and has no --scope');
    refuseUnknownSets(bridge, sets ?? []);
    const made = await createToken(
      bridge.database,
      { name, scope, sets, createdBy: actor().who, days },
      bridge.now,
    );
    await bridge.note('made a token', `${made.name} (${scopeWords(made)})`);
    const { secret, ...token } = made;
    printResult(
      io,
      flags.json,
      { ...token, token: secret },
      `${secret}\nit is not kept, and not shown again; number ${made.id}: ${made.name}, scope ${scopeWords(made)}`,
    );
    return exitCodes.ok;
  });
}

/** A token for what nobody has would be none, and nobody would know. */
function refuseUnknownSets({ config }: Pick<StoredAdmin, 'config'>, sets: readonly string[]): void {
  for (const set of sets) {
    const [name = '', part] = set.split('/', 2);
    const source = Object.hasOwn(config.sources, name) ? config.sources[name] : undefined;
    const known = source ? setNamesOf(name, source) : Object.keys(config.sources);
    const wrong = source ? part : name;
    if (wrong === undefined || (source && known.includes(wrong))) continue;
    const what = source ? `set of ${name}` : 'source';
    throw new BridgeError(
      source ? 'unknown-set' : 'unknown-source',
      `there is no ${what} called ${wrong}${suggest(wrong, known)}`,
    );
  }
}

/** Private ones among them. */
function setNamesOf(name: string, source: SourceConfig): readonly string[] {
  return [...new Set([...resourceSets(name, source).map(nameOfSet), ...Object.keys(source.sets ?? {})])];
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
