import { afterEach, beforeEach, expect, test } from 'vitest';
import { Copy } from '../house/sync/copy.ts';
import { LivingSource } from '../house/sync/living-source.ts';

let source: LivingSource;
let copy: Copy;

beforeEach(async () => {
  source = await LivingSource.open({ resources: 12, size: 1000, seed: 5 });
  copy = new Copy(source);
});
afterEach(async () => {
  copy.end();
  await source.close();
});

test('a run that may take so much takes no more than a resource more, and the next ones go on to the end', async () => {
  const first = await copy.sync({ maximumTransfer: 3000, transfers: 1 });
  expect(first.isComplete).toBe(false);
  expect(first.copied.octets).toBeGreaterThanOrEqual(3000);
  expect(first.packages).toBe(0);
  expect(first.left).toBeGreaterThan(0);
  expect(first.notes).toEqual([expect.stringContaining('no more than 3000 were allowed')]);
  let last = first;
  for (let run = 0; run < 12 && last.left > 0; run += 1)
    last = await copy.sync({ maximumTransfer: 3000, transfers: 1 });
  expect(last).toMatchObject({ isComplete: true, left: 0, notes: [] });
  expect(Object.values(copy.contents()).sort()).toEqual(source.contents());
});
