import type { FastifyInstance } from 'fastify';
import { inboxPath, toUri } from '../../core/uris.ts';
import { primaryOf } from '../../store/admin/primary.ts';
import { findNotification, listNotifications } from '../../store/notifications/inbox.ts';
import { installGuard } from '../admin/guard/guard.ts';
import type { ServerDeps } from '../deps.ts';
import { Refusal } from '../http/errors.ts';
import { linkNext } from '../http/link-header.ts';
import type { Operation } from '../openapi/operation.ts';

const perPage = 1000;

const linkedData = { 'application/ld+json': undefined } as const;
const listing: Operation = {
  tag: 'notifications',
  summary: 'The notifications that have come, the newest first, a thousand a page',
  answers: { 200: { description: 'Their addresses, as an `ldp:Container`.', content: linkedData } },
  problems: [401, 403],
};
const reading: Operation = {
  tag: 'notifications',
  summary: 'A notification, as it came',
  parameters: [{ name: 'number', in: 'path', description: 'Its number.', example: '12' }],
  answers: { 200: { description: 'It.', content: linkedData } },
  problems: [401, 403, 404],
};

/** What the inbox holds, as Linked Data Notifications has it, for those who run the bridge. */
export function inboxReading(app: FastifyInstance, deps: ServerDeps): void {
  const { admin, inbox } = deps;
  if (!admin || !inbox) return;
  const reader = primaryOf(deps.database);
  app.register(async (scope) => {
    installGuard(scope, { ...deps, admin }, 'api');
    scope.route({
      method: ['GET', 'HEAD'],
      url: `/${inboxPath}`,
      config: { operationId: 'getInbox', needs: 'read', operation: listing },
      handler: async (request, reply) => {
        const { before } = request.query as Readonly<Record<string, unknown>>;
        const from = /^\d{1,9}$/.test(String(before)) ? Number(before) : undefined;
        const some = await listNotifications(reader, { before: from, limit: perPage + 1 });
        const shown = some.slice(0, perPage);
        linkNext(
          deps,
          reply,
          `/${inboxPath}`,
          some.length > perPage ? { before: shown.at(-1)?.number } : undefined,
        );
        return reply.type('application/ld+json').send(
          Buffer.from(
            `${JSON.stringify({
              '@context': 'http://www.w3.org/ns/ldp',
              '@id': toUri(deps.baseUrl, inboxPath),
              contains: shown.map(({ number }) => toUri(deps.baseUrl, `${inboxPath}/${number}`)),
            })}\n`,
          ),
        );
      },
    });
    scope.route<{ Params: { number: string } }>({
      method: ['GET', 'HEAD'],
      url: `/${inboxPath}/:number`,
      config: { operationId: 'getNotification', needs: 'read', operation: reading },
      handler: async (request, reply) => {
        const { number } = request.params;
        const found = /^[1-9]\d{0,8}$/.test(number) && (await findNotification(reader, Number(number)));
        if (!found) throw new Refusal('not-found', `there is no notification ${number}, or not any more`);
        return reply.type('application/ld+json').send(Buffer.from(found.content));
      },
    });
  });
}
