import type { FastifyInstance, FastifyRequest } from 'fastify';
import { primaryOf } from '../../../store/admin/primary.ts';
import { dismissVanished } from '../../../store/runs/vanished.ts';
import { findSource } from '../../../store/sources/sources.ts';
import { Refusal } from '../../http/errors.ts';
import { note } from '../access/sign-in.ts';
import type { AdminServer } from '../guard/admin-server.ts';
import { visitorOf } from '../guard/visitor.ts';
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
  const { database, admin } = deps;
  const { who } = visitorOf(request);
  const stored = await findSource(primaryOf(database), source);
  if (!stored) throw new Refusal('not-found', `nothing of a source called ${source} was read yet`);
  if (!Number.isSafeInteger(run))
    throw new Refusal('bad-request', 'name the run that showed what is missing');
  if (decision === 'approve') {
    const [task] = await admin.acts.ask([source], { kind: 'acceptance', what: String(run), who });
    await note(deps, request, who, 'approved deletions', `${source}, run ${run}`);
    return task;
  }
  if (decision !== 'reject') throw new Refusal('bad-request', 'a decision is approve or reject');
  if ((await dismissVanished(database, stored.id, run)) === 0)
    throw new Refusal('conflict', `run ${run} does not show anything missing from ${source}, now`);
  await note(deps, request, who, 'rejected deletions', `${source}, run ${run}`);
  return undefined;
}
