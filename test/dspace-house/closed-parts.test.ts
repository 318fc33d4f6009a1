import { describe, expect, test } from 'vitest';
import { countUnreadable } from '../../src/store/runs/unreadable.ts';
import { listCollections } from '../../src/store/sources/collections.ts';
import { findSource } from '../../src/store/sources/sources.ts';
import type { Item } from '../house/dspace/model.ts';
import { sampleRepository } from '../house/dspace/sample-repository.ts';
import type { Switches } from '../house/dspace/switches.ts';
import { House } from '../house/dspace-house/house.ts';
import { expectEquality, expectJournal } from '../house/dspace-house/promise.ts';
import { suiteDatabase } from '../house/dspace-house/suite-database.ts';

const staff = { groups: ['staff'] };
const titled = (title: string) => ({
  'dc.title': [{ value: title, language: null, authority: null, confidence: -1 }],
});

describe('parts of a public item that are not for everybody', () => {
  const database = suiteDatabase();

  const withHouse = async (
    mode: string,
    switches: Partial<Switches>,
    body: (house: House) => Promise<void>,
  ) => {
    const source = { files: { mode }, deletionFuse: { share: 1 }, allowPrivateAddresses: true };
    const repository = sampleRepository({ items: 40, seed: 9 });
    const house = await House.open(database(), { repository, version: '9.1', switches, source });
    try {
      await body(house);
    } finally {
      await house.close();
    }
  };

  /** Public items with a file that everybody may read. */
  const openItems = ({ repository }: House): Item[] =>
    repository.items.filter(
      ({ inArchive, withdrawn, discoverable, read, isLatest, handle, files }) =>
        inArchive &&
        !withdrawn &&
        discoverable &&
        isLatest &&
        handle !== undefined &&
        read === 'anonymous' &&
        files.some((file) => file.read === 'anonymous'),
    );

  const pathsOf = async (house: House, item: Item) =>
    (await house.paths()).filter((path) => path.includes(`~2F${item.handle?.split('/')[1]}/`));
  const isFile = (path: string) => path.includes('/files/');

  test.each([
    ['proxy', {}],
    ['mirror', {}],
    ['link', {}],
    ['proxy', { listTotals: 'counted' }],
    ['mirror', { emptyPlaces: true }],
  ] as const)('its files go with their bundle, its metadata follow (%s %j)', async (mode, switches) => {
    await withHouse(mode, switches, async (house) => {
      await update(house);
      const { repository } = house;
      const [published, edited] = openItems(house) as [Item, Item];
      const before = (await house.paths()).filter(isFile);
      if (mode !== 'link') {
        expect((await pathsOf(house, published)).filter(isFile)).not.toEqual([]);
        expect((await pathsOf(house, edited)).filter(isFile)).not.toEqual([]);
      }

      // A new item, and one that is edited, each with a closed bundle: an incremental run tells.
      repository.setBundleRead(edited, 'ORIGINAL', staff);
      repository.editMetadata(edited, titled('edited'));
      const added = repository.addItem(edited.collection, titled('added'));
      repository.addBitstream(added, { name: 'closed.pdf', content: 'closed' });
      repository.setBundleRead(added, 'ORIGINAL', staff);
      await update(house, 'incremental');
      for (const item of [edited, added]) {
        expect((await pathsOf(house, item)).filter(isFile)).toEqual([]);
        expect((await pathsOf(house, item)).length).toBe(4);
      }
      // One that is not: a full pass.
      repository.setBundleRead(published, 'ORIGINAL', staff);
      await update(house);
      expect((await pathsOf(house, published)).filter(isFile)).toEqual([]);
      expect(await house.problems()).toEqual([]);
      if (mode === 'proxy') await expectEquality(house);
      // Asked for alone, it is the same.
      const identifier = `oai:repo.example.org:${added.handle}`;
      const alone = await house.source.adapter.item(identifier, new AbortController().signal);
      expect(alone).toMatchObject({ deleted: false, files: [] });

      for (const item of [published, edited, added]) repository.setBundleRead(item, 'ORIGINAL', 'anonymous');
      await update(house);
      await update(house);
      if (mode === 'proxy') await expectEquality(house);
      expect(await house.paths()).toEqual(expect.arrayContaining(before));
      await expectJournal(house);
    });
  });

  test.each([
    ['bundles', 401],
    ['bundles', 403],
    ['bundles', 404],
    ['bitstreams', 401],
    ['mappedCollections', 403],
    ['owningCollection', 404],
    ['accessStatus', 401],
    ['version', 401],
    ['format', 403],
    ['parentCommunity', 401],
    ['subcommunities', 401],
  ] as const)('%s answered %i makes no item unreadable', async (relation, status) => {
    await withHouse('proxy', {}, async (house) => {
      await update(house);
      const items = openItems(house);
      house.server.switches.refusedRelations = new Map([[relation, status]]);
      house.server.switches.refuseLists = relation === 'subcommunities';
      for (const item of items) house.repository.editMetadata(item, titled('edited'));
      await update(house);
      expect(await house.problems()).toEqual([]);
      for (const item of items.slice(0, 3)) {
        const paths = await pathsOf(house, item);
        expect(paths.filter((path) => !isFile(path)).length).toBe(4);
        if (relation.startsWith('b')) expect(paths.filter(isFile)).toEqual([]);
      }
      house.server.switches.refusedRelations = new Map();
      house.server.switches.refuseLists = false;
      await update(house);
      await update(house);
      await expectEquality(house);
    });
  });

  test('files that their bundle does not show, over several pages', async () => {
    await withHouse('proxy', { hidesClosedFiles: true, maxListSize: 50 }, async (house) => {
      const [item] = openItems(house) as [Item];
      for (let count = 0; count < 130; count += 1) {
        const read = count % 3 === 0 || (count > 40 && count < 100) ? staff : 'anonymous';
        house.repository.addBitstream(item, { name: `${count}.pdf`, content: `${count}`, read });
      }
      await update(house);
      expect(await house.problems()).toEqual([]);
      await house.run('full');
      expect((await pathsOf(house, item)).filter(isFile).length).toBeGreaterThan(30);
    });
  });

  test('collections and communities that are closed are not stated, and those beside them are', async () => {
    await withHouse('proxy', {}, async (house) => {
      await update(house);
      const [first] = house.repository.collections;
      const last = house.repository.collections.at(-1);
      if (first === undefined || last === undefined) throw new Error('no collections');
      const names = async () =>
        (await listCollections(house.database.reader, house.name)).map(({ name }) => name);
      expect(await names()).toContain(first.name);
      first.read = staff;
      last.parent.read = staff;
      await update(house);
      expect(await names()).not.toContain(first.name);
      expect(await house.problems()).toEqual([]);
      await expectEquality(house);
    });
  });

  test('a list that breaks says nothing of files: they are asked themselves', async () => {
    await withHouse('proxy', {}, async (house) => {
      await update(house);
      const [item] = openItems(house) as [Item];
      const before = await pathsOf(house, item);
      for (const { uuid } of item.files) house.repository.restrictBitstream(uuid);
      house.repository.editMetadata(item, titled('edited'));
      house.server.switches.refusedRelations = new Map([['bundles', 401]]);
      house.server.fail({ when: ({ path }) => path.endsWith('/bundles'), reply: 500 });
      await update(house, 'incremental');
      expect(await pathsOf(house, item)).toEqual(before.filter((path) => !isFile(path)));
    });
  });

  test('a list that breaks deletes nothing', async () => {
    await withHouse('proxy', {}, async (house) => {
      await update(house);
      const before = await house.paths();
      const [item] = openItems(house) as [Item];
      house.repository.editMetadata(item, titled('edited'));
      house.server.switches.refusedRelations = new Map([['bundles', 401]]);
      house.server.fail({ when: ({ path }) => path.endsWith('/bundles'), reply: 500 });
      await update(house, 'incremental');
      expect(await house.paths()).toEqual(before);
      expect((await house.problems()).map(({ code }) => code)).toContain('record-quarantined');
    });
  });

  test('what could not be read is asked for again by a harvest of what is new, and is as it should be', async () => {
    await withHouse('proxy', {}, async (house) => {
      await update(house);
      const [item] = openItems(house) as [Item];
      house.repository.addBitstream(item, { name: 'new.pdf', content: 'new' });
      const mend = await breakParts(house, item);
      const unread = () => countUnread(house);
      expect(await unread()).toBe(1);
      expect((await pathsOf(house, item)).some((path) => path.endsWith('new.pdf'))).toBe(false);
      house.clock.advance(2 * 86_400);
      await update(house, 'incremental');
      expect(await unread()).toBe(1);
      mend();
      // It has no new date, and not long ago it was the same.
      house.clock.advance(600);
      house.server.resetCounts();
      await update(house, 'incremental');
      expect([await unread(), house.server.counts.item]).toEqual([1, undefined]);
      house.clock.advance(86_400);
      await update(house, 'incremental');
      expect(await unread()).toBe(0);
      expect((await pathsOf(house, item)).some((path) => path.endsWith('new.pdf'))).toBe(true);
      expect(await house.problems()).toEqual([]);
    });
  });

  test('what could not be read is asked for by a look through the identifiers, too', async () => {
    await withHouse('proxy', {}, async (house) => {
      await update(house);
      const [item] = openItems(house) as [Item];
      const mend = await breakParts(house, item);
      expect(await countUnread(house)).toBe(1);
      mend();
      house.clock.advance(600);
      await house.lookThroughIdentifiers();
      expect(await countUnread(house)).toBe(0);
    });
  });

  test('an item that is gone (410) is deleted, and nobody has to look at it', async () => {
    await withHouse('proxy', {}, async (house) => {
      await update(house);
      const [item] = openItems(house) as [Item];
      expect((await pathsOf(house, item)).length).toBeGreaterThan(4);
      const { uuid } = item;
      house.server.fail({ when: ({ path }) => path.endsWith(`/core/items/${uuid}`), reply: 410 });
      house.repository.delete(item);
      house.repository.commitIndex();
      await house.run('incremental');
      await house.lookThroughIdentifiers();
      expect(await pathsOf(house, item)).toEqual([]);
      const { id } = (await findSource(house.database.reader, house.name)) ?? { id: 0 };
      expect(await countUnreadable(house.database.reader, id)).toBe(0);
    });
  });
});

/** The item is another one, and its files cannot be read. @returns mends it */
async function breakParts(house: House, item: Item): Promise<() => void> {
  const broken = { isBroken: true };
  house.repository.editMetadata(item, titled('edited'));
  house.server.switches.refusedRelations = new Map([['bundles', 401]]);
  house.server.fail({
    when: ({ path }) => broken.isBroken && path.endsWith(`/${item.uuid}/bundles`),
    reply: 500,
  });
  await update(house, 'incremental');
  return () => {
    broken.isBroken = false;
    house.server.switches.refusedRelations = new Map();
  };
}

async function countUnread({ database, name }: House): Promise<number> {
  const { id } = (await findSource(database.reader, name)) ?? { id: 0 };
  return countUnreadable(database.reader, id);
}

async function update(house: House, mode: 'full' | 'incremental' = 'full'): Promise<void> {
  house.repository.commitIndex();
  await house.run(mode);
  await house.workOnFiles();
}
