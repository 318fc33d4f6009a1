import type { FastifyRequest } from 'fastify';
import { toIso } from '../../../core/datetime.ts';
import { findAccount } from '../../../store/admin/accounts.ts';
import { primaryOf } from '../../../store/admin/primary.ts';
import { allows } from '../../../store/admin/scope.ts';
import { isSessionLiving } from '../../../store/admin/sessions.ts';
import type { AdminServer } from '../guard/admin-server.ts';
import { findVisitor, visitorOf } from '../guard/visitor.ts';

/**
 * Whether whoever began to look on may still do so: the session has not ended, the token was not revoked, the account is
 * there. To look on is no use of a session: one that is left alone ends all the same.
 */
export function createMayStay(deps: AdminServer, request: FastifyRequest): () => Promise<boolean> {
  const { by, session, account } = visitorOf(request);
  const db = primaryOf(deps.database);
  return async () => {
    if (by === 'session' && session !== undefined)
      return isSessionLiving(db, session, toIso(deps.clock.now()));
    if (by === 'proxy' && account !== undefined) return (await findAccount(db, account)) !== undefined;
    const visitor = await findVisitor(deps, request);
    return visitor !== undefined && allows(visitor.scope, 'read');
  };
}
