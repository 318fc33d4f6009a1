import { expect, test } from 'vitest';
import type { Bridge } from '../../../src/bridge/bridge.ts';
import { Telling } from '../../../src/bridge/push/telling.ts';
import { parseConfig } from '../../../src/core/config/config.ts';
import { resourceSets } from '../../../src/core/resource-set.ts';
import { putSubscription } from '../../../src/store/push/subscriptions.ts';
import { listTopics, topicFrom } from '../../../src/store/push/topics.ts';
import { ensureSource } from '../../../src/store/sources/sources.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const start = Date.parse('2026-11-26T08:00:00Z');
const topic = 'kyoto/change-notification.xml';

describeOnBoth('a webhook of a source that leaves the configuration', (open) => {
  test('waits, and goes on when that is back, also where there is no hub', async () => {
    const { database, config } = open();
    await ensureSource(database, 'kyoto', '2026-11-26T08:00:00Z');
    await database.transaction(async (trx) => {
      const { id: topicId } = await topicFrom(trx, topic, undefined, start);
      await putSubscription(trx, { topicId, kind: 'webhook', callback: 'https://a.example/' }, start);
    });
    let isConfigured = true;
    const bridge = {
      ...{ database, log: quiet, config: parseConfig({ database: config, sources: {} }) },
      sets: () => (isConfigured ? resourceSets('kyoto') : []),
      publication: { sets: async () => resourceSets('kyoto'), set: async () => undefined },
    } as unknown as Bridge;
    const telling = new Telling(bridge);
    const toldOf = async () => [...(await listTopics(database.reader)).keys()];
    await telling.tell(start);
    expect(await toldOf()).toEqual([topic]);
    isConfigured = false;
    await telling.tell(start + 10_000);
    expect(await toldOf()).toEqual([]);
    isConfigured = true;
    await telling.tell(start + 20_000);
    expect(await toldOf()).toEqual([topic]);
  });
});
