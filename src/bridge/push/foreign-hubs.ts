import { listSubscriptions, putSubscription, removeSubscription } from '../../store/push/subscriptions.ts';
import type { Topic } from '../../store/push/topics.ts';
import type { Bridge } from '../bridge.ts';
import type { OpenChannel } from './channels.ts';

/**
 * Hubs of others are told by the same queue as everybody: each has a subscription to each channel, as it is configured.
 * @returns whether there are others now
 */
export async function keepForeignHubs(
  { config, database }: Pick<Bridge, 'config' | 'database'>,
  open: ReadonlyMap<string, OpenChannel>,
  topics: ReadonlyMap<string, Topic>,
  now: number,
): Promise<boolean> {
  const known = await listSubscriptions(database.reader, { kind: 'ping', limit: 100_000 });
  const hubs = config.push.externalHubs;
  if (known.length === 0 && hubs.length === 0) return false;
  const isKnown = new Set(known.map(({ topic, callback }) => `${topic} ${callback}`));
  const isMeant = ({ topic, callback }: { readonly topic: string; readonly callback: string }) =>
    hubs.includes(callback) && open.get(topic)?.resources.isPrivate !== true;
  const missing = [...open.values()].flatMap(({ path }) =>
    hubs
      .map((callback) => ({ topic: path, callback }))
      .filter((one) => isMeant(one) && !isKnown.has(`${one.topic} ${one.callback}`)),
  );
  const foreign = known.filter((one) => !isMeant(one));
  if (missing.length + foreign.length === 0) return false;
  await database.transaction(async (trx) => {
    for (const { topic, callback } of missing) {
      const id = topics.get(topic)?.id;
      if (id !== undefined) await putSubscription(trx, { topicId: id, kind: 'ping', callback }, now);
    }
    for (const { id } of foreign) await removeSubscription(trx, id);
  });
  return true;
}
