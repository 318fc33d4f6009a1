import { afterEach, beforeEach, expect, test } from 'vitest';
import { followedSentence } from '../../../../src/cli/status/followed-sentence.ts';
import { followedView } from '../../../../src/core/following/followed-source.ts';
import { listFollowed } from '../../../../src/store/following/followed-sources.ts';
import { addAccount, ask, dashboard, signIn } from '../../../house/server/dashboard.ts';
import { type House, openHouse } from '../../../house/server/fixture.ts';

/** Sources that the bridge follows, as the command, the API and the dashboard say it. */
let house: House;
let cookie: string;
const leaseUntil = Date.parse('2026-12-06T08:00:00Z');
const receivedAt = Date.parse('2026-11-26T08:00:00Z');

beforeEach(async () => {
  house = await openHouse({ admin: dashboard });
  await addAccount(house);
  cookie = await signIn(house);
  const topic = (source: string, key: string, state: string, more: object = {}) => ({
    ...{
      key,
      source,
      topic: `https://${source}.example/t`,
      hub: `https://hub.${source}.example/secret-path`,
    },
    ...{ state, due_at: 0, received: 0, ...more },
  });
  const active = { lease_until: leaseUntil, received: 7, received_at: receivedAt };
  await house.database.writer('followed_topic').insert([
    topic('kyushu', 'a', 'active', active),
    // It is renewed meanwhile.
    topic('kyushu', 'b', 'asked'),
  ]);
  await house.database
    .writer('followed_topic')
    .insert(topic('kansai', 'c', 'wanted', { reason: 'it answered 503' }));
  const look = (source: string, reason: string | null) => ({ source, reason, url: 'https://x', look_at: 0 });
  await house.database
    .writer('followed_source')
    .insert([look('tohoku', 'it has no hub'), look('kyushu', null), look('kansai', null)]);
});
afterEach(() => house.close());

test('each is listed once, by name, with what its hub tells or why it does not', async () => {
  const all = await listFollowed(house.database.reader);
  expect(all.map(followedSentence)).toEqual([
    'kansai: not told of changes by hub.kansai.example yet (it answered 503); it is polled',
    'kyushu: told of changes by hub.kyushu.example, until 2026-12-06T08:00:00Z; the last at 2026-11-26T08:00:00Z',
    'tohoku: polled (it has no hub)',
  ]);
  const answer = await ask(house, '/rs/api/v1/subscriptions/followed', { headers: { cookie } });
  const { followed } = (await answer.json()) as { followed: readonly object[] };
  expect(followed).toEqual(JSON.parse(JSON.stringify(all.map(followedView))));
  expect(followed).toMatchObject([
    { source: 'kansai', state: 'wanted', reason: 'it answered 503' },
    { source: 'kyushu', hub: 'hub.kyushu.example', state: 'active', received: 7 },
    { source: 'tohoku', state: 'polled', reason: 'it has no hub', received: 0 },
  ]);
});

test('the page of subscriptions has them in both languages, and no callback', async () => {
  const page = async (language: string) =>
    (await ask(house, `/rs/admin/subscriptions?lang=${language}`, { headers: { cookie } })).text();
  const [english, japanese] = [await page('en'), await page('ja')];
  for (const text of [english, japanese]) {
    expect(text).toContain('/rs/admin/sources/kyushu">kyushu</a>');
    expect(text).toContain('hub.kyushu.example');
    expect(text).not.toContain('secret-path');
  }
  for (const words of ['Followed Sources', '>told<', 'the hub is to be asked', 'polled by its schedule'])
    expect(english).toContain(words);
  for (const words of ['購読しているソース', '通知を受信中', 'ハブに依頼予定', 'スケジュールで取得'])
    expect(japanese).toContain(words);
});
