import { describe, expect, test } from 'vitest';
import { toHttpDate, toIso } from '../../src/core/datetime.ts';
import { metadataPath } from '../../src/core/uris.ts';
import { takePrivateSets } from '../../src/store/removal/private-items.ts';
import { findOtherVersions } from '../../src/store/removal/versions-elsewhere.ts';
import { endWithdrawals, withdraw } from '../../src/store/removal/withdrawals.ts';
import type { Item } from '../house/dspace/model.ts';
import { sampleRepository } from '../house/dspace/sample-repository.ts';
import { House } from '../house/dspace-house/house.ts';
import { identifierOf } from '../house/dspace-house/public-view.ts';
import { suiteDatabase } from '../house/dspace-house/suite-database.ts';
import { baseUrl, Traveller } from '../house/dspace-house/traveller.ts';

describe('the time before the bridge, as DSpace remembers it', () => {
  const database = suiteDatabase();

  async function withHistory(
    body: (scene: {
      house: House;
      traveller: Traveller;
      first: Item;
      second: Item;
      third: Item;
    }) => Promise<void>,
  ): Promise<void> {
    const repository = sampleRepository({ items: 12, seed: 3 });
    const house = await House.open(database(), { repository, version: '9.1' });
    const [first] = repository.items.filter(({ number }) => number % 50 === 2);
    if (first === undefined) throw new Error('no item');
    house.clock.advance(86_400);
    const second = repository.newVersion(first, 'second');
    repository.editMetadata(second, { 'dc.title': ['The second title'] });
    house.clock.advance(86_400);
    const third = repository.newVersion(second, 'third');
    repository.editMetadata(third, { 'dc.title': ['The third title'] });
    house.clock.advance(86_400);
    await house.run('full');
    const traveller = new Traveller(house);
    try {
      await body({ house, traveller, first, second, third });
    } finally {
      await traveller.close();
      await house.close();
    }
  }

  const createdOf = ({ version }: Item) => toIso(new Date(version?.createdAt ?? 0));
  const pathOf = (house: House, item: Item) => metadataPath(house.name, identifierOf(item), 'oai_dc');

  test('becomes mementos of the newest item, per format', async () => {
    await withHistory(async ({ house, traveller, first, second, third }) => {
      const path = pathOf(house, third);
      const then = await traveller.at(path, createdOf(second));
      expect(then).toMatchObject({ status: 200, began: toHttpDate(createdOf(second)) });
      expect(then.text).toContain('The second title');
      const oldest = await traveller.at(path, '2001-01-01T00:00:00Z');
      expect(oldest).toMatchObject({ status: 200, began: toHttpDate(createdOf(first)) });
      expect(oldest.text).not.toContain('The second title');
      const now = await traveller.at(path, toIso(house.clock.now()));
      expect(now.text).toContain('The third title');
    });
  });

  test('goes on with what the bridge has seen itself', async () => {
    await withHistory(async ({ house, traveller, second, third }) => {
      const path = pathOf(house, third);
      const before = toIso(house.clock.now());
      house.repository.editMetadata(third, { 'dc.title': ['Corrected'] });
      await house.run();
      expect((await traveller.at(path, toIso(house.clock.now()))).text).toContain('Corrected');
      expect((await traveller.at(path, before)).text).toContain('The third title');
      expect((await traveller.at(path, createdOf(second))).text).toContain('The second title');
      const map = await traveller.ask(`${baseUrl}/timemap/link/${baseUrl}/${path}`);
      expect(map.body.match(/rel="[^"]*memento"/g)).toHaveLength(4);
    });
  });

  test.each([
    ['withdrawn', (house: House, item: Item) => house.repository.withdraw(item)],
    ['private', (house: House, item: Item) => house.repository.makePrivate(item)],
    ['restricted', (house: House, item: Item) => house.repository.restrict(item)],
  ])(
    'is told of an item that is %s no more, and nor is what the bridge published itself',
    async (_, hide) => {
      await withHistory(async ({ house, traveller, second, third }) => {
        const path = pathOf(house, third);
        const published = toIso(house.clock.now());
        hide(house, third);
        await house.run('full');
        const map = await traveller.ask(`${baseUrl}/timemap/link/${baseUrl}/${path}`);
        expect([400, 404, 410]).toContain(map.statusCode);
        for (const moment of [toIso(house.clock.now()), published, createdOf(second)])
          expect([404, 410]).toContain((await traveller.at(path, moment)).status);
      });
    },
  );

  test('is told as far as the bridge published it of an item that is not there any more', async () => {
    await withHistory(async ({ house, traveller, third }) => {
      const path = pathOf(house, third);
      const published = toIso(house.clock.now());
      house.repository.delete(third);
      await house.run('full');
      expect((await traveller.at(path, toIso(house.clock.now()))).status).toBe(404);
      expect((await traveller.at(path, published)).text).toContain('The third title');
    });
  });

  test('is told of an earlier version that was withdrawn as the item that it was no more, whatever is delivered', async () => {
    const repository = sampleRepository({ items: 12, seed: 3 });
    const house = await House.open(database(), { repository, version: '9.1' });
    const [first] = repository.items.filter(({ number }) => number % 50 === 2);
    if (first === undefined) throw new Error('no item');
    await house.run('full');
    house.clock.advance(86_400);
    const second = repository.newVersion(first, 'second');
    repository.editMetadata(second, { 'dc.title': ['The second title'] });
    house.clock.advance(86_400);
    await house.run('full');
    const traveller = new Traveller(house);
    try {
      const path = pathOf(house, second);
      const then = () => traveller.at(path, createdOf(first));
      expect(await then()).toMatchObject({ status: 200, began: toHttpDate(createdOf(first)) });
      const [older, newer] = [first, second].map((item) => ({
        ...{ source: house.name, identifier: identifierOf(item), path: undefined },
      }));
      if (!older || !newer) throw new Error('no names');
      expect(await findOtherVersions(database().reader, older)).toEqual([
        { identifier: newer.identifier, is: 'later' },
      ]);
      expect(await findOtherVersions(database().reader, newer)).toEqual([
        { identifier: older.identifier, is: 'earlier' },
      ]);
      await withdraw(database(), older, undefined, toIso(house.clock.now()));
      expect((await then()).began).not.toBe(toHttpDate(createdOf(first)));
      expect(await findOtherVersions(database().reader, newer)).toEqual([]);
      await house.run('full');
      expect((await then()).began).not.toBe(toHttpDate(createdOf(first)));
      expect((await traveller.at(path, toIso(house.clock.now()))).text).toContain('The second title');
      await endWithdrawals(database(), [older]);
      await house.run('full');
      expect(await then()).toMatchObject({ status: 200, began: toHttpDate(createdOf(first)) });
    } finally {
      await traveller.close();
      await house.close();
    }
  });

  test('of an earlier version that is not for everybody any more is told nowhere, until it is again', async () => {
    const repository = sampleRepository({ items: 12, seed: 3 });
    const house = await House.open(database(), { repository, version: '9.1' });
    const [first] = repository.items.filter(({ number }) => number % 50 === 2);
    if (first === undefined) throw new Error('no item');
    await house.run('full');
    const published = toIso(house.clock.now());
    house.clock.advance(86_400);
    const second = repository.newVersion(first, 'second');
    house.clock.advance(86_400);
    await house.run('full');
    const traveller = new Traveller(house);
    try {
      const [own, later] = [pathOf(house, first), pathOf(house, second)];
      const asItWas = () => traveller.at(own, published);
      const asVersion = () => traveller.at(later, createdOf(first));
      expect([(await asItWas()).status, (await asVersion()).began]).toEqual([
        200,
        toHttpDate(createdOf(first)),
      ]);
      house.repository.restrict(first);
      await house.run('full');
      expect([404, 410]).toContain((await asItWas()).status);
      expect((await asVersion()).began).not.toBe(toHttpDate(createdOf(first)));
      house.repository.setRead(first, 'anonymous');
      await house.run('full');
      expect([(await asItWas()).status, (await asVersion()).began]).toEqual([
        200,
        toHttpDate(createdOf(first)),
      ]);
    } finally {
      await traveller.close();
      await house.close();
    }
  });

  test('of an earlier version that is in a private set is told nowhere in public', async () => {
    const repository = sampleRepository({ items: 12, seed: 3 });
    const house = await House.open(database(), { repository, version: '9.1' });
    const [first] = repository.items.filter(({ number }) => number % 50 === 2);
    const secret = repository.items.find(({ collection }) => collection !== first?.collection)?.collection;
    if (first === undefined || secret?.handle === undefined) throw new Error('no items');
    await house.run('full');
    const published = toIso(house.clock.now());
    house.clock.advance(86_400);
    const second = repository.newVersion(first, 'second');
    house.clock.advance(86_400);
    await house.run('full');
    const traveller = new Traveller(house);
    try {
      const [own, later] = [pathOf(house, first), pathOf(house, second)];
      const hidden = new Map([[house.name, [`col_${secret.handle.replace('/', '_')}`]]]);
      await takePrivateSets(database(), hidden, toIso(house.clock.now()));
      expect((await traveller.at(own, published)).status).toBe(200);
      repository.moveCollection(first, secret);
      await house.run('full');
      expect([404, 410]).toContain((await traveller.at(own, published)).status);
      expect((await traveller.at(later, createdOf(first))).began).not.toBe(toHttpDate(createdOf(first)));
      expect((await traveller.at(later, toIso(house.clock.now()))).status).toBe(200);
    } finally {
      await traveller.close();
      await house.close();
    }
  });

  test('hands out the old files where DSpace still has them', async () => {
    await withHistory(async ({ house, traveller, first, third }) => {
      const segment = pathOf(house, third).split('/').slice(0, 3).join('/');
      const files = (await house.paths()).filter((path) => path.startsWith(`${segment}/files/`));
      expect(files.length).toBeGreaterThan(0);
      for (const path of files) {
        const was = await traveller.at(path, createdOf(first));
        expect(was).toMatchObject({ status: 200, began: toHttpDate(createdOf(first)) });
        const bytes = first.bitstreams.map(({ content }) => content().toString());
        expect(bytes).toContain(was.text);
      }
    });
  });
});
