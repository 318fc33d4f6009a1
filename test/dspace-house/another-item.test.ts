import { describe, expect, test } from 'vitest';
import { toHttpDate, toIso } from '../../src/core/datetime.ts';
import { resourceSets } from '../../src/core/resource-set.ts';
import { metadataPath } from '../../src/core/uris.ts';
import { packableChanges } from '../../src/publish/dump/packable-changes.ts';
import { findLivingStates } from '../../src/store/history/resource-states.ts';
import { type ChangeEntry, listChanges } from '../../src/store/reading/listing.ts';
import { holdsWithheld } from '../../src/store/reading/withheld.ts';
import { readJournal } from '../../src/store/sources/journal.ts';
import type { Item } from '../house/dspace/model.ts';
import { sampleRepository } from '../house/dspace/sample-repository.ts';
import { House } from '../house/dspace-house/house.ts';
import { identifierOf } from '../house/dspace-house/public-view.ts';
import { suiteDatabase } from '../house/dspace-house/suite-database.ts';
import { baseUrl, Traveller } from '../house/dspace-house/traveller.ts';

const kept = { ofDeleted: true };

describe('a handle that another item has', () => {
  const database = suiteDatabase();

  interface Scene {
    readonly house: House;
    readonly traveller: Traveller;
    readonly former: Item;
    readonly handle: string;
    readonly path: string;
    /** When the former item was public. */
    readonly published: string;
  }

  async function withItem(body: (scene: Scene) => Promise<void>): Promise<void> {
    const repository = sampleRepository({ items: 12, seed: 3 });
    const house = await House.open(database(), { repository, version: '9.1' });
    const former = repository.items.find(({ number, version }) => number % 50 === 2 && !version);
    if (former?.handle === undefined) throw new Error('no item');
    repository.editMetadata(former, { 'dc.title': ['The first secret'] });
    await house.run('full');
    house.clock.advance(86_400);
    repository.editMetadata(former, { 'dc.title': ['The second secret'] });
    await house.run('full');
    const traveller = new Traveller(house);
    const { handle } = former;
    const path = metadataPath(house.name, identifierOf(former), 'oai_dc');
    const published = toIso(house.clock.now());
    house.clock.advance(86_400);
    try {
      await body({ house, traveller, former, handle, path, published });
    } finally {
      await traveller.close();
      await house.close();
    }
  }

  const follow = ({ house, former, handle }: Scene): Item => {
    house.clock.advance(86_400);
    const next = house.repository.addItem(former.collection, {
      'dc.title': [{ value: 'Somebody else', language: null, authority: null, confidence: -1 }],
    });
    house.repository.giveHandle(next, handle);
    return next;
  };

  const seqOf = async ({ house }: Scene) => (await readJournal(database().reader, house.name))?.seq ?? 0;

  /** Titles in everything that a client may get of the resource, by whatever way. */
  async function titlesOf({ house, traveller, path, published }: Scene): Promise<readonly string[]> {
    const texts: string[] = [];
    for (const moment of ['2001-01-01T00:00:00Z', published, toIso(house.clock.now())])
      texts.push((await traveller.at(path, moment)).text ?? '');
    const map = await traveller.ask(`${baseUrl}/timemap/link/${baseUrl}/${path}`);
    for (const [, address = ''] of map.body.matchAll(/<([^>]*\/memento\/[^>]*)>/g))
      texts.push((await traveller.ask(address)).body);
    const found = texts.flatMap((text) => /The (?:first|second) secret|Somebody else/.exec(text) ?? []);
    return [...new Set(found)].sort();
  }

  async function packed({ house, path }: Scene): Promise<readonly ChangeEntry[]> {
    const [set] = resourceSets(house.name);
    if (!set) throw new Error('no set');
    const { reader } = database();
    const entries: ChangeEntry[] = [];
    for await (const page of packableChanges(
      reader,
      set,
      listChanges(reader, set, { afterSeq: 0, withFate: true }),
    ))
      entries.push(...page.filter((entry) => entry.path === path));
    return entries;
  }

  test.each([
    ['withdrawn', (house: House, item: Item) => house.repository.withdraw(item)],
    ['private', (house: House, item: Item) => house.repository.makePrivate(item)],
    ['restricted', (house: House, item: Item) => house.repository.restrict(item)],
  ])('shows that one, and nothing of the one that is %s', async (_, hide) => {
    await withItem(async (scene) => {
      const { house, traveller, former, path, published } = scene;
      const { reader } = database();
      const before = await seqOf(scene);
      hide(house, former);
      await house.run('full');
      expect(await titlesOf(scene)).toEqual([]);
      const refused = await seqOf(scene);
      follow(scene);
      await house.run('full');
      expect(await titlesOf(scene)).toEqual(['Somebody else']);
      // A TimeGate leads to what is there.
      expect((await traveller.at(path, published)).text).toContain('Somebody else');
      // An export of that day has nothing of it, and nor has a package that is built now.
      expect(await findLivingStates(reader, house.name, before, [path])).toMatchObject([
        { alive: true, withdrawnAt: expect.any(String) },
      ]);
      const later = await findLivingStates(reader, house.name, await seqOf(scene), [path]);
      expect(later).toMatchObject([{ alive: true, withdrawnAt: undefined }]);
      expect((await packed(scene)).map(({ change }) => change)).toEqual(['deleted', 'created']);
      // One that was built before is not handed out, and one that is built now is.
      const everything = { source: house.name, filter: {} };
      const earlier = { afterSeq: 0, seq: before };
      expect(await holdsWithheld(reader, everything, earlier, before, kept)).toBe(true);
      const now = { afterSeq: 0, seq: await seqOf(scene) };
      expect(await holdsWithheld(reader, everything, now, refused, kept)).toBe(false);
    });
  });

  test('shows of the former one what there was when that is shown again, and then nothing of the other', async () => {
    await withItem(async (scene) => {
      const { house, former, handle } = scene;
      house.repository.withdraw(former);
      await house.run('full');
      const next = follow(scene);
      await house.run('full');
      house.clock.advance(86_400);
      house.repository.withdraw(next);
      await house.run('full');
      expect(await titlesOf(scene)).toEqual([]);
      house.clock.advance(86_400);
      house.repository.giveHandle(former, handle);
      house.repository.reinstate(former);
      await house.run('full');
      expect(await titlesOf(scene)).toEqual(['The first secret', 'The second secret']);
    });
  });

  test('has a past again when the same item is shown again', async () => {
    await withItem(async (scene) => {
      const { house, former } = scene;
      house.repository.withdraw(former);
      await house.run('full');
      house.repository.reinstate(former);
      await house.run('full');
      expect(await titlesOf(scene)).toEqual(['The first secret', 'The second secret']);
    });
  });

  test('has files of its own, also where they are called the same', async () => {
    await withItem(async (scene) => {
      const { house, former, path } = scene;
      const place = path.replace(/[^/]*$/, 'files/');
      const files = async () => (await house.paths()).filter((one) => one.startsWith(place));
      const before = await files();
      expect(before.length).toBeGreaterThan(0);
      const called = former.files.map(({ name }) => name);
      house.repository.withdraw(former);
      await house.run('full');
      const next = follow(scene);
      const add = (name: string) => house.repository.addBitstream(next, { name, content: `new ${name}` });
      add(called[0] ?? '');
      await house.run('full');
      await house.workOnFiles();
      const [first, ...others] = await files();
      expect(others).toEqual([]);
      expect(before).not.toContain(first);
      // Nor does one that comes later take such a place.
      for (const name of called) add(name);
      house.repository.touch(next);
      await house.run('full');
      await house.workOnFiles();
      const after = await files();
      expect(after).toHaveLength(called.length + 1);
      for (const one of after) expect(before).not.toContain(one);
      expect(after).toContain(first);
    });
  });

  test('does not show as its own what DSpace remembered of the one before', async () => {
    const repository = sampleRepository({ items: 12, seed: 3 });
    const house = await House.open(database(), { repository, version: '9.1' });
    const first = repository.items.find(({ number }) => number % 50 === 2);
    if (first === undefined) throw new Error('no item');
    repository.editMetadata(first, { 'dc.title': ['The first secret'] });
    house.clock.advance(86_400);
    const former = repository.newVersion(first, 'second');
    repository.editMetadata(former, { 'dc.title': ['The second secret'] });
    await house.run('full');
    const traveller = new Traveller(house);
    try {
      const handle = former.handle ?? '';
      const path = metadataPath(house.name, identifierOf(former), 'oai_dc');
      const scene = { house, traveller, former, handle, path, published: toIso(house.clock.now()) };
      expect(await titlesOf(scene)).toEqual(['The first secret', 'The second secret']);
      repository.withdraw(former);
      await house.run('full');
      follow(scene);
      await house.run('full');
      expect(await titlesOf(scene)).toEqual(['Somebody else']);
      expect((await traveller.at(path, '2001-01-01T00:00:00Z')).began).not.toBe(
        toHttpDate(toIso(new Date(first.version?.createdAt ?? 0))),
      );
    } finally {
      await traveller.close();
      await house.close();
    }
  });
});
