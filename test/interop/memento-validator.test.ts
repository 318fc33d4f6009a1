import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAcceptDatetime, toHttpDate } from '../../src/core/datetime.ts';
import { mementoUri, timeGateUri, timeMapUri } from '../../src/core/uris.ts';
import { created, hour, type MementoHouse, openMementoHouse } from '../house/interop/memento-house.ts';
import {
  type Answer,
  exchange,
  linksLikeValidator,
  type MementoLink,
} from '../house/interop/memento-reading.ts';

/**
 * What lanl/memento-validator asks of an original, a TimeGate, a memento and a TimeMap, each with its own requests:
 * HEAD with a browser's headers, an `Accept-Datetime` in any case, and a `?` behind every path.
 */
describe('as the compliance tests of mementoweb look at us', () => {
  let house: MementoHouse;
  const usual = 'Thu, 10 Oct 2009 12:00:00 GMT';
  const [past, future] = ['Mon, 03 Feb 1992 00:00:00 GMT', 'Tue, 03 Feb 2032 00:00:00 GMT'];

  beforeAll(async () => {
    house = await openMementoHouse();
  });

  afterAll(async () => {
    await house?.close();
  });

  describe('an original', () => {
    test('names its TimeGate and its TimeMap, and does not negotiate itself', async () => {
      const { baseUrl, lasting } = house;
      const answer = await ask(lasting);
      expect(answer.status).toBe(200);
      expect(find(answer, 'timegate')).toEqual([timeGateUri(baseUrl, lasting)]);
      expect(find(answer, 'timemap')).toEqual([timeMapUri(baseUrl, lasting)]);
      expect(answer.lines('memento-datetime')).toEqual([]);
      expect(answer.lines('vary').join()).not.toMatch(/accept-datetime/i);
    });

    test('ME-08: names them, too, when it is gone', async () => {
      const { baseUrl, gone } = house;
      const answer = await ask(gone);
      expect(answer.status).toBe(410);
      expect(find(answer, 'timegate')).toEqual([timeGateUri(baseUrl, gone)]);
      expect(find(answer, 'timemap')).toEqual([timeMapUri(baseUrl, gone)]);
    });
  });

  describe('a TimeGate', () => {
    test('leads on with 302, Location and Vary, and links its original and its TimeMap', async () => {
      const { baseUrl, lasting } = house;
      for (const datetime of [usual, past, future, '', toHttpDate(hour(14))]) {
        const answer = await ask(timeGateUri(baseUrl, lasting), datetime);
        expect(answer.status).toBe(302);
        expect(answer.lines('location')).toHaveLength(1);
        expect(answer.lines('vary').join().toLowerCase()).toContain('accept-datetime');
        expect(answer.lines('memento-datetime')).toEqual([]);
        expect(find(answer, 'original')).toEqual([lasting]);
        expect(typesOf(answer, 'timemap')).toContain('application/link-format');
      }
    });

    test('ME-04, ME-05: leads to the first memento from the past, to the last from the future and from nowhere', async () => {
      const { baseUrl, lasting } = house;
      const expected = [
        [past, created],
        [future, hour(15)],
        ['', hour(15)],
      ] as const;
      for (const [datetime, led] of expected) {
        const answer = await ask(timeGateUri(baseUrl, lasting), datetime);
        expect(answer.lines('location')).toEqual([mementoUri(baseUrl, lasting, led)]);
        // It sorts the linked mementos and wants the target at the end it asked for.
        const sorted = inTime(mementosOf(answer));
        expect(sorted.at(datetime === past ? 0 : -1)?.uri).toBe(answer.lines('location')[0]);
      }
    });

    test('ME-02: answers a broken datetime with 400 and its usual headers', async () => {
      const { baseUrl, lasting } = house;
      const answer = await ask(timeGateUri(baseUrl, lasting), 'BROKEN_DATETIME');
      expect(answer.status).toBe(400);
      expect(answer.lines('vary').join().toLowerCase()).toContain('accept-datetime');
      expect(find(answer, 'original')).toEqual([lasting]);
      expect(find(answer, 'timemap')).toContain(timeMapUri(baseUrl, lasting));
    });
  });

  describe('a memento', () => {
    test('says when it was, of what, and what is around it, whatever it is asked for', async () => {
      const { baseUrl, lasting } = house;
      for (const datetime of [created, hour(13), hour(14), hour(15)]) {
        const uri = mementoUri(baseUrl, lasting, datetime);
        const answer = await ask(uri);
        expect(answer.status).toBe(200);
        expect(answer.lines('memento-datetime')).toEqual([toHttpDate(datetime)]);
        expect(answer.lines('vary').join()).not.toMatch(/accept-datetime/i);
        expect(find(answer, 'original')).toEqual([lasting]);
        expect(find(answer, 'timegate')).toEqual([timeGateUri(baseUrl, lasting)]);
        expect(typesOf(answer, 'timemap')).toContain('application/link-format');
        expect(mementosOf(answer).map((memento) => memento.uri)).toContain(uri);
      }
    });

    test('TM-07: its first and its last are the first and the last of the TimeMap that it names', async () => {
      const { baseUrl, lasting } = house;
      const sorted = inTime(mementosOf(await ask(mementoUri(baseUrl, lasting, hour(14)))));
      const map = inTime(mementosOf((await ask(timeMapUri(baseUrl, lasting), usual, 'GET')).body));
      expect(sorted.at(0)?.uri).toBe(map.at(0)?.uri);
      expect(sorted.at(-1)?.uri).toBe(map.at(-1)?.uri);
    });

    test('the only one there is, is the first and the last', async () => {
      const { baseUrl, single } = house;
      const [memento, ...others] = mementosOf(await ask(mementoUri(baseUrl, single, created)));
      expect(others).toEqual([]);
      expect(memento).toMatchObject({ uri: mementoUri(baseUrl, single, created), rel: 'first last memento' });
    });
  });

  describe('a TimeMap', () => {
    test('TM-01…03: is there in link-format for a browser, too, and every memento in it has its datetime', async () => {
      const { baseUrl, lasting } = house;
      const answer = await ask(timeMapUri(baseUrl, lasting), usual, 'GET');
      expect(answer.status).toBe(200);
      expect(answer.lines('content-type').join()).toContain('application/link-format');
      const links = linksLikeValidator(answer.body.replaceAll('\n', ''));
      expect(links.filter(({ rel }) => rel === 'original').map(({ uri }) => uri)).toEqual([lasting]);
      expect(links.filter(({ rel }) => rel === 'timegate').map(({ uri }) => uri)).toEqual([
        timeGateUri(baseUrl, lasting),
      ]);
      expect(links.filter(({ rel }) => rel === 'self')).toMatchObject([
        {
          ...{ uri: timeMapUri(baseUrl, lasting), type: 'application/link-format' },
          ...{ from: toHttpDate(created), until: toHttpDate(hour(15)) },
        },
      ]);
      expect(inTime(mementosOf(answer.body)).map(({ uri }) => uri)).toEqual(
        [created, hour(13), hour(14), hour(15)].map((datetime) => mementoUri(baseUrl, lasting, datetime)),
      );
    });
  });

  function ask(uri: string, datetime = usual, method: 'GET' | 'HEAD' = 'HEAD'): Promise<Answer> {
    return exchange(`${uri}?`, method, {
      'Accept-Datetime': datetime,
      Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
      'Accept-Language': 'en-us,en;q=0.5',
      'Proxy-Connection': 'keep-alive',
    });
  }
});

