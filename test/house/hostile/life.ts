import type { Misbehaviour } from './provider/misbehaviour.ts';
import type { Scene } from './scene.ts';

/**
 * A year in the life of a repository that does something wrong all the time: a first harvest, an ordinary one after some
 * edits, a full one after others. What is published is right after each.
 */
export async function liveThrough(scene: Scene, wrong: Misbehaviour): Promise<void> {
  const { repository } = scene;
  const identifiers = repository.living.map(({ identifier }) => identifier);
  const [first = '', second = '', third = '', fourth = ''] = identifiers;
  scene.misbehave(wrong);
  await scene.settle();
  await scene.expectTruth();
  scene.clock.advance(86_400);
  repository.edit(second);
  repository.remove(third);
  repository.add();
  await scene.settle();
  await scene.expectTruth();
  scene.clock.advance(86_400);
  repository.edit(first);
  repository.restore(third);
  repository.remove(fourth);
  await scene.settle(5, { mode: 'full' });
  await scene.expectTruth();
  scene.expectPoliteness();
}
