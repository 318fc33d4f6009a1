import type { FastifyRequest } from 'fastify';
import type { Actor } from '../../../store/admin/audit.ts';
import type { ServerDeps } from '../../deps.ts';
import { addressOf } from './loopback.ts';
import { visitorOf } from './visitor.ts';

/** Whoever was let in, as the audit log has them. */
export function actorOf(deps: Pick<ServerDeps, 'clientOf'>, request: FastifyRequest): Actor {
  return { who: visitorOf(request).who, address: addressOf(deps, request) };
}
