import { expect, test } from 'vitest';
import { identifierOf } from '../house/hostile/repository.ts';
import { openStage } from '../house/hostile/scene.ts';

const openScene = openStage();

test('quirks 18, 52: what a harvest missed is fetched by a look through all identifiers', async () => {
  const scene = await openScene({ records: 45 });
  scene.misbehave({ notListed: [identifierOf(7), identifierOf(30)] });
  await scene.run();
  expect((await scene.live()).size).toBe(43);
  scene.misbehave({});
  await scene.lookThroughIdentifiers();
  await scene.expectTruth();
  scene.expectPoliteness();
});

test('quirk 57: what vanished is deleted by it, and what is only not listed stays', async () => {
  const scene = await openScene({ records: 45 });
  scene.misbehave({ deletedRecord: 'no' });
  await scene.run();
  await scene.expectTruth();
  scene.repository.vanish(identifierOf(7));
  scene.misbehave({ deletedRecord: 'no', notListed: [identifierOf(9)] });
  await scene.lookThroughIdentifiers();
  await scene.expectTruth();
});

test('quirk 69: what was left out is met again, when it can be had', async () => {
  const scene = await openScene({ records: 45 });
  scene.misbehave({ poisoned: [identifierOf(27)] });
  await scene.settle();
  expect((await scene.live()).size).toBe(44);
  scene.misbehave({});
  await scene.lookThroughIdentifiers();
  await scene.expectTruth();
});

test.each([
  ['quirk 9: with raw tokens', { tokensComparedRaw: true }],
  ['quirk 1: with tokens that are expired at once', { tokenLifetimeSeconds: 0 }],
  ['quirk 7: with tokens that never come', { tokenWithheld: true }],
  ['quirk 14: with lists that are too long', { largestList: 20 }],
  ['quirk 36: with documents that break off', { cutOffEvery: 3 }],
  ['quirk 57: with deletions that nobody promised', { deletedRecord: 'no' }],
] as const)('a look through identifiers changes nothing that is right, %s', async (_name, wrong) => {
  const scene = await openScene({ records: 45 });
  scene.misbehave(wrong);
  await scene.settle();
  await scene.expectTruth();
  await scene.lookThroughIdentifiers().catch(() => undefined);
  await scene.expectTruth();
});

test('quirk 3: a list of identifiers that never ends deletes nothing', async () => {
  const scene = await openScene({ records: 45 });
  await scene.run();
  await scene.expectTruth();
  scene.misbehave({ tokenLoop: 'circle', deletedRecord: 'no' });
  await scene.lookThroughIdentifiers().catch(() => undefined);
  await scene.expectTruth();
});
