import { failure } from '../../core/errors.ts';
import { retention } from '../../core/push/limits.ts';
import { freeDeliveriesOfDead } from '../../store/push/deliveries.ts';
import { pruneNotifications } from '../../store/push/notifications.ts';
import { hasSubscribers, removeExpired } from '../../store/push/subscriptions.ts';
import { lookAtClock } from '../../store/runs/clock-ahead.ts';
import { addHolder, newHolder } from '../../store/runs/leases.ts';
import type { Bridge } from '../bridge.ts';
import { startWatch, type Watch } from '../work/watch.ts';
import { Callbacks, callbackSettings } from './callbacks.ts';
import { Delivering } from './delivering.ts';
import { createMayBeTold } from './may-be-told.ts';
import { createSenders, type Sender } from './senders.ts';
import { Telling } from './telling.ts';
import { Verifying } from './verifying.ts';

const lookMs = 200;
/** With nothing under way; what this process writes down itself is seen at once. */
const restMs = 1000;
/** What is told is gathered for so long, and longer while those who answer still wait for what was told before. */
const tellMs = 300;
const longestGatherMs = 3000;
/** Until what has happened is published. */
const publishedMs = 50;
const tidyMs = 10_000;
/** While nobody has subscribed. */
const idleMs = 2000;
const pauseAfterFailureMs = 5000;

export interface PushHooks {
  /** Whether this process is the one that writes down what is to be told. */
  isOurs(): boolean;
  /** Of further kinds of subscriptions, beside those that there are. */
  senders?(callbacks: Callbacks): Readonly<Record<string, Sender>>;
}

/** Tells whoever has subscribed what happens: one process writes it down, all deliver it. */
export function startPush(bridge: Bridge, stop: AbortSignal, { isOurs, senders }: PushHooks): Watch {
  const { config, database, log } = bridge;
  const holder = newHolder();
  addHolder(holder);
  const now = () => Date.now() - database.aheadMs;
  const callbacks = new Callbacks(callbackSettings(config));
  const all = { ...createSenders(bridge, callbacks), ...senders?.(callbacks) };
  const delivering = new Delivering({
    bridge,
    holder,
    senders: all,
    mayBeTold: createMayBeTold(bridge),
    now,
  });
  const verifying = new Verifying({ bridge, holder, callbacks, now });
  const telling = new Telling(bridge);
  const nextTidy = { at: 0 };
  let toldAt = Number.NEGATIVE_INFINITY;
  let isWanted = true;

  async function look(): Promise<number> {
    try {
      if (performance.now() >= nextTidy.at) {
        nextTidy.at = performance.now() + tidyMs;
        await lookAtClock(database);
        await freeDeliveriesOfDead(database);
        await removeExpired(database, now());
        await pruneNotifications(database, retention, now());
      }
      const wasWanted = isWanted;
      isWanted = await hasSubscribers(database.reader);
      if (!isWanted) return restMs;
      if (!wasWanted) tellWatch.wake();
      const hasDelivered = await delivering.look();
      const hasVerified = await verifying.look();
      if (hasDelivered || hasVerified) return lookMs / 4;
      return delivering.isBusy || verifying.isBusy ? lookMs : restMs;
    } catch (error) {
      if (!stop.aborted) log.warn({ ...failure(error) }, 'notifications cannot be sent; tried again');
      return pauseAfterFailureMs;
    }
  }

  const watch = startWatch(bridge, stop, 'notifications cannot be sent', look);
  const tellWatch = startWatch(bridge, stop, 'what is to be told cannot be written down', async () => {
    if (!isOurs()) return tellMs;
    if (delivering.isBehind && performance.now() - toldAt < longestGatherMs) return publishedMs;
    const told = await telling.tell(now());
    if (told === 'waits') return publishedMs;
    if (told === 'told') {
      toldAt = performance.now();
      watch.wake();
    }
    return told === 'told' || isWanted ? tellMs : idleMs;
  });

  return {
    stop: async () => {
      await Promise.all([tellWatch.stop(), watch.stop()]);
      await Promise.all([delivering.stop(), verifying.stop()]);
      await callbacks.close();
    },
  };
}
