import type { FastifyRequest } from 'fastify';
import { toIso } from '../../../core/datetime.ts';
import { checkAccountName, findAccount, listAccounts } from '../../../store/admin/accounts.ts';
import { createLink, type Invitation } from '../../../store/admin/links.ts';
import { primaryOf } from '../../../store/admin/primary.ts';
import type { Scope } from '../../../store/admin/scope.ts';
import { refuse } from '../../http/errors.ts';
import type { AdminServer } from '../guard/admin-server.ts';
import { visitorOf } from '../guard/visitor.ts';
import { wordsOf } from '../page/language.ts';
import { note, refuseConfigured } from './sign-in.ts';

/**
 * Makes a link by which a person sets the password of an account, also of one that there is not yet.
 * @param scope undefined: what the account has; of a new one, `read`
 * @throws BridgeError `usage`, Refusal where the password stands in the configuration, or nobody could manage accounts any more
 */
export async function invite(
  deps: AdminServer,
  request: FastifyRequest,
  name: string,
  scope: Scope | undefined,
): Promise<Invitation & { readonly link: string }> {
  const account = checkAccountName(name.trim());
  refuseConfigured(deps, account, wordsOf(request).link.configured);
  const known = await findAccount(primaryOf(deps.database), account);
  if (scope !== undefined && scope !== 'admin') await refuseLast(deps, account);
  const invitation = { account, scope: scope ?? known?.scope ?? 'read' };
  const secret = await createLink(deps.database, invitation, toIso(deps.clock.now()));
  await note(deps, request, visitorOf(request).who, 'made a link to set a password', account);
  return { ...invitation, link: deps.admin.installation.linkOf(secret) };
}

/** Nobody shuts themselves out by mistake, or everybody. @throws Refusal */
export async function refuseRemoval(
  deps: AdminServer,
  request: FastifyRequest,
  account: string,
): Promise<void> {
  if (visitorOf(request).account === account) throw refuse('conflict', 'account-is-own', { account });
  await refuseLast(deps, account);
}

/** Somebody has to be left who may manage accounts. @throws Refusal */
async function refuseLast({ admin, database }: AdminServer, account: string): Promise<void> {
  if (admin.passwordConfigured) return;
  const managing = (await listAccounts(primaryOf(database))).filter(({ scope }) => scope === 'admin');
  if (managing.length === 1 && managing[0]?.name === account)
    throw refuse('conflict', 'account-is-last', { account });
}
