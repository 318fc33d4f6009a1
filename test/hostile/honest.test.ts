import { expect, test } from 'vitest';
import { openStage } from '../house/hostile/scene.ts';

const openScene = openStage();

test('an honest repository is published as it is, and every edit is one change', async () => {
  const scene = await openScene({ formats: ['oai_dc', 'mods'] });
  expect(await scene.run()).toMatchObject({ mode: 'full', state: 'succeeded', created: 50 });
  await scene.expectTruth();
  scene.repository.edit('oai:hostile.example.org:3');
  scene.repository.remove('oai:hostile.example.org:4');
  scene.repository.add();
  expect(await scene.run()).toMatchObject({ mode: 'incremental', created: 2, updated: 2, deleted: 2 });
  await scene.expectTruth();
  expect(await scene.run()).toMatchObject({ created: 0, updated: 0, deleted: 0 });
  expect(await scene.run({ mode: 'full' })).toMatchObject({ created: 0, updated: 0, deleted: 0 });
  await scene.expectTruth();
  scene.expectPoliteness();
});

test('every format comes out meaning what it meant', async () => {
  const scene = await openScene({
    records: 12,
    formats: ['oai_dc', 'mods', 'xoai', 'mets', 'bare', 'rioxx'],
    source: { formats: ['oai_dc', 'mods', 'xoai', 'mets', 'bare', 'rioxx'] },
  });
  await scene.run();
  await scene.expectTruth();
});
