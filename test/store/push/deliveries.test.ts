import { beforeEach, expect, test } from 'vitest';
import { thisPlace } from '../../../src/store/engine/process-place.ts';
import { listPushCounts } from '../../../src/store/push/counts.ts';
import {
  claimDeliveries,
  type DeliveryOutcome,
  freeDeliveriesOfDead,
  releaseDeliveries,
  settleDeliveries,
} from '../../../src/store/push/deliveries.ts';
import { deliveryHoldMs } from '../../../src/store/push/hold.ts';
import {
  latestNotification,
  nextNotification,
  pruneNotifications,
  putNotification,
} from '../../../src/store/push/notifications.ts';
import { readPushState } from '../../../src/store/push/state.ts';
import {
  findSubscription,
  listSubscriptions,
  type NewSubscription,
  putSubscription,
  removeExpired,
} from '../../../src/store/push/subscriptions.ts';
import { beginTopic, endTopics, findTopic, holdTopic, listTopics } from '../../../src/store/push/topics.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const now = Date.parse('2026-11-26T08:00:00Z');
const minute = 60_000;
const elsewhere = (name: string) => `elsewhere/1/${name}`;

describeOnBoth('the outbox of notifications', (open) => {
  beforeEach(async () => {
    for (const table of ['topic', 'notification', 'subscription', 'intent', 'count'])
      await open().database.writer(`push_${table}`).delete();
  });

  const topic = (name = 'kyushu/change-notification.xml') =>
    open().database.transaction((trx) => beginTopic(trx, name, {}, now));
  const subscribe = (topicId: number, name: string, more: Partial<NewSubscription> = {}) =>
    open().database.transaction((trx) =>
      putSubscription(trx, { topicId, kind: 'websub', callback: `https://${name}.example/cb`, ...more }, now),
    );
  const tell = (topicId: number, text: string, at = now, hasDeletions = false) =>
    open().database.transaction(async (trx) => {
      await holdTopic(trx, topicId);
      const content = Buffer.from(text);
      return putNotification(
        trx,
        topicId,
        { mediaType: 'application/xml', content, entries: 1, hasDeletions },
        at,
      );
    });
  const claim = (name: string, at = now, more = {}) =>
    claimDeliveries(
      open().database,
      elsewhere(name),
      { kinds: ['websub'], patients: false, limit: 100, ...more },
      at,
    );
  const settle = (name: string, id: number, outcome: DeliveryOutcome, at = now, keep = false) =>
    settleDeliveries(
      open().database,
      elsewhere(name),
      [{ subscription: { id, kind: 'websub' }, outcome, keep }],
      at,
    );
  const failed = (dueAt: number): DeliveryOutcome => ({
    ...{ kind: 'failed', reason: 'it answered 500', counted: '5xx', dueAt },
  });

  test('what is told goes to those who subscribed before, in order, each from its own place', async () => {
    const { id } = await topic();
    const early = await subscribe(id, 'early');
    expect(await tell(id, 'one')).toBe(1);
    const late = await subscribe(id, 'late');
    expect(await claim('a')).toMatchObject([
      { id: early, sentSeq: 0, topic: 'kyushu/change-notification.xml' },
    ]);
    expect(await tell(id, 'two')).toBe(2);
    const first = await nextNotification(open().database.reader, id, 0);
    expect(first).toMatchObject({ seq: 1, mediaType: 'application/xml', entries: 1 });
    expect(first?.content.toString()).toBe('one');
    await settle('a', early, { kind: 'delivered', seq: 1 });
    const both = await claim('a');
    expect(both.map((one) => [one.id, one.sentSeq])).toEqual(
      [
        [late, 1],
        [early, 1],
      ].toSorted((a, b) => (a[0] ?? 0) - (b[0] ?? 0)),
    );
    for (const one of [early, late]) await settle('a', one, { kind: 'delivered', seq: 2 });
    expect(await claim('a')).toEqual([]);
    expect(await listPushCounts(open().database.reader)).toEqual([
      { what: 'websub', outcome: 'delivered', count: 3 },
    ]);
  });

  test('a subscriber is at one of many processes that reach for it at once', async () => {
    const { id } = await topic();
    for (let index = 0; index < 30; index += 1) await subscribe(id, `s${index}`);
    await tell(id, 'one');
    const taken = await Promise.all(
      Array.from({ length: 8 }, (_, index) => claim(`p${index}`, now, { limit: 7 })),
    );
    const ids = taken.flat().map((one) => one.id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length + (await claim('rest')).length).toBe(30);
    expect(await claim('late')).toEqual([]);
  });

  test('a process that is cut off holds nothing for ever, and what it writes later counts for nothing', async () => {
    const { id } = await topic();
    const one = await subscribe(id, 'one');
    await tell(id, 'one');
    expect(await claim('a')).toHaveLength(1);
    expect(await claim('b', now + deliveryHoldMs - 1)).toEqual([]);
    expect(await claim('b', now + deliveryHoldMs)).toHaveLength(1);
    expect(await settle('a', one, { kind: 'delivered', seq: 1 })).toEqual(new Set([one]));
    expect(await settle('b', one, failed(now + minute))).toEqual(new Set());
    expect(await listPushCounts(open().database.reader)).toEqual([
      { what: 'websub', outcome: '5xx', count: 1 },
    ]);
  });

  test('what a killed neighbour held is free at once; what is released, too', async () => {
    const { id } = await topic();
    await subscribe(id, 'one');
    await tell(id, 'one');
    const dead = `${thisPlace}/999999999/x`;
    const { database } = open();
    expect(
      await claimDeliveries(database, dead, { kinds: ['websub'], patients: false, limit: 9 }, now),
    ).toHaveLength(1);
    await freeDeliveriesOfDead(database);
    expect(await claim('a')).toHaveLength(1);
    await releaseDeliveries(database, elsewhere('a'));
    expect(await claim('b')).toHaveLength(1);
  });

  test('who fails is tried again when it is due, beside those who do not', async () => {
    const { id } = await topic();
    const one = await subscribe(id, 'one');
    await tell(id, 'one');
    await claim('a');
    await settle('a', one, failed(now + minute));
    expect(await claim('a', now + 2 * minute)).toEqual([]);
    expect(await claim('a', now + minute - 1, { patients: true })).toEqual([]);
    expect(await claim('a', now + minute, { patients: true })).toMatchObject([{ id: one, attempts: 1 }]);
    await settle('a', one, failed(now + 3 * minute), now + minute);
    expect(await findSubscription(open().database.reader, one)).toMatchObject({
      ...{ attempts: 2, dueAt: now + 3 * minute, failedAt: now + minute, reason: 'it answered 500' },
      ...{ behind: 1, hasSecret: false, deliveredAt: undefined },
    });
    await claim('a', now + 3 * minute, { patients: true });
    await settle('a', one, { kind: 'delivered', seq: 1 }, now + 3 * minute);
    expect(await findSubscription(open().database.reader, one)).toMatchObject({
      ...{ attempts: 0, dueAt: undefined, deliveredAt: now + 3 * minute, reason: undefined, behind: 0 },
    });
  });

  test('nothing goes to one whose lease has ended, or whose kind nobody sends; who is slow waits among its like', async () => {
    const { id } = await topic();
    const short = await subscribe(id, 'short', { leaseUntil: now + minute });
    await subscribe(id, 'hook', { kind: 'webhook' });
    await tell(id, 'one');
    expect(await claim('a', now + minute)).toEqual([]);
    expect(await claim('a', now, { slow: [short] })).toEqual([]);
    expect(await claim('a', now, { patients: true })).toEqual([]);
    expect(await claim('a', now, { patients: true, slow: [short] })).toMatchObject([{ id: short }]);
    expect(await claim('a', now, { kinds: ['webhook'] })).toMatchObject([{ kind: 'webhook' }]);
    const counted = async (at: number) => (await readPushState(open().database.reader, at)).subscriptions;
    expect(await counted(now)).toMatchObject([{ kind: 'webhook' }, { kind: 'websub', count: 1 }]);
    expect(await counted(now + minute)).toMatchObject([{ kind: 'webhook' }]);
    // Subscribed again soon after, it would go on from its place.
    expect(await removeExpired(open().database, now + 11 * minute - 1)).toBe(0);
    expect(await removeExpired(open().database, now + 11 * minute)).toBe(1);
    expect(await listSubscriptions(open().database.reader)).toMatchObject([{ kind: 'webhook' }]);
  });

  test('who says that it is gone is gone', async () => {
    const { id } = await topic();
    const one = await subscribe(id, 'one');
    await tell(id, 'one');
    await claim('a');
    await settle('a', one, { kind: 'gone', reason: 'it answered 410', counted: 'gone' });
    expect(await findSubscription(open().database.reader, one)).toBeUndefined();
  });

  test('subscribed again it keeps its place, and has the new secret and lease', async () => {
    const { id } = await topic();
    const one = await subscribe(id, 'one', { secret: 'old', leaseUntil: now + minute });
    await tell(id, 'one');
    expect(await subscribe(id, 'one', { secret: 'new', leaseUntil: now + 9 * minute })).toBe(one);
    expect(await claim('a', now + 2 * minute)).toMatchObject([{ id: one, sentSeq: 0, secret: 'new' }]);
  });

  test('what everybody has, is old or too much goes; the latest stays', async () => {
    const { database } = open();
    const { id } = await topic();
    const retention = { milliseconds: 60 * minute, count: 3, untoldMilliseconds: minute };
    const prune = (at: number) => pruneNotifications(database, retention, at);
    const kept = async () =>
      (await database.reader('push_notification').orderBy('seq')).map(({ seq }) => seq);
    for (const text of ['one', 'two']) await tell(id, text);
    await prune(now);
    // Nobody waits for the first.
    expect(await kept()).toEqual([2]);
    const slow = await subscribe(id, 'slow');
    for (let seq = 3; seq <= 8; seq += 1) await tell(id, `${seq}`, now + seq * minute);
    await prune(now + 8 * minute);
    expect(await kept()).toEqual([6, 7, 8]);
    await prune(now + 67 * minute + 1);
    expect(await kept()).toEqual([8]);
    await prune(now + 999 * minute);
    expect(await kept()).toEqual([8]);
    // It goes on with what is there.
    expect(await nextNotification(database.reader, id, 2)).toMatchObject({ seq: 8 });
    await claim('a', now + 999 * minute);
    await settle('a', slow, { kind: 'delivered', seq: 8 });
    expect((await latestNotification(database.reader, id))?.content.toString()).toBe('8');
  });

  test('what was told before something was deleted is not told any more a minute later', async () => {
    const { database } = open();
    const { id } = await topic();
    await subscribe(id, 'slow');
    await tell(id, 'created', now);
    await tell(id, 'deleted', now + minute, true);
    await tell(id, 'created again', now + minute);
    const retention = { milliseconds: 600 * minute, count: 99, untoldMilliseconds: minute };
    await pruneNotifications(database, retention, now + 2 * minute);
    expect((await nextNotification(database.reader, id, 0))?.content.toString()).toBe('created');
    await pruneNotifications(database, retention, now + 2 * minute + 1);
    expect((await nextNotification(database.reader, id, 0))?.content.toString()).toBe('deleted');
  });

  test('a topic that has ended tells nothing; begun again it goes on counting', async () => {
    const { database } = open();
    const { id, name } = await topic();
    await subscribe(id, 'one');
    await tell(id, 'one');
    await endTopics(database, [{ id, name }], (path) => `https://x/${path}`, now);
    expect(await findTopic(database.reader, name)).toBeUndefined();
    expect(await listTopics(database.reader)).toEqual(new Map());
    expect(await claim('a')).toEqual([]);
    expect(await latestNotification(database.reader, id)).toBeUndefined();
    expect(await database.transaction((trx) => holdTopic(trx, id))).toBeUndefined();
    const again = await database.transaction((trx) => beginTopic(trx, name, { journalSeq: 7 }, now));
    expect(again).toMatchObject({ id, seq: 1, journalSeq: 7, endedAt: undefined });
    expect(await tell(id, 'two')).toBe(2);
  });

  test('its state says how many there are, how they fare, and since when something waits', async () => {
    const { database } = open();
    const { id } = await topic();
    expect(await readPushState(database.reader, now)).toEqual({
      ...{ subscriptions: [], pending: 0, notifications: 0, bytes: 0, counted: [] },
      ...{ waitingSince: undefined, undeliveredSince: undefined },
    });
    const [one, two] = [await subscribe(id, 'one'), await subscribe(id, 'two')];
    await tell(id, 'early', now - minute);
    await tell(id, 'one', now);
    await claim('a');
    await settle('a', one, { kind: 'delivered', seq: 1 });
    await settle('a', two, failed(now + minute));
    expect(await readPushState(database.reader, now)).toEqual({
      subscriptions: [
        { kind: 'websub', state: 'active', count: 1 },
        { kind: 'websub', state: 'failing', count: 1 },
      ],
      ...{ pending: 0, waitingSince: now, undeliveredSince: now - minute, notifications: 2, bytes: 8 },
      counted: [
        { what: 'websub', outcome: '5xx', count: 1 },
        { what: 'websub', outcome: 'delivered', count: 1 },
      ],
    });
  });
});
