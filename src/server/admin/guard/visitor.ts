import type { FastifyRequest } from 'fastify';
import { toIso } from '../../../core/datetime.ts';
import { findAccount } from '../../../store/admin/accounts.ts';
import { primaryOf } from '../../../store/admin/primary.ts';
import type { Scope } from '../../../store/admin/scope.ts';
import { hashOf } from '../../../store/admin/secret-text.ts';
import { findSession } from '../../../store/admin/sessions.ts';
import { findToken } from '../../../store/admin/tokens.ts';
import type { AdminServer } from './admin-server.ts';
import { readSessionCookie } from './session-cookie.ts';

/** Whoever may do something here. */
export interface Visitor {
  /** As the audit log names them. */
  readonly who: string;
  readonly scope: Scope;
  readonly by: 'session' | 'token' | 'proxy';
  /** Undefined: a program. */
  readonly account: string | undefined;
  /** The number of the token. */
  readonly token?: number;
  /** Of the session, by which it is ended. */
  readonly session?: string;
  /** In every form of a session: a page of somebody else does not know it. */
  readonly formToken?: string;
}

const visitors = new WeakMap<FastifyRequest, Visitor>();

/** Whoever was let in; routes that need nobody have none. */
export function visitorOf(request: FastifyRequest): Visitor {
  const visitor = visitors.get(request);
  if (!visitor) throw new Error('nobody was let in');
  return visitor;
}

export function letIn(request: FastifyRequest, visitor: Visitor): void {
  visitors.set(request, visitor);
}

/** A token counts before a session, and a wrong one is not made good by it. */
export async function findVisitor(deps: AdminServer, request: FastifyRequest): Promise<Visitor | undefined> {
  const now = toIso(deps.clock.now());
  const { authorization } = request.headers;
  if (authorization !== undefined && /^bearer /i.test(authorization)) {
    const token = await findToken(deps.database, authorization.slice(7).trim(), now);
    if (!token) return undefined;
    const { id, name, scope } = token;
    return { who: `token ${name}`, scope, by: 'token', account: undefined, token: id };
  }
  const secret = readSessionCookie(request);
  const session = secret === undefined ? undefined : await findSession(deps.database, secret, now);
  if (session && secret !== undefined) {
    const { account, scope, hash } = session;
    const formToken = hashOf(`form ${secret}`);
    return { who: account, scope, by: 'session', account, session: hash, formToken };
  }
  const name = deps.admin.nameOf(request.raw);
  const account = name === undefined ? undefined : await findAccount(primaryOf(deps.database), name);
  return account && { who: account.name, scope: account.scope, by: 'proxy', account: account.name };
}
