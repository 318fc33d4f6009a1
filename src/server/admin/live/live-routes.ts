import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Markup } from '../../html/html.ts';
import { Refusal } from '../../http/errors.ts';
import type { Reader } from '../../words/reader.ts';
import { type AdminServer, basePathOf } from '../guard/admin-server.ts';
import { visitorOf } from '../guard/visitor.ts';
import { readerOf } from '../page/language.ts';
import type { EventHub, Onlooker, Shared } from './event-hub.ts';
import { createMayStay } from './may-stay.ts';

export interface LiveRequest {
  readonly query: Readonly<Record<string, unknown>>;
  readonly reader: Reader;
  /** Of the pages of the dashboard. */
  readonly base: string;
  readonly shared: Shared;
}

/** The parts of a page that are kept as they are now, by their names. */
export type LiveView = (request: LiveRequest) => Promise<Readonly<Record<string, Markup>>>;

/** What a page is told while somebody looks at it: those of its parts that are not as they were. */
export function liveRoutes(
  app: FastifyInstance,
  deps: AdminServer,
  hub: EventHub,
  views: Readonly<Record<string, LiveView>>,
): void {
  app.route({
    method: 'GET',
    url: '/admin/live',
    config: { operationId: 'followPage', needs: 'read' },
    handler: async (request, reply) => {
      const query = request.query as Readonly<Record<string, unknown>>;
      const name = String(query.view);
      const view = Object.hasOwn(views, name) ? views[name] : undefined;
      if (!view) throw new Refusal('bad-request', `a view is one of ${Object.keys(views).join(', ')}`);
      const stream = hub.add({
        who: visitorOf(request).who,
        mayStay: createMayStay(deps, request),
        look: pageLook(deps, request, view),
      });
      return reply.type('text/event-stream; charset=utf-8').header('x-accel-buffering', 'no').send(stream);
    },
  });
}

/** All parts at first, then those that have changed: whoever comes again sees what is now, and has missed nothing. */
function pageLook(deps: AdminServer, request: FastifyRequest, view: LiveView): Onlooker['look'] {
  const query = request.query as Readonly<Record<string, unknown>>;
  const reader = readerOf(deps, request);
  const base = `${basePathOf(deps)}/admin`;
  const sent = new Map<string, string>();
  let events = 0;
  return async (stream, shared) => {
    const parts = await view({ query, reader, base, shared });
    const changed = Object.entries(parts).filter(([name, { text }]) => sent.get(name) !== text);
    if (changed.length === 0) return;
    for (const [name, { text }] of changed) sent.set(name, text);
    events += 1;
    stream.say('parts', Object.fromEntries(changed.map(([name, { text }]) => [name, text])), events);
  };
}
