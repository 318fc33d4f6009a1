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

test.each([
  ['octets', { octets: 5000 }],
  ['resources', { resources: 5 }],
])(
  'a copy that may have so many %s has no more, says so, and goes on with more room',
  async (_what, quota) => {
    const few = await copy.sync({ quota, transfers: 3 });
    const octets = Object.values(copy.contents()).join('').length;
    expect(few.held).toBeGreaterThan(1);
    expect('octets' in quota ? octets : few.held).toBeLessThanOrEqual(Object.values(quota)[0] ?? 0);
    expect(few).toMatchObject({
      isComplete: false,
      left: 12 - few.held,
      copied: { failed: 0, requests: few.held },
    });
    expect(few.notes).toEqual([expect.stringMatching(/no room for \d+ resources in a copy of 5/)]);
    // What is held is followed, and what is deleted makes room.
    expect(await copy.sync({ quota })).toMatchObject({ held: few.held, copied: { requests: 0 } });
    expect(await copy.sync()).toMatchObject({ isComplete: true, left: 0, notes: [] });
    expect(Object.values(copy.contents()).sort()).toEqual(source.contents());
  },
);

test('without contents resources are limited, and octets that nobody holds are not', async () => {
  const quota = { octets: 100, resources: 5 };
  const few = await copy.sync({ sink: 'none', quota });
  expect(few).toMatchObject({ held: 5, left: 7, isComplete: false, copied: { created: 5, octets: 0 } });
  expect(few.notes).toEqual([expect.stringMatching(/no room for 7 resources in a copy of/)]);
  expect(await copy.sync({ quota })).toMatchObject({ held: 5, left: 7 });
  const { octets } = quota;
  expect(await copy.sync({ quota: { octets } })).toMatchObject({ held: 12, left: 0, isComplete: true });
  source.step(8);
  const followed = await copy.sync({ quota: { octets }, maximumDeletions: 12 });
  expect(followed).toMatchObject({ isComplete: true, notes: [] });
});

test('packages bring no more than a copy may have', async () => {
  await source.close();
  source = await LivingSource.open({
    ...{ resources: 60, size: 1000, seed: 5, packageSize: 20 },
    offers: ['resourcelist', 'resourcedump'],
  });
  const many = new Copy(source);
  try {
    const few = await many.sync({ quota: { resources: 30 } });
    expect(few).toMatchObject({ held: 30, left: 30, isComplete: false, copied: { requests: 0 } });
    expect(Object.keys(many.contents())).toHaveLength(30);
    expect(few.notes).toEqual([expect.stringContaining('no room for 30 resources')]);
    expect(await many.sync()).toMatchObject({ held: 60, isComplete: true });
  } finally {
    many.end();
  }
});
