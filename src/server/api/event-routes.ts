import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { primaryOf } from '../../store/admin/primary.ts';
import { lastLogLine, listLog } from '../../store/presence/log-lines.ts';
import { listUnderWay } from '../../store/presence/under-way.ts';
import type { AdminServer } from '../admin/guard/admin-server.ts';
import { visitorOf } from '../admin/guard/visitor.ts';
import type { EventHub, Onlooker } from '../admin/live/event-hub.ts';
import { createMayStay } from '../admin/live/may-stay.ts';
import { readLogFilter } from '../admin/log/log-filter.ts';
import { described } from '../openapi/described.ts';
import { toWork } from './activity-routes.ts';

const eventQuery = Type.Object({
  source: Type.Optional(Type.String({ description: 'Of this source alone.' })),
  level: Type.Optional(Type.String({ description: 'Lines of the log from this level on.' })),
  last: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Go on behind this line, where no `Last-Event-ID` says so.' }),
  ),
});

/** Lines that somebody has missed and is told at once. */
const mostMissed = 1000;
/** Lines of several processes may come a little out of their order: so far back is looked for them. */
const lookedBack = 200;

/** What goes on, as it happens, for programs. */
export function eventRoutes(api: FastifyInstance, deps: AdminServer, hub: EventHub): void {
  api.route<{ Querystring: Static<typeof eventQuery> }>({
    method: 'GET',
    url: '/api/v1/events',
    schema: { querystring: eventQuery },
    config: {
      ...{ operationId: 'followEvents', needs: 'read' },
      operation: {
        ...described('What is under way, and what is logged, as server-sent events', {}, [400, 503]),
        answers: {
          200: {
            description:
              'Events `works` (all that is under way, whenever something has changed), `line` (of the log; its number is the id, behind which a client goes on) and `end` (the session is over; with `again: true` the server closes, and it is worth coming again).',
            content: { 'text/event-stream': undefined },
          },
        },
      },
    },
    handler: async (request, reply) => {
      const stream = hub.add({
        who: visitorOf(request).who,
        mayStay: createMayStay(deps, request),
        look: eventLook(deps, request),
      });
      return reply.type('text/event-stream; charset=utf-8').header('x-accel-buffering', 'no').send(stream);
    },
  });
}

function eventLook(
  deps: AdminServer,
  request: FastifyRequest<{ Querystring: Static<typeof eventQuery> }>,
): Onlooker['look'] {
  const { source, last, level } = request.query;
  const filter = readLogFilter({ source, level });
  const named = request.headers['last-event-id'];
  const behind = typeof named === 'string' && /^\d{1,9}$/.test(named) ? Number(named) : last;
  const db = primaryOf(deps.database);
  const told = new Set<number>();
  let from: number | undefined;
  let newest = 0;
  let before = '';
  return async (stream, shared) => {
    const works = (await shared('works', 900, () => listUnderWay(db))).filter(
      (work) => source === undefined || work.source === source,
    );
    const state = JSON.stringify(works);
    if (state !== before) stream.say('works', { works: works.map(toWork) });
    before = state;
    if (from === undefined) {
      const end = await lastLogLine(db);
      from = behind ?? end;
      newest = from;
    }
    const after = Math.max(from, newest - lookedBack);
    for (const line of await listLog(db, filter, { after, limit: mostMissed })) {
      if (told.has(line.id)) continue;
      told.add(line.id);
      // One that came late does not lead a client back.
      stream.say('line', line, line.id > newest ? line.id : undefined);
      newest = Math.max(newest, line.id);
    }
    for (const id of told) if (id <= newest - lookedBack) told.delete(id);
  };
}
