import { beforeEach, expect, test } from 'vitest';
import { listPushCounts } from '../../../src/store/push/counts.ts';
import {
  claimIntents,
  type NewIntent,
  type PushLimits,
  putIntent,
  settleIntent,
} from '../../../src/store/push/intents.ts';
import { hasSubscribers, listSubscriptions } from '../../../src/store/push/subscriptions.ts';
import { beginTopic } from '../../../src/store/push/topics.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const now = Date.parse('2026-11-26T08:00:00Z');
const elsewhere = (name: string) => `elsewhere/1/${name}`;
const wide: PushLimits = {
  ...{ intentsPerClient: 99, intentsPerHost: 99, intents: 99 },
  ...{ subscriptionsPerHost: 99, subscriptionsPerTopic: 99, subscriptions: 99 },
};

describeOnBoth('what is to be confirmed', (open) => {
  let topicId = 0;
  beforeEach(async () => {
    for (const table of ['topic', 'notification', 'subscription', 'intent', 'count'])
      await open().database.writer(`push_${table}`).delete();
    topicId = (await open().database.transaction((trx) => beginTopic(trx, 'a/t.xml', {}, now))).id;
  });

  const ask = (callback: string, more: Partial<NewIntent> = {}, limits: Partial<PushLimits> = {}, at = now) =>
    putIntent(
      open().database,
      { topicId, mode: 'subscribe', callback, topicUrl: 'https://x/a/t.xml', leaseSeconds: 600, ...more },
      { ...wide, ...limits },
      at,
    );
  const claim = (name: string, at = now) => claimIntents(open().database, elsewhere(name), { limit: 9 }, at);
  const one = async (name: string, at = now) => {
    const [intent] = await claim(name, at);
    if (!intent) throw new Error('nothing is due');
    return intent;
  };
  const subscriptions = () => listSubscriptions(open().database.reader);
  const isAnybodyThere = () => hasSubscribers(open().database.reader);

  test('is a subscription once the callback has confirmed, and none before', async () => {
    expect(await isAnybodyThere()).toBe(false);
    expect(await ask('https://a.example/cb?x=1', { secret: 's3cret', client: '192.0.2.1' })).toBeUndefined();
    expect(await subscriptions()).toEqual([]);
    expect(await isAnybodyThere()).toBe(true);
    const intent = await one('a');
    expect(intent).toMatchObject({ callback: 'https://a.example/cb?x=1', secret: 's3cret', attempts: 0 });
    expect(await claim('b')).toEqual([]);
    expect(await settleIntent(open().database, elsewhere('a'), intent, { kind: 'confirmed' }, now)).toBe(
      true,
    );
    expect(await subscriptions()).toMatchObject([
      { callback: 'https://a.example/cb?x=1', hasSecret: true, leaseUntil: now + 600_000, host: 'a.example' },
    ]);
    await ask('https://a.example/cb?x=1', { mode: 'unsubscribe' });
    const end = await one('a');
    expect(await subscriptions()).toHaveLength(1);
    expect(await isAnybodyThere()).toBe(true);
    await settleIntent(open().database, elsewhere('a'), end, { kind: 'confirmed' }, now);
    expect(await subscriptions()).toEqual([]);
    expect(await isAnybodyThere()).toBe(false);
    expect(await listPushCounts(open().database.reader)).toEqual([
      { what: 'intent', outcome: 'subscribed', count: 1 },
      { what: 'intent', outcome: 'unsubscribed', count: 1 },
    ]);
  });

  test('a subscription stays as it is where nobody confirms that it is to end or to be another one', async () => {
    await ask('https://a.example/cb', { secret: 'first' });
    await settleIntent(open().database, elsewhere('a'), await one('a'), { kind: 'confirmed' }, now);
    await ask('https://a.example/cb', { mode: 'unsubscribe' });
    const refused = { kind: 'over', counted: 'refused' } as const;
    await settleIntent(open().database, elsewhere('a'), await one('a'), refused, now);
    await ask('https://a.example/cb', { leaseSeconds: 9 });
    await settleIntent(open().database, elsewhere('a'), await one('a'), refused, now);
    expect(await subscriptions()).toMatchObject([{ hasSecret: true, leaseUntil: now + 600_000 }]);
  });

  test('what is asked for meanwhile takes its place, and the callback is not asked more often', async () => {
    await ask('https://a.example/cb', { secret: 'first' });
    const first = await one('a');
    await ask('https://a.example/cb', { secret: 'second' }, {}, now + 10);
    // Whatever the callback has said was not to this.
    expect(await settleIntent(open().database, elsewhere('a'), first, { kind: 'confirmed' }, now + 20)).toBe(
      false,
    );
    expect(await subscriptions()).toEqual([]);
    for (let at = now + 20; at < now + 5000; at += 1000) {
      await ask('https://a.example/cb', { secret: 'third' }, {}, at);
      expect(await claim('a', at)).toEqual([]);
    }
    expect(await claim('a', now + 5000)).toMatchObject([{ secret: 'third' }]);
  });

  test('is tried again when it is due', async () => {
    await ask('https://a.example/cb');
    const again = { kind: 'again', dueAt: now + 60_000 } as const;
    await settleIntent(open().database, elsewhere('a'), await one('a'), again, now);
    expect(await claim('a', now + 59_999)).toEqual([]);
    expect(await claim('a', now + 60_000)).toMatchObject([{ attempts: 1 }]);
  });

  test('there are so many of one address, at one host, and altogether', async () => {
    const client = '192.0.2.1';
    expect(await ask('https://a.example/1', { client }, { intentsPerClient: 1 })).toBeUndefined();
    expect(await ask('https://b.example/2', { client }, { intentsPerClient: 1 })).toBe('client');
    // Again the same adds none.
    expect(await ask('https://a.example/1', { client }, { intentsPerClient: 1 })).toBeUndefined();
    expect(await ask('https://a.example/2', {}, { intentsPerHost: 1 })).toBe('host');
    // At another port it is still the same machine that is called.
    expect(await ask('https://a.example:8443/2', {}, { intentsPerHost: 1 })).toBe('host');
    expect(await ask('https://b.example/2', {}, { intentsPerHost: 1, intents: 1 })).toBe('all');
    const intent = await one('a', now + 5000);
    await settleIntent(open().database, elsewhere('a'), intent, { kind: 'confirmed' }, now);
    expect(await ask('https://a.example/2', {}, { subscriptionsPerHost: 1 })).toBe('host');
    expect(await ask('https://c.example/', {}, { subscriptionsPerTopic: 1 })).toBe('topic');
    expect(await ask('https://c.example/', {}, { subscriptions: 1 })).toBe('all');
    // Who is there already may go on, and may leave.
    const full = { subscriptionsPerHost: 1, subscriptionsPerTopic: 1, subscriptions: 1 };
    expect(await ask('https://a.example/1', {}, full)).toBeUndefined();
    expect(await ask('https://a.example/1', { mode: 'unsubscribe' }, full)).toBeUndefined();
  });
});
