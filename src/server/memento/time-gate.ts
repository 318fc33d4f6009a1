import type { FastifyInstance } from 'fastify';
import { parseAcceptDatetime } from '../../core/datetime.ts';
import type { ServerDeps } from '../deps.ts';
import { type VerbatimParams, verbatimParams, verbatimRest } from '../http/base-path.ts';
import { Refusal } from '../http/errors.ts';
import { varyBy } from '../http/negotiation.ts';
import { createFindPast } from '../past/find-past.ts';
import { nothingThen, pastRefusal } from '../past/past-refusal.ts';
import { editionOf, repeatable } from '../repeated/grounds.ts';
import { redirectToMemento } from './memento-redirect.ts';

/** Leads to what an Original was at a moment (RFC 7089 §4.2, pattern 2.1). */
export function timeGateRoutes(app: FastifyInstance, deps: ServerDeps): void {
  const findPast = createFindPast(deps);
  app.route<{ Params: VerbatimParams }>({
    method: ['GET', 'HEAD'],
    url: '/timegate/*',
    schema: { params: verbatimParams },
    config: { operationId: 'getTimeGate', open: true },
    handler: async (request, reply) => {
      varyBy(reply, 'accept-datetime');
      const isRead = editionOf(deps);
      const past = await findPast(verbatimRest(request), request);
      if (!past) throw new Refusal('not-found', 'nothing was published at this address');
      const { baseUrl } = deps;
      const field = request.headers['accept-datetime'];
      // An empty one counts as none (ME-05). Sent twice it arrives as one that is malformed.
      const at = typeof field === 'string' && field !== '' ? parseAcceptDatetime(field) : undefined;
      if (at === undefined && field) throw pastRefusal(baseUrl, past, 'bad-request', malformed);
      if (past.withheld !== undefined) throw pastRefusal(baseUrl, past, 'not-found', past.withheld);
      const selection = await past.select(at);
      const { selected } = selection;
      if (selected === undefined) throw nothingThen(baseUrl, past, selection, at);
      const { isConfigured } = past;
      if (isRead && isConfigured)
        repeatable(reply, { operationId: 'getTimeGate', hold: () => isConfigured() && isRead() });
      return redirectToMemento(baseUrl, reply, past, { ...selection, selected });
    },
  });
}

const malformed =
  'Accept-Datetime is to be one date and time like `Sat, 21 Nov 2026 04:38:00 GMT`, in exactly this form';
