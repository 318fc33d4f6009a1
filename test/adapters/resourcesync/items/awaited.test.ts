import { expect, test } from 'vitest';
import { Awaited } from '../../../../adapters/resourcesync/items/awaited.ts';

const urls = Array.from({ length: 1000 }, (_, number) => `https://repo.example.org/files/${number}`);
const leftIn = (awaited: Awaited) => [...awaited.left().values()].flat();

test('of more files than are remembered a part is awaited, which no list can make longer', () => {
  const awaited = new Awaited(100);
  for (const [number, url] of urls.entries()) awaited.await(`item ${number}`, [url]);
  expect(leftIn(awaited).length).toBeGreaterThan(20);
  expect(leftIn(awaited).length).toBeLessThanOrEqual(100);
  for (const url of urls.slice(0, 900)) awaited.meet(url);
  expect(leftIn(awaited).every((url) => urls.indexOf(url) >= 900)).toBe(true);
});

test('each file is looked for in one pass or another', () => {
  const found = new Set<string>();
  for (let pass = 0; pass < 400; pass += 1) {
    const awaited = new Awaited(200);
    for (const [number, url] of urls.entries()) awaited.await(`item ${number}`, [url]);
    for (const url of leftIn(awaited)) found.add(url);
  }
  expect(found.size).toBe(urls.length);
});
