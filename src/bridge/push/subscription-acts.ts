import { randomBytes, randomUUID } from 'node:crypto';
import { bare } from '../../core/addresses/public-address.ts';
import { suggest } from '../../core/config/suggestion.ts';
import { BridgeError, refusal } from '../../core/errors.ts';
import { callbackFault } from '../../core/push/callback.ts';
import { channelAt, channelOf } from '../../core/push/channels.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { Actor } from '../../store/admin/audit.ts';
import { putDenial } from '../../store/push/denials.ts';
import { latestNotification } from '../../store/push/notifications.ts';
import {
  findSubscription,
  type ListedSubscription,
  listSubscriptions,
  putSubscription,
  readAddress,
  removeSubscription,
} from '../../store/push/subscriptions.ts';
import { findTopic, topicFrom } from '../../store/push/topics.ts';
import { lookAtClock } from '../../store/runs/clock-ahead.ts';
import { readJournal } from '../../store/sources/journal.ts';
import { noteAct } from '../sources/source-acts.ts';
import type { StoredBridge } from '../stored-bridge.ts';
import { Callbacks, callbackSettings, isInside } from './callbacks.ts';
import { callWebhook, createSenders, placeOf } from './senders.ts';

type Stored = Pick<StoredBridge, 'config' | 'database' | 'clock' | 'setsOf' | 'jointSets'>;

export interface NewWebhook {
  readonly url: string;
  /** The path of the set that it is told of. */
  readonly set: string;
  /** Undefined: one is made. */
  readonly secret?: string | undefined;
  /** For people. */
  readonly label?: string | undefined;
}

const longestLabel = 200;
const longestSecret = 500;

/**
 * From now on each change of a set is told there.
 * @returns the secret by which it knows that we call: it is not shown again
 * @throws BridgeError `usage`, `unknown-set`
 */
export async function addWebhook(
  bridge: Stored,
  { url, set: path, secret, label }: NewWebhook,
  by: Actor,
): Promise<{ readonly id: number; readonly secret: string }> {
  const { config, database } = bridge;
  const fault = callbackFault(url, config.baseUrl);
  if (fault !== undefined) throw refusal('usage', 'callback-refused', { url, why: fault });
  if (secret !== undefined && (secret.length < 16 || secret.length > longestSecret))
    throw refusal('usage', 'secret-length', { most: longestSecret });
  if (await isInside(callbackSettings(config), url)) {
    const why = `its address is not public; push: { allow: ["${bare(new URL(url).hostname)}"] } in the configuration allows it`;
    throw refusal('usage', 'callback-refused', { url, why });
  }
  const set = findSet(bridge, path);
  const journal = await readJournal(database.reader, set.source);
  const now = await lookAtClock(database);
  const known = secret ?? `whsec_${randomBytes(24).toString('base64')}`;
  const { path: name } = channelOf(set.path, 'change-notification');
  const id = await database.transaction(async (trx) => {
    const topic = await topicFrom(trx, name, journal, now);
    const wanted = { topicId: topic.id, kind: 'webhook', callback: url, secret: known };
    return putSubscription(trx, { ...wanted, label: label?.slice(0, longestLabel) }, now);
  });
  await noteAct(bridge, by, 'added a subscription', `${id} ${set.path}`);
  return { id, secret: known };
}

export function listAll({ database }: Pick<Stored, 'database'>): Promise<readonly ListedSubscription[]> {
  return listSubscriptions(database.reader);
}

/** Nothing is sent there any more; a subscriber of WebSub is told so. @throws BridgeError `not-found` */
export async function endSubscription(bridge: Stored, id: number, by: Actor): Promise<ListedSubscription> {
  const { config, database } = bridge;
  const now = await lookAtClock(database);
  const found = await findOne(bridge, id);
  await database.transaction(async (trx) => {
    const topic = await findTopic(trx, found.topic);
    if (!(await removeSubscription(trx, id)) || !topic || found.kind !== 'websub') return;
    const reason = 'whoever runs the hub has ended it';
    const topicUrl = `${config.baseUrl}/${found.topic}`;
    await putDenial(trx, { topicId: topic.id, callback: found.callback, topicUrl, reason }, now);
  });
  await noteAct(bridge, by, 'removed a subscription', `${id} ${found.topic}`);
  return found;
}

export interface Tried {
  readonly delivered: boolean;
  /** Why not. */
  readonly reason?: string | undefined;
}

/**
 * Sends something there now, beside the queue: a test message to a webhook, what was told last to a subscriber of WebSub.
 * @throws BridgeError `not-found`, `usage` where nothing was told yet that could be sent
 */
export async function trySubscription(bridge: Stored, id: number, by: Actor): Promise<Tried> {
  const { config, database } = bridge;
  const found = await findOne(bridge, id);
  const address = await readAddress(database.reader, id);
  const topic = await findTopic(database.reader, found.topic);
  const latest = topic && (await latestNotification(database.reader, topic.id));
  if (!address || !topic || (found.kind !== 'webhook' && !latest))
    throw refusal('usage', 'nothing-to-send', { topic: found.topic });
  const now = await lookAtClock(database);
  const callbacks = new Callbacks(callbackSettings(config));
  try {
    const subscription = { ...found, ...address, topicId: topic.id, tokenHash: undefined };
    if (found.kind === 'webhook') {
      const message = { id: `test-${randomUUID()}`, type: 'test', ...placeOf(config.baseUrl, found.topic) };
      const body = Buffer.from(JSON.stringify(message));
      const answer = await callWebhook(callbacks, subscription, { id: message.id, body, now });
      await noteAct(bridge, by, 'tried a subscription', `${id} ${found.topic}`);
      if (answer.status === undefined) return { delivered: false, reason: answer.reason };
      const isTaken = answer.status >= 200 && answer.status <= 299;
      return isTaken ? { delivered: true } : { delivered: false, reason: `it answered ${answer.status}` };
    }
    const send = createSenders({ config }, callbacks)[found.kind];
    if (!send)
      throw new BridgeError('usage', `a subscription of ${found.kind} is told of by \`serve\` alone`);
    const set = bridgeSets(bridge).find((one) => one.path === channelAt(found.topic)?.set);
    const outcome = latest && (await send({ subscription, notification: latest, set, now }));
    await noteAct(bridge, by, 'tried a subscription', `${id} ${found.topic}`);
    if (outcome?.kind === 'failed' || outcome?.kind === 'gone')
      return { delivered: false, reason: outcome.reason };
    return { delivered: true };
  } finally {
    await callbacks.close();
  }
}

async function findOne({ database }: Pick<Stored, 'database'>, id: number): Promise<ListedSubscription> {
  const found = await findSubscription(database.reader, id);
  if (!found)
    throw new BridgeError(
      'not-found',
      `there is no subscription ${id}; rsbridge subscriptions list has them`,
    );
  return found;
}

function bridgeSets({ config, setsOf, jointSets }: Stored): readonly ResourceSet[] {
  return [...jointSets(), ...Object.keys(config.sources).flatMap((name) => setsOf(name))];
}

function findSet(bridge: Stored, path: string): ResourceSet {
  const sets = bridgeSets(bridge);
  const found = sets.find((set) => set.path === path);
  if (found) return found;
  const known = sets.map((set) => set.path);
  throw new BridgeError('unknown-set', `there is no set called ${path}${suggest(path, known)}`);
}
