import { expect, test } from 'vitest';
import { claimIntents } from '../../../src/store/push/intents.ts';
import { listSubscriptions, putSubscription } from '../../../src/store/push/subscriptions.ts';
import {
  beginTopic,
  endTopics,
  endTopicsOfSource,
  listTopics,
  topicsOfSource,
} from '../../../src/store/push/topics.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const now = Date.parse('2026-11-26T08:00:00Z');
const urlOf = (name: string) => `https://x.example/${name}`;

describeOnBoth('what is told of a source', (open) => {
  test('ends with it, for those who are told and those who wait', async () => {
    const { database } = open();
    const subscribe = (name: string, kind: string, callback: string) =>
      database.transaction(async (trx) => {
        const { id: topicId } = await beginTopic(trx, name, {}, now);
        return putSubscription(trx, { topicId, kind, callback: `https://${callback}.example/` }, now);
      });
    const of = (name: string) => `${name}/change-notification.xml`;
    await subscribe(of('kyoto'), 'websub', 'one');
    await subscribe(of('kyoto/sets/x'), 'websub', 'two');
    await subscribe(of('kyoto/sets/x'), 'webhook', 'three');
    const paused = await subscribe(of('kyoto/metadata'), 'webhook', 'four');
    await subscribe(of('kyoto2'), 'webhook', 'five');
    await subscribe(of('all'), 'websub', 'six');

    // Its set was left out of the configuration for a while: a webhook waits.
    const [left] = [...(await listTopics(database.reader)).values()].filter(
      ({ name }) => name === of('kyoto/metadata'),
    );
    await endTopics(database, left ? [left] : [], urlOf, now);
    expect((await listSubscriptions(database.reader)).map(({ id }) => id)).toContain(paused);

    const topicIds = (await topicsOfSource(database.reader, 'kyoto')).map(({ id }) => id);
    expect(await listSubscriptions(database.reader, { topicIds })).toHaveLength(4);
    await endTopicsOfSource(database, 'kyoto', urlOf, now);
    // Whoever was interrupted does it again.
    await endTopicsOfSource(database, 'kyoto', urlOf, now);
    expect((await listSubscriptions(database.reader)).map(({ topic }) => topic)).toEqual([
      of('kyoto2'),
      of('all'),
    ]);
    const denied = await claimIntents(database, 'elsewhere/1/a', { limit: 9 }, now);
    expect(denied.map(({ mode, topicUrl }) => [mode, topicUrl]).toSorted()).toEqual([
      ['denied', urlOf(of('kyoto'))],
      ['denied', urlOf(of('kyoto/sets/x'))],
    ]);
  });
});
