import { channelAt, channelLinks } from '../../core/push/channels.ts';
import { hubsOf } from '../../core/push/hubs.ts';
import { retryDelay } from '../../core/push/limits.ts';
import { hubSignature } from '../../core/push/signature.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { setPaths } from '../../publish/documents/document-paths.ts';
import type { ClaimedSubscription, DeliveryOutcome } from '../../store/push/deliveries.ts';
import type { Notification } from '../../store/push/notifications.ts';
import { signatureHeaders } from '../alerts/channels/post.ts';
import type { Bridge } from '../bridge.ts';
import type { Answer, Callbacks } from './callbacks.ts';

export interface Sending {
  readonly subscription: ClaimedSubscription;
  readonly notification: Notification;
  readonly set: ResourceSet | undefined;
  /** By the clock of the database. */
  readonly now: number;
}

/** Sends one notification to one subscriber, and says what became of it. */
export type Sender = (sending: Sending) => Promise<DeliveryOutcome>;

/** By the kind of the subscription. */
export function createSenders(
  { config }: Pick<Bridge, 'config'>,
  callbacks: Pick<Callbacks, 'call'>,
): Readonly<Record<string, Sender>> {
  const { baseUrl } = config;
  /** To all webhooks of a set the same is sent; each has a signature of its own. */
  const messages = new WeakMap<Notification, Message>();
  return {
    websub: async ({ subscription, notification, set, now }) => {
      const { topic, secret, callback: url } = subscription;
      const { content: body, mediaType } = notification;
      const headers = {
        'content-type': mediaType,
        link: channelLinks({
          topic: `${baseUrl}/${topic}`,
          hubs: set ? hubsOf(config, set) : [],
          capabilityList: `${baseUrl}/${setPaths({ path: channelAt(topic)?.set ?? '' }).capabilityList}`,
        }),
        ...(secret === undefined ? {} : { 'x-hub-signature': hubSignature(secret, body) }),
      };
      const answer = await callbacks.call({ url, method: 'POST', headers, body });
      return outcomeOf(answer, subscription, notification, now);
    },
    webhook: async ({ subscription, notification, now }) => {
      const message = messages.get(notification) ?? toMessage(baseUrl, subscription, notification);
      // It was told before this webhook was there.
      if (!message) return { kind: 'nothing', seq: notification.seq };
      messages.set(notification, message);
      const answer = await callWebhook(callbacks, subscription, { ...message, now });
      return outcomeOf(answer, subscription, notification, now);
    },
    ping: async ({ subscription, notification, now }) => {
      const topic = `${baseUrl}/${subscription.topic}`;
      // Some hubs know it by the one name, some by the other.
      const form = new URLSearchParams({ 'hub.mode': 'publish', 'hub.url': topic, 'hub.topic': topic });
      const answer = await callbacks.call({
        ...{ url: subscription.callback, method: 'POST', body: Buffer.from(form.toString()) },
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
      const outcome = outcomeOf(answer, subscription, notification, now);
      // A hub that is away has not unsubscribed.
      if (outcome.kind !== 'gone') return outcome;
      return { ...outcome, kind: 'failed', dueAt: now + retryDelay(subscription.attempts + 1) };
    },
  };
}

interface Message {
  readonly id: string;
  readonly body: Buffer;
}

function toMessage(
  baseUrl: string,
  subscription: ClaimedSubscription,
  notification: Notification,
): Message | undefined {
  const { json } = notification;
  if (!json) return undefined;
  const id = webhookId(subscription, notification);
  const told = { id, type: 'changes', ...placeOf(baseUrl, subscription.topic) };
  return {
    id,
    body: Buffer.concat([Buffer.from(`${JSON.stringify(told).slice(0, -1)},`), json.subarray(1)]),
  };
}

/** Signed as Standard Webhooks has it, where there is a secret. */
export function callWebhook(
  callbacks: Pick<Callbacks, 'call'>,
  { callback: url, secret }: Pick<ClaimedSubscription, 'callback' | 'secret'>,
  { id, body, now }: { readonly id: string; readonly body: Buffer; readonly now: number },
): Promise<Answer> {
  const seconds = Math.floor(now / 1000);
  const signed =
    secret === undefined
      ? { 'webhook-id': id, 'webhook-timestamp': String(seconds) }
      : signatureHeaders({ id, body }, secret, seconds);
  return callbacks.call({
    url,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...signed },
    body,
  });
}

/** What a message is known by, however often it is sent. */
function webhookId({ topicId }: ClaimedSubscription, { seq, createdAt }: Notification): string {
  return `changes-${topicId}-${seq}-${createdAt.toString(36)}`;
}

export function placeOf(baseUrl: string, topic: string) {
  return { set: channelAt(topic)?.set, topic: `${baseUrl}/${topic}` };
}

function outcomeOf(
  answer: Answer,
  { attempts }: ClaimedSubscription,
  { seq }: Notification,
  now: number,
): DeliveryOutcome {
  if (answer.status !== undefined && answer.status >= 200 && answer.status <= 299)
    return { kind: 'delivered', seq };
  // WS-15: it was deleted there.
  if (answer.status === 410) return { kind: 'gone', reason: 'it answered 410', counted: 'gone' };
  const dueAt = now + retryDelay(attempts + 1);
  if (answer.status === undefined)
    return { kind: 'failed', reason: answer.reason, counted: answer.counted, dueAt };
  return {
    kind: 'failed',
    reason: `it answered ${answer.status}`,
    counted: `${Math.floor(answer.status / 100)}xx`,
    dueAt,
  };
}
