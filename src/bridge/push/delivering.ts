import { failure } from '../../core/errors.ts';
import { mostBehind, retention } from '../../core/push/limits.ts';
import {
  type ClaimedSubscription,
  claimDeliveries,
  type DeliveryOutcome,
  releaseDeliveries,
} from '../../store/push/deliveries.ts';
import { deliveryHoldMs } from '../../store/push/hold.ts';
import type { Notification } from '../../store/push/notifications.ts';
import type { Bridge } from '../bridge.ts';
import { callsPerHost } from './callbacks.ts';
import { setOfTopic } from './channels.ts';
import { HostTurns } from './host-turns.ts';
import type { MayBeTold } from './may-be-told.ts';
import { OutboxReader } from './outbox-reader.ts';
import type { Sender } from './senders.ts';
import { Settling } from './settling.ts';

export interface DeliveringDeps {
  readonly bridge: Pick<Bridge, 'config' | 'database' | 'sets' | 'log'>;
  readonly holder: string;
  readonly senders: Readonly<Record<string, Sender>>;
  readonly mayBeTold: MayBeTold;
  /** By the clock of the database. */
  readonly now: () => number;
}

/** Calls under way: to subscribers that answer, to those that did not last time, and altogether, with those that turn out not to answer. */
const most = { prompt: 128, patient: 64, all: 1024 } as const;
/** Who takes longer keeps none of those who answer from being called: this time, and from the next time on from the beginning. */
const promptMs = 1000;
/** So many are known to be slow. */
const mostSlow = 1000;
/** After this nothing more is begun under a hold that ends a while later. */
const beginWithinMs = deliveryHoldMs - 20_000;

/**
 * Sends what is to be sent: to each subscriber one after the other, to many side by side. One that is slow or dead waits for its
 * turn among its like.
 */
export class Delivering {
  readonly #deps: DeliveringDeps;
  readonly #outbox: OutboxReader;
  readonly #settling: Settling;
  readonly #turns = new HostTurns(callsPerHost);
  readonly #running = new Set<Promise<void>>();
  /** Subscriptions by number, those that were slow last at the end. */
  readonly #slow = new Set<number>();
  #isBehind = false;
  #prompt = 0;
  #patient = 0;
  #calls = 0;
  #isStopped = false;

  constructor(deps: DeliveringDeps) {
    this.#deps = deps;
    this.#outbox = new OutboxReader(deps.bridge.database);
    this.#settling = new Settling(deps.bridge.database, deps.holder, deps.now);
  }

  /** Whether some of those who answer could not be taken up yet. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  /** Takes up what is due, as far as there is room. @returns whether there was anything */
  async look(): Promise<boolean> {
    const { bridge, holder, senders, now } = this.#deps;
    const kinds = Object.keys(senders);
    const room = most.all - this.#calls;
    let hasFound = false;
    for (const patients of [false, true]) {
      const free = patients ? most.patient - this.#patient : most.prompt - this.#prompt;
      const limit = Math.min(room, free);
      const choice = { kinds, patients, limit, slow: [...this.#slow] };
      const claimed = await claimDeliveries(bridge.database, holder, choice, now());
      for (const subscription of claimed) this.#start(subscription);
      if (!patients) this.#isBehind = claimed.length >= limit;
      hasFound ||= claimed.length > 0;
    }
    return hasFound;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#running);
    await releaseDeliveries(this.#deps.bridge.database, this.#deps.holder);
  }

  #start(subscription: ClaimedSubscription): void {
    const work = this.#serve(subscription)
      .catch((error: unknown) =>
        this.#deps.bridge.log.warn(
          { subscription: subscription.id, ...failure(error) },
          'what became of a notification could not be written down; it is sent again',
        ),
      )
      .finally(() => this.#running.delete(work));
    this.#running.add(work);
  }

  async #serve(subscription: ClaimedSubscription): Promise<void> {
    const began = performance.now();
    let current = subscription;
    for (;;) {
      const notification = await this.#next(current);
      const outcome: DeliveryOutcome = notification
        ? await this.#send(current, notification, began)
        : { kind: 'nothing', seq: current.sentSeq };
      const isSent = outcome.kind === 'delivered' || outcome.kind === 'nothing';
      const goesOn =
        isSent &&
        notification !== undefined &&
        !this.#isStopped &&
        performance.now() - began < beginWithinMs &&
        (await this.#outbox.next(current.topicId, outcome.seq)) !== undefined;
      const isLost = await this.#settling.settle({ subscription: current, outcome, keep: goesOn });
      if (isLost || !goesOn || !isSent) return;
      current = { ...current, sentSeq: outcome.seq, attempts: 0 };
    }
  }

  /** Who is far behind goes on with the latest: what it finds missing is in the Change List. */
  async #next({ topicId, sentSeq, kind }: ClaimedSubscription): Promise<Notification | undefined> {
    const next = await this.#outbox.next(topicId, sentSeq);
    if (!next) return undefined;
    const isOld = next.createdAt < this.#deps.now() - retention.milliseconds;
    // To a hub of somebody else all say the same: that there is something new.
    if (kind !== 'ping' && !isOld && !(await this.#isFarBehind(topicId, next.seq))) return next;
    return (await this.#outbox.latest(topicId)) ?? next;
  }

  async #isFarBehind(topicId: number, seq: number): Promise<boolean> {
    return (await this.#outbox.next(topicId, seq + mostBehind)) !== undefined;
  }

  async #send(
    subscription: ClaimedSubscription,
    notification: Notification,
    began: number,
  ): Promise<DeliveryOutcome> {
    const { bridge, senders, mayBeTold, now } = this.#deps;
    const set = setOfTopic(bridge, subscription.topic);
    if (set && !(await mayBeTold(set, subscription))) return denied(bridge.config.baseUrl, subscription);
    const sender = senders[subscription.kind];
    if (!sender) return { kind: 'nothing', seq: notification.seq };
    const leave = await this.#turns.take(subscription.host);
    const settle = this.#enter(subscription);
    try {
      // It waited for its turn for so long that another process may have it.
      if (performance.now() - began > beginWithinMs) return { kind: 'nothing', seq: subscription.sentSeq };
      return await sender({ subscription, notification, set, now: now() });
    } finally {
      settle();
      leave();
    }
  }

  #enter({ id, attempts }: ClaimedSubscription): () => void {
    const isPatient = attempts > 0 || this.#slow.has(id);
    const began = performance.now();
    this.#calls += 1;
    if (isPatient) this.#patient += 1;
    else this.#prompt += 1;
    let counts = true;
    const yieldPlace = () => {
      if (!counts) return;
      counts = false;
      if (isPatient) this.#patient -= 1;
      else this.#prompt -= 1;
    };
    const late = isPatient ? undefined : setTimeout(yieldPlace, promptMs);
    return () => {
      clearTimeout(late);
      yieldPlace();
      this.#calls -= 1;
      this.#note(id, performance.now() - began > promptMs);
    };
  }

  #note(id: number, isSlow: boolean): void {
    this.#slow.delete(id);
    if (!isSlow) return;
    this.#slow.add(id);
    for (const first of this.#slow) {
      if (this.#slow.size <= mostSlow) break;
      this.#slow.delete(first);
    }
  }
}

function denied(baseUrl: string, { topicId, topic, callback, kind }: ClaimedSubscription): DeliveryOutcome {
  const reason = 'the token that opened it does not any more';
  const denial = { topicId, callback, topicUrl: `${baseUrl}/${topic}`, reason };
  return { kind: 'gone', reason, counted: 'denied', ...(kind === 'websub' && { denial }) };
}
