import { type Static, Type } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ServerDeps } from './deps.ts';
import { type Page, sendPage } from './html.ts';
import { preferredType, varyBy } from './negotiation.ts';

/** `?format=json` for those who cannot set an Accept header. */
export const formatQuery = Type.Object({
  format: Type.Optional(Type.Union([Type.Literal('html'), Type.Literal('json')])),
});

export type FormatQuery = Static<typeof formatQuery>;

/** JSON and HTML are two views of one object: whatever a page shows is in its JSON too. */
export function sendView<View extends object>(
  deps: ServerDeps,
  request: FastifyRequest<{ Querystring: FormatQuery }>,
  reply: FastifyReply,
  view: View,
  toPage: (view: View) => Page,
): FastifyReply {
  reply.header('cache-control', 'no-cache');
  varyBy(reply, 'Accept');
  const negotiated = preferredType(request.headers.accept, ['text/html', 'application/json']);
  const format = request.query.format ?? (negotiated === 'text/html' ? 'html' : 'json');
  if (format === 'json') {
    return reply.type('application/json; charset=utf-8').send(`${JSON.stringify(view, null, 2)}\n`);
  }
  return sendPage(deps, reply, toPage(view));
}
