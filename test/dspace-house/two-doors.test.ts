import { describe, expect, test } from 'vitest';
import type { Item } from '../house/dspace/model.ts';
import { sampleRepository } from '../house/dspace/sample-repository.ts';
import { House } from '../house/dspace-house/house.ts';
import { expectEquality, expectJournal } from '../house/dspace-house/promise.ts';
import { identifierOf, isPublic } from '../house/dspace-house/public-view.ts';
import { describeOnBoth, type TestDatabase } from '../house/store/databases.ts';

const byOai = { adapter: 'oai-pmh', formats: ['oai_dc'], files: { from: 'xoai' } };
const byRest = { adapter: 'dspace', identity: 'oai' };

/** Of an item, whatever the source is called: `oai_dc.xml`, `files/2-a.pdf`, each with its collections. */
async function itemsOf(house: House): Promise<Map<string, string[]>> {
  const items = new Map<string, string[]>();
  for (const { path, links } of await house.resources()) {
    const [item = '', ...rest] = path.slice(`${house.name}/items/`.length).split('/');
    const collections = links
      .filter(({ rel }) => rel === 'collection')
      .map(({ href }) => href.split('/').at(-1));
    items.set(
      item,
      [...(items.get(item) ?? []), `${rest.join('/')} in ${collections.sort().join(' ')}`].sort(),
    );
  }
  return items;
}

function segmentOf(item: Item): string {
  return identifierOf(item).replaceAll('/', '~2F');
}

/** OAI-PMH has no persons, no projects, and nothing without a handle. */
function isShownByBoth(house: House, item: Item): boolean {
  const type = item.entityType ?? 'Publication';
  return isPublic(item, house.repository.now()) && item.handle !== undefined && type === 'Publication';
}

describeOnBoth('the same DSpace by OAI-PMH and by REST', (open) => {
  test.each(['7.6', '10.1'] as const)('has the same items, files and collections (%s)', async (version) => {
    await withHouses(open, { version }, [byRest, byOai], async (rest, oai) => {
      await rest.run();
      await oai.run();
      const [native, told] = [await itemsOf(rest), await itemsOf(oai)];
      const shared = rest.repository.items.filter((item) => isShownByBoth(rest, item)).map(segmentOf);
      expect(shared.length).toBeGreaterThan(40);
      const among = (items: Map<string, string[]>) =>
        Object.fromEntries(
          shared.map((item) => [item, items.get(item)?.filter((path) => /^oai_dc|^files/.test(path))]),
        );
      expect(among(told)).toEqual(among(native));
      await expectEquality(rest);
    });
  });

  test('can be read by the one after the other, and back again', async () => {
    await withHouses(open, {}, [byOai], async (house) => {
      await house.run();
      const { repository } = house;
      const shared = new Set(repository.items.filter((item) => isShownByBoth(house, item)).map(segmentOf));
      const ofShared = (path: string) => shared.has(path.split('/')[2] ?? '');
      const before = (await house.paths()).filter(ofShared);
      await house.news();

      await house.configure(byRest);
      expect(await house.run()).toMatchObject({ mode: 'full', state: 'succeeded' });
      const moved = (await house.lines()).filter((line) => ofShared(line));
      expect(moved.filter((line) => line.startsWith('deleted'))).toEqual([]);
      expect(
        moved.filter((line) => line.startsWith('created') && !/\/(dim\.xml|qdc\.xml|json\.json)$/.test(line)),
      ).toEqual([]);
      expect(new Set(moved).size).toBe(moved.length);
      expect(await house.paths()).toEqual(expect.arrayContaining(before));
      await expectEquality(house);
      await house.run('full');
      await house.workOnFiles();
      expect(await house.lines()).toEqual([]);

      await house.configure(byOai);
      house.server.oai?.reindex();
      expect(await house.run()).toMatchObject({ mode: 'full' });
      const back = (await house.lines()).filter((line) => ofShared(line));
      expect(back.filter((line) => line.startsWith('created'))).toEqual([]);
      expect(
        back.filter((line) => line.startsWith('deleted') && !/\/(dim\.xml|qdc\.xml|json\.json)$/.test(line)),
      ).toEqual([]);
      expect((await house.paths()).filter(ofShared)).toEqual(before);
      await house.run('full');
      await house.workOnFiles();
      expect(await house.lines()).toEqual([]);
      await expectJournal(house);
    });
  });
});

