import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { parseDigits, toDigits, toHttpDate, toIso } from '../../core/datetime.ts';
import { mementoUri } from '../../core/uris.ts';
import type { ServerDeps } from '../deps.ts';
import { type VerbatimParams, verbatimParams, verbatimRest } from '../http/base-path.ts';
import { keepHeaders, Refusal } from '../http/errors.ts';
import { createFindPast } from '../past/find-past.ts';
import { mementoLinks } from '../past/memento-links.ts';
import { nothingThen, pastRefusal } from '../past/past-refusal.ts';
import type { Past, PastSelection } from '../past.ts';
import { redirectToMemento } from './memento-redirect.ts';

/** What an Original was: as it was then, for ever (RFC 7089 §4.2). */
export function mementoRoutes(app: FastifyInstance, deps: ServerDeps): void {
  const { baseUrl } = deps;
  const findPast = createFindPast(deps);
  app.route<{ Params: VerbatimParams }>({
    method: ['GET', 'HEAD'],
    url: '/memento/*',
    schema: { params: verbatimParams },
    config: { operationId: 'getMemento', open: true },
    handler: async (request, reply) => {
      const rest = verbatimRest(request);
      const slash = rest.indexOf('/');
      const past = slash < 0 ? undefined : await findPast(rest.slice(slash + 1), request);
      if (!past) throw new Refusal('not-found', 'nothing was published at this address');
      const datetime = parseDigits(rest.slice(0, slash));
      if (datetime === undefined) {
        throw pastRefusal(
          baseUrl,
          past,
          'bad-request',
          'the address of a memento has a time as YYYYMMDDhhmmss, UTC',
        );
      }
      if (past.withheld !== undefined) throw pastRefusal(baseUrl, past, 'gone', past.withheld);
      const found = await past.exact(datetime);
      if (found.selected === undefined) return sendNearest(baseUrl, reply, past, datetime);
      const isCanonical = rest === `${toDigits(datetime)}/${past.uri}`;
      return send(deps, request, reply, past, { ...found, selected: found.selected }, isCanonical);
    },
  });
}

function send(
  { baseUrl, clock }: ServerDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  past: Past,
  selection: PastSelection & { readonly selected: string },
  isCanonical: boolean,
): Promise<FastifyReply> {
  const datetime = selection.selected;
  const link = mementoLinks(baseUrl, past, selection);
  const headers = {
    'memento-datetime': toHttpDate(datetime),
    link,
    ...(!isCanonical && { 'content-location': mementoUri(baseUrl, past.uri, datetime) }),
    // The journal's clock may be ahead of the machine's.
    'cache-control':
      past.isFinal(datetime) && datetime < toIso(clock.now())
        ? 'public, max-age=31536000, immutable'
        : 'no-cache',
  };
  // ME-12: a 304 says them, too. Of a damaged one the neighbours are told.
  reply.headers(headers);
  keepHeaders(reply, { link });
  return past.send(datetime, request, reply, headers);
}

/** Between mementos to the one that was valid then; where there is none, its neighbours are told. */
async function sendNearest(
  baseUrl: string,
  reply: FastifyReply,
  past: Past,
  datetime: string,
): Promise<FastifyReply> {
  const selection = await past.select(datetime);
  const { selected } = selection;
  if (past.isDropped(datetime)) {
    const why = `the version of ${datetime} is no longer kept; the Link header names the versions before and after it`;
    throw pastRefusal(baseUrl, past, 'not-found', why, besides(selection, datetime));
  }
  if (selected === undefined) throw nothingThen(baseUrl, past, selection, datetime);
  return redirectToMemento(baseUrl, reply, past, { ...selection, selected });
}

/** The neighbours of a moment that has no memento of its own. */
function besides({ selected, prev, next }: PastSelection, datetime: string): PastSelection {
  if (selected === undefined) return { prev, next };
  return selected < datetime ? { prev: selected, next } : { prev, next: selected };
}
