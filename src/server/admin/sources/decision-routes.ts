import type { FastifyInstance, FastifyRequest } from 'fastify';
import { refuse } from '../../http/errors.ts';
import { actorOf } from '../guard/actor.ts';
import type { AdminServer } from '../guard/admin-server.ts';
import { seeOther } from '../page/admin-page.ts';
import { formOf } from '../page/form-body.ts';

/** A person decides about what a harvest did not find. */
export function decisionRoutes(app: FastifyInstance, deps: AdminServer): void {
  app.route<{ Params: { source: string } }>({
    method: 'POST',
    url: '/admin/sources/:source/vanished',
    config: { operationId: 'decideByForm', needs: 'admin', acts: true },
    handler: async (request, reply) => {
      const { decision, run } = formOf(request.body);
      const { source } = request.params;
      const task = await decide(deps, request, { source, decision, run: Number(run) });
      return seeOther(deps, reply, task === undefined ? `/sources/${source}` : `/tasks/${task}`);
    },
  });
}

export interface Decision {
  readonly source: string;
  /** `approve` or `reject`. */
  readonly decision: unknown;
  /** Which showed what is decided about: what another one has shown since is not. */
  readonly run: number;
}

/** @returns the number of what is now to be done; rejecting is done */
export async function decide(
  deps: AdminServer,
  request: FastifyRequest,
  { source, decision, run }: Decision,
): Promise<number | undefined> {
  const { acts } = deps.admin;
  const by = actorOf(deps, request);
  if (!Number.isSafeInteger(run)) throw refuse('bad-request', 'run-unnamed', {});
  if (decision === 'approve') {
    const [task] = await acts.ask([source], { kind: 'acceptance', what: [String(run)] }, by);
    return task;
  }
  if (decision !== 'reject') throw refuse('bad-request', 'decision-unknown', {});
  await acts.reject(source, run, by);
  return undefined;
}
