import { describe, expect, test } from 'vitest';
import { withLinks } from '../../src/store/rows/link-forms.ts';
import { liveThrough } from '../house/hostile/life.ts';
import type { Misbehaviour } from '../house/hostile/provider/misbehaviour.ts';
import { identifierOf } from '../house/hostile/repository.ts';
import { openStage, type Scene, type SceneOptions } from '../house/hostile/scene.ts';

const openScene = openStage();

describe('All goes well', () => {
  test.each<[string, Misbehaviour, SceneOptions?]>([
    ['quirk 57: no deletions are promised, although there are tombstones', { deletedRecord: 'no' }],
    ['quirk 57: deletions are transient', { deletedRecord: 'transient' }],
    ['quirk 59: what is deleted is Deleted', { deletedWord: 'Deleted' }],
    ['quirk 59: what is deleted is DELETED, between blanks', { deletedWord: ' DELETED ' }],
    ['quirk 60: what is deleted has metadata', { tombstonesWithMetadata: true }],
    ['quirk 62: there are tombstones of what nobody ever saw', { strangeTombstones: 300 }],
    ['quirk 63: headers have no sets', { setSpecs: 'missing' }],
    ['quirk 63: headers have every set twice', { setSpecs: 'twice' }],
    ['quirk 65: there are no sets', { noSets: 'noSetHierarchy' }],
    ['quirk 65: ListSets is no verb', { noSets: 'badVerb' }],
    ['quirk 65: the list of sets is empty', { noSets: 'empty' }],
    ['quirk 67: there are blanks around identifiers', { blanksAroundIdentifiers: true }],
    ['quirk 70: the list of formats is wrong', { formatsAreWrong: true }, { formats: ['oai_dc', 'mods'] }],
    ['quirk 72: verbs are in lower case', { lowerCaseVerbs: true }],
    ['quirk 73: Identify is incomplete and out of order', { identifyShuffled: true }],
    [
      'quirk 74: every request needs a parameter of its own',
      { requiredParameter: 'x-with' },
      { path: '/oai?x-with=a%20b' },
    ],
  ])('although, %s', async (_name, wrong, options) => {
    await liveThrough(await openScene(options), wrong);
  });
});

describe.each(['no', 'transient', 'persistent'] as const)(
  'quirks 57, 58: deletions under “%s”',
  (deletedRecord) => {
    test('what vanished without a trace is deleted by the next full pass', async () => {
      const scene = await openScene();
      scene.misbehave({ deletedRecord });
      await scene.run();
      scene.repository.vanish(identifierOf(7));
      scene.repository.vanish(identifierOf(8));
      await scene.settle(5, { mode: 'full' });
      const live = await scene.live();
      expect([7, 8].map((number) => live.has(scene.path(identifierOf(number))))).toEqual([false, false]);
      expect(live.size).toBe(23);
    });

    test('what only GetRecord calls deleted is deleted', async () => {
      const scene = await openScene();
      scene.misbehave({ deletedRecord });
      await scene.run();
      await scene.expectTruth();
      scene.repository.withdraw(identifierOf(7));
      await scene.settle(5, { mode: 'full' });
      await scene.expectTruth();
    });

    test('what is not listed but known to GetRecord stays as it is in every format', async () => {
      const scene = await openScene({ formats: ['oai_dc', 'mods'] });
      scene.misbehave({ deletedRecord, setSpecs: 'missing' });
      await scene.settle();
      await scene.expectTruth();
      scene.repository.moveSilently(identifierOf(9), ['moved']);
      scene.misbehave({ deletedRecord, setSpecs: 'missing', notListed: [identifierOf(9)] });
      await scene.run({ mode: 'full' });
      await scene.expectTruth();
    });

    test('what is not listed but known to GetRecord stays', async () => {
      const scene = await openScene();
      scene.misbehave({ deletedRecord });
      await scene.run();
      await scene.expectTruth();
      scene.misbehave({ deletedRecord, notListed: [identifierOf(7)] });
      await scene.run({ mode: 'full' });
      await scene.expectTruth();
    });

    test('when half of it is gone, a person is asked', async () => {
      const scene = await openScene({ records: 60 });
      scene.misbehave({ deletedRecord });
      await scene.run();
      await scene.expectTruth();
      for (let number = 1; number <= 30; number += 1) scene.repository.vanish(identifierOf(number));
      const report = await scene.run({ mode: 'full' });
      expect(report.deleted).toBe(0);
      expect(await scene.changes()).toEqual([]);
      expect(report.state).toBe('needs-attention');
      expect(await scene.accept()).toMatchObject({ deleted: 30, remaining: 0 });
      await scene.expectTruth();
    });

    test('what comes back is created again', async () => {
      const scene = await openScene();
      scene.misbehave({ deletedRecord });
      await scene.run();
      await scene.expectTruth();
      scene.repository.remove(identifierOf(7));
      await scene.run();
      await scene.expectTruth();
      scene.clock.advance(3600);
      scene.repository.restore(identifierOf(7));
      await scene.run();
      await scene.expectTruth();
    });
  },
);