describeOnBoth('formats that come from the OAI-PMH endpoint beside REST', (open) => {
  describe.each([
    {
      formats: ['oai_dc', 'dim', { name: 'mets', from: 'oai' }],
      own: ['oai_dc.xml', 'dim.xml'],
      more: ['mets.xml'],
    },
    {
      formats: { from: 'oai' },
      own: ['json.json'],
      more: ['oai_dc.xml', 'qdc.xml', 'dim.xml', 'xoai.xml', 'mets.xml'],
    },
  ])('$own and $more', ({ formats, own, more }) => {
    test('are of items that REST shows, whatever an index of last night says', async () => {
      await withHouses(open, {}, [{ formats }], async (house) => {
        const { repository } = house;
        const victims = repository.items.filter(
          (item) => isShownByBoth(house, item) && item.version === undefined,
        );
        const [early, priv, gone, locked, out] = victims as [Item, Item, Item, Item, Item];
        const expected = () => {
          const public_ = repository.items.filter((item) => isPublic(item, repository.now()));
          return public_.flatMap((item) => {
            const names = [...own, ...(isShownByBoth(house, item) && item !== late ? more : [])];
            return names.map((name) => `${house.name}/items/${segmentOf(item)}/${name}`);
          });
        };
        const published = async () => (await house.paths()).filter((path) => !path.includes('/files/'));
        let late: Item | undefined;
        repository.makePrivate(early);
        await house.run();
        expect(await published()).toEqual(expected().sort());
        await house.news();

        repository.makePrivate(priv);
        repository.delete(gone);
        repository.restrict(locked);
        repository.withdraw(out);
        house.clock.advance(3600);
        await house.run();
        await house.run('full');
        expect(await published()).toEqual(expected().sort());
        expect((await house.lines()).filter((line) => line.startsWith('created'))).toEqual([]);
        for (const item of [early, priv, gone, locked, out])
          expect((await house.paths()).filter((path) => path.includes(`/${segmentOf(item)}/`))).toEqual([]);

        // A new item has what REST has of it, and the rest of it in the morning.
        const [collection] = repository.collections;
        if (collection === undefined) throw new Error('no collection');
        late = repository.addItem(collection, { 'dc.title': [] });
        await house.run();
        expect(await published()).toEqual(expected().sort());
        house.server.oai?.reindex();
        house.clock.advance(6 * 3600);
        await house.run();
        late = undefined;
        expect(await published()).toEqual(expected().sort());
        await house.news();
        await house.run('full');
        expect(await house.lines()).toEqual([]);
        await expectJournal(house);
      });
    });

    test('wait for it: when it is down the run fails, and what is published stays', async () => {
      await withHouses(open, {}, [{ formats }], async (house) => {
        await house.run();
        const before = await house.paths();
        await house.news();
        house.server.fail({ when: ({ kind }) => kind === 'oai', reply: 500 });
        await expect(house.run('full')).rejects.toThrow();
        await expect(house.run('full')).rejects.toThrow();
        expect(await house.paths()).toEqual(before);
        expect(await house.lines()).toEqual([]);
        house.server.faults.length = 0;
        await house.settle('full');
        expect(await house.lines()).toEqual([]);
      });
    });
  });
});

async function withHouses(
  open: () => TestDatabase,
  { version = '9.1' }: { version?: '7.6' | '9.1' | '10.1' },
  sources: readonly Record<string, unknown>[],
  body: (...houses: [House, House]) => Promise<void>,
): Promise<void> {
  const { database } = open();
  const houses: House[] = [];
  try {
    for (const source of sources)
      houses.push(
        await House.open(database, { repository: sampleRepository({ items: 60, seed: 3 }), version, source }),
      );
    for (const { server } of houses) server.oai?.reindex();
    await body(...(houses as [House, House]));
  } finally {
    for (const house of houses) await house.close();
  }
}
