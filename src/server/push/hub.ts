import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Channel, channelAt } from '../../core/push/channels.ts';
import { hubPath } from '../../core/push/hubs.ts';
import {
  parseSubscriptionRequest,
  type SubscriptionRequest,
  topicPath,
} from '../../core/push/subscription-request.ts';
import { toldFrom } from '../../publish/changes/told-from.ts';
import { hashOf } from '../../store/admin/secret-text.ts';
import { type LimitMet, putIntent } from '../../store/push/intents.ts';
import { findTopic, type Topic, topicFrom } from '../../store/push/topics.ts';
import { lookAtClock } from '../../store/runs/clock-ahead.ts';
import { readJournal } from '../../store/sources/journal.ts';
import { judge, readSecret } from '../access/token.ts';
import type { PushOffer, ServerDeps } from '../deps.ts';
import { setOf } from './channel.ts';
import { createRequestRate } from './request-rate.ts';

const longestForm = 16_384;

/** An answer before anybody has been asked whether it is meant (WS-05). */
interface Told {
  readonly status: 202 | 400 | 404 | 413 | 415 | 429 | 503;
  readonly text: string;
}

/** WebSub: who wants to be told of the changes of a set asks for it here, and is asked at the callback whether that is meant. */
export function hubRoutes(app: FastifyInstance, deps: ServerDeps): void {
  const { push } = deps;
  if (!push?.hub) return;
  const rate = createRequestRate();
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: longestForm }, (_request, body, done) =>
      done(null, body),
    );
    scope.setErrorHandler<{ readonly statusCode?: number } & Error>((error, _request, reply) => {
      // WS-05: in plain text, as all that a hub says.
      if (error.statusCode !== 413) throw error;
      return tell(reply, { status: 413, text: `a request has up to ${longestForm} bytes` });
    });
    scope.route({
      method: 'POST',
      url: `/${hubPath}`,
      bodyLimit: longestForm,
      config: { operationId: 'askHub', acts: true },
      handler: async (request, reply) => {
        const client = deps.clientOf?.(request.raw) ?? '';
        if (!rate.admits(client, deps.clock.now().getTime())) {
          reply.header('retry-after', '60');
          return tell(reply, { status: 429, text: 'too many requests came from this address' });
        }
        return tell(reply, await answer(deps, push, request, client));
      },
    });
  });
}

function tell(reply: FastifyReply, { status, text }: Told): FastifyReply {
  return reply
    .code(status)
    .type('text/plain; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('x-content-type-options', 'nosniff')
    .send(`${text}\n`);
}

async function answer(
  deps: ServerDeps,
  { leaseSeconds: defaultLease, limits }: PushOffer,
  request: FastifyRequest,
  client: string,
): Promise<Told> {
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(request.headers['content-type'] ?? ''))
    return { status: 415, text: 'send a form (application/x-www-form-urlencoded)' };
  const form = new URLSearchParams(Buffer.isBuffer(request.body) ? request.body.toString() : '');
  const { baseUrl, database } = deps;
  const asked = parseSubscriptionRequest(form, { baseUrl, defaultLease });
  if (typeof asked === 'string') return { status: 400, text: asked };
  const place = topicPath(asked.topic, baseUrl);
  const found = place && (await findChannel(deps, request, 'path' in place ? place.path : place.instead));
  if (!found || !place)
    return { status: 404, text: 'hub.topic is no channel of this hub; Capability Lists name them' };
  if ('instead' in place) return { status: 400, text: `hub.topic is to be written ${place.instead}` };
  if (found.tokenHash !== undefined && baseUrl.startsWith('https:') && !asked.callback.startsWith('https:'))
    return { status: 400, text: 'hub.callback is to be at https: what is told there is not for everybody' };
  const intent = { ...intentOf(asked, found.topic), client, tokenHash: found.tokenHash };
  const met = await putIntent(database, intent, limits, await lookAtClock(database));
  if (met !== undefined) return refusals[met];
  return { status: 202, text: 'the callback is asked whether this is meant' };
}

function intentOf({ mode, callback, topic, secret, leaseSeconds }: SubscriptionRequest, { id }: Topic) {
  return { topicId: id, mode, callback, topicUrl: topic, secret, leaseSeconds };
}

const refusals: Readonly<Record<LimitMet, Told>> = {
  client: {
    status: 429,
    text: 'too many subscriptions that this address asked for are still to be confirmed',
  },
  host: { status: 429, text: 'there are too many subscriptions at the host of hub.callback' },
  topic: { status: 503, text: 'too many have subscribed to this' },
  all: { status: 503, text: 'too many have subscribed here' },
};

/** What is not for everybody is the same as nothing, for whoever has no token for it. */
async function findChannel(
  deps: ServerDeps,
  request: FastifyRequest,
  place: string,
): Promise<{ readonly topic: Topic; readonly tokenHash?: string } | undefined> {
  const path = place.startsWith(`${deps.baseUrl}/`) ? place.slice(deps.baseUrl.length + 1) : place;
  const channel = channelAt(path);
  if (!channel) return undefined;
  const source = channel.set.split('/', 1)[0] ?? '';
  const parts = await deps.privacy?.of(source);
  const secret = parts && readSecret(request);
  if (parts && (secret === undefined || (await judge(deps, secret, { source, path }, parts)) !== 'opens'))
    return undefined;
  const topic = (await findTopic(deps.database.reader, path)) ?? (await begin(deps, channel));
  return topic && { topic, ...(secret !== undefined && { tokenHash: hashOf(secret) }) };
}

/** A Capability List names its channels as soon as it is there, and whoever reads it then may ask for one. */
async function begin(deps: ServerDeps, channel: Channel): Promise<Topic | undefined> {
  const { database, push, publication } = deps;
  const set = setOf(deps, channel);
  const published = set && push?.hubsOf(set).length !== 0 ? await publication.set(set.path) : undefined;
  if (!set || !published) return undefined;
  const { reader } = database;
  const journal = await readJournal(reader, set.source);
  const isOfThis = published.journal?.id === journal?.id;
  const from = await toldFrom(reader, journal, isOfThis ? published.journal?.seq : undefined);
  const now = await lookAtClock(database);
  return database.transaction((trx) => topicFrom(trx, channel.path, from, now));
}