describe('quirk 60: a record without metadata that is not deleted', () => {
  test('is named, and what was published of it stays', async () => {
    const scene = await openScene();
    scene.misbehave({ deletedRecord: 'no' });
    await scene.run();
    await scene.expectTruth();
    scene.misbehave({ deletedRecord: 'no', withoutMetadata: [identifierOf(7)] });
    await scene.run({ mode: 'full' });
    await scene.expectTruth();
    expect(await scene.problems()).toContainEqual(
      expect.objectContaining({ code: 'record-without-metadata', identifier: identifierOf(7) }),
    );
  });
});

test('quirk 61: what is under embargo is deleted, and created again when that is over', async () => {
  const scene = await openScene();
  await scene.run();
  await scene.changes();
  const path = scene.path(identifierOf(7));
  scene.repository.remove(identifierOf(7));
  await scene.run();
  expect(await scene.changes()).toEqual([`deleted ${path}`]);
  scene.clock.advance(3600);
  scene.repository.restore(identifierOf(7));
  await scene.run();
  expect(await scene.changes()).toEqual([`created ${path}`]);
});

test('quirk 62: of tombstones of strangers nothing is kept', async () => {
  const scene = await openScene();
  scene.misbehave({ strangeTombstones: 300 });
  await scene.run();
  const items = await scene.database.reader('item').whereLike('identifier', '%stranger%').pluck('identifier');
  expect(items).toEqual([]);
});

test('quirk 63: a tombstone without sets leaves no trace of having been in none', async () => {
  const scene = await openScene();
  await scene.run();
  await scene.expectTruth();
  scene.repository.remove(identifierOf(6));
  scene.misbehave({ setSpecs: 'missing' });
  const [before] = await memberships(scene, 6);
  await scene.run();
  expect(await memberships(scene, 6)).toEqual([before]);
});

async function memberships(scene: Scene, number: number): Promise<unknown[]> {
  const rows = await scene.database
    .reader('item_collection')
    .join('item', 'item.id', 'item_collection.item_id')
    .join('source', 'source.id', 'item.source_id')
    .where({ 'item.identifier': identifierOf(number), 'source.name': scene.name })
    .count({ count: '*' });
  return rows.map(({ count }) => count);
}

describe('quirk 64: sets', () => {
  const awkward = ['höhle & <co>', 'a:b', 'a b+c/d', 'MTIzNA==', '7374617475733D756E707562', 'x%2Fy', "it's"];

  test('of any name are collections', async () => {
    const scene = await openScene({ records: 5 });
    for (const spec of awkward) scene.repository.add(undefined, { sets: [spec, 'all'] });
    scene.misbehave({ strictArguments: true });
    await scene.run();
    await scene.expectTruth();
  });

  test.each(awkward)('can be asked for: %s', async (spec) => {
    const scene = await openScene({ records: 5, source: { collections: [spec] } });
    const { identifier } = scene.repository.add(undefined, { sets: [spec] });
    await scene.run();
    expect([...(await scene.live()).keys()]).toEqual([scene.path(identifier)]);
  });
});

test('quirk 66: what moves to another set without a new datestamp is found by the full pass', async () => {
  const scene = await openScene();
  await scene.run();
  await scene.expectTruth();
  scene.repository.moveSilently(identifierOf(7), ['even', 'new']);
  await scene.run({ mode: 'full' });
  await scene.expectTruth();
});

