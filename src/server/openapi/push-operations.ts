import type { Operation } from './operation.ts';

/** What those who want to be told of changes may ask for, by its `operationId`. */
export const pushOperations: Readonly<Record<string, Operation>> = {
  getChannel: {
    tag: 'documents',
    summary: 'What was told last on a channel of a set',
    description:
      'A Change Notification or a Framework Notification of ResourceSync; empty while nothing was told. Its `Link` header says where to subscribe to it (WebSub). There where `push.hub` or `push.externalHubs` is configured.',
    paths: ['/{source}', '/{source}/{part}', '/{source}/{part}/{name}'].flatMap((set) => [
      `${set}/change-notification.xml`,
      `${set}/framework-notification.xml`,
    ]),
    parameters: [
      { name: 'source', in: 'path', description: 'The name of a source, or of a set across sources.' },
      { name: 'part', in: 'path', description: '`metadata` or `sets`.' },
      { name: 'name', in: 'path', description: 'The name of a set.' },
    ],
    answers: {
      200: {
        description: 'The notification.',
        content: { 'application/xml': undefined },
        headers: {
          ETag: 'For If-None-Match.',
          Link: '`hub`, `self`, and `resourcesync`: the Capability List.',
        },
      },
      304: { description: 'It is what the condition says.' },
    },
    problems: [404],
  },
  askHub: {
    tag: 'documents',
    summary: 'Subscribe to a channel, or end that (WebSub)',
    description:
      'A form with `hub.mode` (`subscribe`, `unsubscribe`), `hub.topic` (a channel), `hub.callback`, and perhaps `hub.lease_seconds` and `hub.secret`. The callback is asked whether that is meant; the answer does not wait for it. There where `push.hub` is configured.',
    answers: {
      202: { description: 'The callback is asked.', content: { 'text/plain': undefined } },
      400: { description: 'What is wrong with the request.', content: { 'text/plain': undefined } },
      404: { description: 'There is no such channel.', content: { 'text/plain': undefined } },
      415: { description: 'It is no form.', content: { 'text/plain': undefined } },
      429: { description: 'Too many at a time.', content: { 'text/plain': undefined } },
    },
    problems: [413, 503],
  },
};