/** It reads one line of `Link`, and compares the whole of a `rel` (ME-17). */
function find(answer: Answer, relation: string): readonly string[] {
  return linksOf(answer).flatMap(({ rel, uri }) => (rel === relation ? [uri] : []));
}

function typesOf(answer: Answer, relation: string): readonly (string | undefined)[] {
  return linksOf(answer).flatMap(({ rel, type }) => (rel === relation ? [type] : []));
}

function linksOf(answer: Answer): readonly MementoLink[] {
  expect(answer.lines('link')).toHaveLength(1);
  return linksLikeValidator(answer.lines('link')[0] ?? '');
}

/** Of an answer's header, or of the text of a TimeMap. */
function mementosOf(from: Answer | string): readonly MementoLink[] {
  const links = typeof from === 'string' ? linksLikeValidator(from.replaceAll('\n', '')) : linksOf(from);
  return links.filter(({ rel }) => rel.includes('memento'));
}

function inTime(mementos: readonly MementoLink[]): readonly MementoLink[] {
  // ME-09: every one has a datetime, and a strict one.
  const timed = mementos.map((memento) => ({ memento, at: parseAcceptDatetime(memento.datetime ?? '') }));
  expect(timed.map(({ at }) => typeof at)).toEqual(timed.map(() => 'string'));
  return timed.sort((a, b) => ((a.at ?? '') < (b.at ?? '') ? -1 : 1)).map(({ memento }) => memento);
}