describe('quirk 67: identifiers', () => {
  const awkward = [
    'with space',
    'a+b#c?d&e=f',
    '100%25',
    '50%',
    '154383046',
    'http://example.org/x?y=1&z=2',
    '../../etc/passwd',
    'ü:日本 <1>',
    "it's;odd",
    `long:${'x'.repeat(400)}`,
  ];

  test('of any kind are published, edited and deleted', async () => {
    const scene = await openScene({ records: 3 });
    for (const identifier of awkward) scene.repository.add(identifier);
    await liveThrough(scene, {});
    scene.clock.advance(86_400);
    for (const identifier of awkward) scene.repository.edit(identifier);
    await scene.run();
    await scene.expectTruth();
    for (const identifier of awkward) scene.repository.remove(identifier);
    await scene.run();
    await scene.expectTruth();
  });

  test.each(awkward)('can be asked for: %s', async (identifier) => {
    const scene = await openScene({ records: 3 });
    scene.repository.add(identifier);
    scene.misbehave({ strictArguments: true, blanksAroundIdentifiers: true });
    const item = await scene.source.adapter.item(identifier, new AbortController().signal);
    expect(item).toMatchObject({ identifier, deleted: false });
  });
});

test('quirk 68: of a record that is listed twice the last word counts, and it is no change in every pass', async () => {
  const scene = await openScene();
  scene.misbehave({ listedTwice: [identifierOf(3), identifierOf(4)] });
  await scene.run();
  await scene.expectTruth();
  await scene.run({ mode: 'full' });
  await scene.run();
  await scene.expectTruth();
});

describe('quirk 69: where GetRecord does not know what is listed', () => {
  test.each(['idDoesNotExist', 'fails'] as const)('nothing is deleted for it (%s)', async (getRecord) => {
    const scene = await openScene();
    scene.misbehave({ deletedRecord: 'no' });
    await scene.run();
    await scene.expectTruth();
    // The page has to be taken apart, and its records one by one are not to be had either.
    scene.misbehave({ deletedRecord: 'no', getRecord, poisoned: [identifierOf(7)] });
    await scene.run({ mode: 'full' }).catch(() => undefined);
    await scene.expectTruth();
  });
});

test('quirk 70: what a document is tells its root, not the list of formats', async () => {
  const scene = await openScene({ records: 3 });
  scene.misbehave({ formatsAreWrong: true });
  await scene.run();
  const { reader } = scene.database;
  const rows: { path: string; links: string }[] = await reader('resource')
    .where({ path: scene.path(identifierOf(1)) })
    .select('path', 'links');
  const [row] = await withLinks(reader, rows, ['links']);
  expect(JSON.parse(row?.links ?? '')).toContainEqual({
    rel: 'profile',
    href: 'http://www.openarchives.org/OAI/2.0/oai_dc/',
  });
});

describe('quirk 71: a format that not every record has', () => {
  const options = { formats: ['oai_dc', 'mods'], records: 30 };

  test('is published where it is', async () => {
    const scene = await openScene(options);
    for (let number = 5; number <= 15; number += 1) {
      scene.repository.editSilently(identifierOf(number), { formats: ['oai_dc'] });
    }
    await liveThrough(scene, {});
  });

  test('is published where it is, although its list ends where it is not', async () => {
    const scene = await openScene(options);
    scene.repository.editSilently(identifierOf(14), { formats: ['oai_dc'] });
    scene.misbehave({ missingFormatEndsTheList: true });
    await scene.settle();
    await scene.expectTruth();
  });

  test('deletes no other format', async () => {
    const scene = await openScene(options);
    scene.misbehave({ deletedRecord: 'no' });
    await scene.run();
    await scene.expectTruth();
    scene.misbehave({ deletedRecord: 'no', missingFormatEndsTheList: true });
    scene.repository.editSilently(identifierOf(14), { formats: ['oai_dc'] });
    await scene.settle(5, { mode: 'full' }).catch(() => undefined);
    const live = await scene.live();
    const truth = [...scene.truth().keys()];
    expect(truth.filter((path) => !live.has(path))).toEqual([]);
  });
});
