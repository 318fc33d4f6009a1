import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAcceptDatetime, toHttpDate } from '../../src/core/datetime.ts';
import { mementoUri, timeGateUri, timeMapUri } from '../../src/core/uris.ts';
import { created, hour, type MementoHouse, openMementoHouse } from '../house/interop/memento-house.ts';
import { exchange, mementosLikeMemGator } from '../house/interop/memento-reading.ts';

/**
 * As one of the archives of MemGator, which is told the beginnings `…/timemap/link/` and `…/timegate/`, appends the
 * URI-R, and takes 200 and 302 for an answer and everything else for `no mementos`. With a datetime it reads the
 * first `Link` line of the TimeGate and follows nothing, without one the text of the TimeMap.
 */
describe('as an archive of the aggregator MemGator', () => {
  let house: MementoHouse;
  const hours = [created, hour(13), hour(14), hour(15)];

  beforeAll(async () => {
    house = await openMementoHouse();
  });

  afterAll(async () => {
    await house?.close();
  });

  test('a TimeMap gives it every memento with a datetime that it understands', async () => {
    const { baseUrl, lasting, gone, single } = house;
    const expected = [
      [lasting, hours],
      [gone, [created, hour(13)]],
      [single, [created]],
    ] as const;
    for (const [uri, datetimes] of expected) {
      const { status, body } = await exchange(timeMapUri(baseUrl, uri), 'GET');
      expect(status).toBe(200);
      expect(mementosLikeMemGator(body).map(({ uri, datetime }) => ({ uri, datetime }))).toEqual(
        datetimes.map((datetime) => ({
          uri: mementoUri(baseUrl, uri, datetime),
          datetime: toHttpDate(datetime),
        })),
      );
    }
  });

  test('the first Link line of a TimeGate gives it the memento and its neighbours', async () => {
    const { baseUrl, lasting } = house;
    const answer = await exchange(timeGateUri(baseUrl, lasting), 'GET', {
      'Accept-Datetime': toHttpDate('2026-11-21T13:30:00Z'),
    });
    expect(answer.status).toBe(302);
    const mementos = mementosLikeMemGator(answer.lines('link')[0] ?? '');
    const found = mementos.map(({ datetime = '' }) => parseAcceptDatetime(datetime)).sort();
    expect([...new Set(found)]).toEqual(hours);
    expect(mementos.find(({ datetime }) => datetime === toHttpDate(hour(13)))?.uri).toBe(
      answer.lines('location')[0],
    );
  });

  test('ME-07, TM-10: of what was never ours there is neither a TimeMap nor a TimeGate', async () => {
    const { baseUrl, lasting } = house;
    const { host } = new URL(baseUrl);
    const strangers = ['http://example.org/', `${lasting}x`, lasting.replace(host, host.replace(':', ':1'))];
    for (const uri of strangers) {
      expect(await statusOf(timeMapUri(baseUrl, uri))).toBe(404);
      expect(await statusOf(timeGateUri(baseUrl, uri))).toBe(404);
    }
  });

  async function statusOf(uri: string): Promise<number> {
    return (await exchange(uri, 'GET', { 'Accept-Datetime': toHttpDate(hour(13)) })).status;
  }
});
