import type { FastifyRequest } from 'fastify';
import { primaryOf } from '../../../store/admin/primary.ts';
import { findCause } from '../../../store/runs/unreadable-causes.ts';
import { findSource } from '../../../store/sources/sources.ts';
import { refuse } from '../../http/errors.ts';
import { actorOf } from '../guard/actor.ts';
import type { AdminServer } from '../guard/admin-server.ts';
import { findRow } from '../sources/source-facts.ts';

/** An item by its identifier; the records of a cause, by its id; or all that could not be read. */
export type Again = { readonly item: string } | { readonly cause: string } | 'all';

/**
 * Has records read again.
 * @returns the number by which it can be followed
 * @throws Refusal where there is no such source or cause
 */
export async function retry(
  deps: AdminServer,
  request: FastifyRequest,
  source: string,
  again: Again,
): Promise<number | undefined> {
  await findRow(deps, source);
  const by = actorOf(deps, request);
  const { acts } = deps.admin;
  const ask =
    again === 'all'
      ? ({ kind: 'problems' } as const)
      : 'item' in again
        ? ({ kind: 'item', what: [again.item] } as const)
        : ({ kind: 'problems', what: [await causeOf(deps, source, again.cause)] } as const);
  const [task] = await acts.ask([source], ask, by);
  return task;
}

/** @throws Refusal where no record has this cause (any more) */
export async function causeOf(deps: AdminServer, source: string, id: string): Promise<string> {
  const db = primaryOf(deps.database);
  const stored = await findSource(db, source);
  const cause = stored && (await findCause(db, stored.id, id));
  if (cause === undefined) throw refuse('not-found', 'cause-unknown', { source });
  return cause;
}
