import { expect, test } from 'vitest';
import { trackWorks } from '../../../src/bridge/presence/tracked-works.ts';

/** Somebody looks on, at times that the test says. */
function house() {
  let at = 1_000_000;
  let requests = 5;
  const works = trackWorks(
    (source) => (source === 'kyushu' ? requests : undefined),
    () => at,
  );
  return {
    works,
    pass: (seconds: number) => {
      at += seconds * 1000;
    },
    ask: (count: number) => {
      requests += count;
    },
    look: () => {
      const news = works.news(at - 60_000);
      works.heard(news);
      return news;
    },
  };
}

test('what is over at once nobody is told of', () => {
  const { works, pass, look } = house();
  works.begin({ kind: 'lists', source: 'kyushu', set: 'kyushu' }).end();
  const short = works.begin({ kind: 'lists', source: 'kyushu', set: 'kyushu' });
  pass(0.9);
  expect(look()).toEqual({ told: [], ended: [] });
  short.end();
  pass(1);
  expect(look()).toEqual({ told: [], ended: [] });
});

test('what lasts is told as it goes: how far it is, how fast of late, and its requests; then that it ended', () => {
  const { works, pass, ask, look } = house();
  const work = works.begin({ kind: 'harvest', source: 'kyushu' });
  pass(2);
  expect(look().told).toMatchObject([
    { number: 1, phase: 'beginning', done: 0, requests: 0, began: 940_000 },
  ]);
  expect(look().told).toEqual([]);
  work.tell({
    kind: 'full',
    phase: 'reading',
    run: 7,
    done: 100,
    expected: 1000,
    window: { list: 'oai_dc' },
  });
  for (let step = 1; step <= 6; step += 1) {
    pass(10);
    ask(1);
    work.tell({ done: 100 + step * 50 });
  }
  const [told] = look().told;
  expect(told).toMatchObject({
    ...{ kind: 'full', phase: 'reading', run: 7, done: 400, expected: 1000, perMinute: 300, requests: 6 },
    window: { list: 'oai_dc' },
    seen: told ? told.began + 62_000 : 0,
  });
  ask(1);
  expect(look().told).toMatchObject([{ requests: 7 }]);
  pass(10);
  expect(look().told).toHaveLength(1);
  work.tell({ done: 2000 });
  expect(look().told).toMatchObject([{ done: 2000, expected: undefined }]);
  work.end();
  expect(look()).toEqual({ told: [], ended: [1] });
  expect(look()).toEqual({ told: [], ended: [] });
});

test('what could not be told is told the next time, and what ended meanwhile is not forgotten', () => {
  const { works, pass } = house();
  const work = works.begin({ kind: 'dumps', source: '', set: 'sets/all' });
  pass(2);
  const news = works.news(0);
  expect(works.news(0)).toEqual(news);
  work.end();
  works.heard(news);
  expect(works.news(0)).toEqual({ told: [], ended: [1] });
  expect(works.news(0).ended).toEqual([1]);
});

test('whoever works can ask how many requests that took, where they are counted', () => {
  const { works, ask } = house();
  const work = works.begin({ kind: 'harvest', source: 'kyushu' });
  expect(work.requests()).toBe(0);
  ask(3);
  expect(work.requests()).toBe(3);
  expect(works.begin({ kind: 'harvest', source: 'elsewhere' }).requests()).toBeUndefined();
});
