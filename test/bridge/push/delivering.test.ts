import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Callbacks } from '../../../src/bridge/push/callbacks.ts';
import { Delivering } from '../../../src/bridge/push/delivering.ts';
import { createSenders } from '../../../src/bridge/push/senders.ts';
import type { Log } from '../../../src/core/adapter.ts';
import { parseConfig } from '../../../src/core/config/config.ts';
import { resourceSets } from '../../../src/core/resource-set.ts';
import { claimDeliveries } from '../../../src/store/push/deliveries.ts';
import { deliveryHoldMs } from '../../../src/store/push/hold.ts';
import { putNotification } from '../../../src/store/push/notifications.ts';
import { findSubscription, putSubscription } from '../../../src/store/push/subscriptions.ts';
import { beginTopic, holdTopic } from '../../../src/store/push/topics.ts';
import { addHolder, newHolder } from '../../../src/store/runs/leases.ts';
import { type Subscriber, startSubscriber, takeAll } from '../../house/push/subscriber.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

/** Processes that deliver from one outbox, beside one another. */
describeOnBoth('delivery', (open) => {
  let subscriber: Subscriber;
  let ahead = 0;
  let topicId = 0;
  const ends: (() => Promise<void>)[] = [];
  const now = () => Date.now() + ahead;

  beforeEach(async () => {
    ahead = 0;
    for (const table of ['topic', 'notification', 'subscription', 'intent', 'count'])
      await open().database.writer(`push_${table}`).delete();
    topicId = (
      await open().database.transaction((trx) => beginTopic(trx, 'a/change-notification.xml', {}, now()))
    ).id;
    subscriber = await startSubscriber();
  });
  afterEach(async () => {
    await Promise.all(ends.splice(0).map((end) => end()));
    await subscriber.close();
  });

  /** One that goes on looking until the test is over. */
  function start(mayBeTold = async () => true): Delivering {
    const { database } = open();
    const config = parseConfig({ push: { hub: true, allow: ['127.0.0.1', '127.0.0.2'] } });
    const callbacks = new Callbacks({ allow: config.push.allow, userAgent: 'test' });
    const silent = { debug() {}, info() {}, warn() {}, error() {} } as unknown as Log;
    const bridge = {
      config,
      database,
      sets: () => resourceSets('a'),
      log: silent,
    } as unknown as ConstructorParameters<typeof Delivering>[0]['bridge'];
    const holder = newHolder();
    addHolder(holder);
    const senders = createSenders({ config }, callbacks);
    const delivering = new Delivering({ bridge, holder, senders, mayBeTold, now });
    let isOver = false;
    const looking = (async () => {
      while (!isOver) {
        await delivering.look();
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    })();
    ends.push(async () => {
      isOver = true;
      await looking;
      await delivering.stop();
      await callbacks.close();
    });
    return delivering;
  }

  const subscribe = (path: string) =>
    open().database.transaction((trx) =>
      putSubscription(trx, { topicId, kind: 'websub', callback: `${subscriber.base}${path}` }, now()),
    );
  const tell = (text: string) =>
    open().database.transaction(async (trx) => {
      await holdTopic(trx, topicId);
      const content = Buffer.from(text);
      return putNotification(trx, topicId, { mediaType: 'application/xml', content, entries: 1 }, now());
    });
  const textsAt = (path: string) => subscriber.deliveries(path).map(({ body }) => body.toString());
  const soon = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 60_000, interval: 20 });

  test('several processes send each subscriber everything once, in order', async () => {
    const paths = Array.from({ length: 12 }, (_, index) => `/${index}`);
    for (const path of paths) await subscribe(path);
    for (let process = 0; process < 3; process += 1) start();
    const told = Array.from({ length: 15 }, (_, index) => `n${index}`);
    for (const text of told) await tell(text);
    await soon(() => expect(subscriber.deliveries()).toHaveLength(paths.length * told.length));
    for (const path of paths) expect(textsAt(path)).toEqual(told);
  });

  test('what a process that was cut off had begun another one sends, from there on in order', async () => {
    const id = await subscribe('/one');
    for (const text of ['a', 'b', 'c']) await tell(text);
    // It was sent, perhaps, and nobody has written that down.
    const choice = { kinds: ['websub'], patients: false, limit: 9 };
    expect(await claimDeliveries(open().database, 'elsewhere/1/x', choice, now())).toHaveLength(1);
    start();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(subscriber.deliveries()).toEqual([]);
    ahead = deliveryHoldMs + 1000;
    await soon(() => expect(textsAt('/one')).toEqual(['a', 'b', 'c']));
    await soon(async () =>
      expect(await findSubscription(open().database.reader, id)).toMatchObject({ behind: 0 }),
    );
  });

  test('who never answers keeps nobody waiting who does', async () => {
    const hanging = Array.from({ length: 90 }, (_, index) => `/hang/${index}`);
    const others = await startSubscriber('127.0.0.2');
    try {
      for (const path of hanging) await subscribe(path);
      for (const path of ['/a', '/b'])
        await open().database.transaction((trx) =>
          putSubscription(trx, { topicId, kind: 'websub', callback: `${others.base}${path}` }, now()),
        );
      subscriber.behave(() => undefined);
      start();
      for (let index = 0; index < 5; index += 1) await tell(`n${index}`);
      await soon(() => expect(others.deliveries()).toHaveLength(10));
      // At one host two calls are under way, however many want to be called there.
      expect(subscriber.received).toHaveLength(2);
      expect(others.deliveries('/a').map(({ body }) => body.toString())).toEqual([
        'n0',
        'n1',
        'n2',
        'n3',
        'n4',
      ]);
    } finally {
      subscriber.behave(takeAll);
      await others.close();
    }
  });

  test('who is far behind, or was away for long, goes on with the latest', async () => {
    await subscribe('/behind');
    for (let index = 0; index < 125; index += 1) await tell(`n${index}`);
    start();
    await soon(() => expect(textsAt('/behind')).toEqual(['n124']));
    await tell('next');
    await soon(() => expect(textsAt('/behind')).toEqual(['n124', 'next']));
  });

  test('who may not read it any more gets nothing, and is told so once', async () => {
    const id = await subscribe('/former');
    start(async () => false);
    await tell('secret');
    await soon(async () => expect(await findSubscription(open().database.reader, id)).toBeUndefined());
    expect(subscriber.received).toEqual([]);
    expect(await open().database.reader('push_intent').select('mode', 'callback', 'topic_url')).toEqual([
      {
        ...{ mode: 'denied', callback: `${subscriber.base}/former` },
        topic_url: 'http://localhost:8080/a/change-notification.xml',
      },
    ]);
  });

  test('an answer without an end is an answer', async () => {
    const id = await subscribe('/endless');
    subscriber.behave((_, reply) => {
      reply.writeHead(200);
      const more = setInterval(() => reply.write('x'.repeat(500)), 5);
      reply.on('close', () => clearInterval(more));
    });
    start();
    await tell('a');
    await soon(async () =>
      expect(await findSubscription(open().database.reader, id)).toMatchObject({ behind: 0, attempts: 0 }),
    );
    subscriber.behave(takeAll);
  });
});
