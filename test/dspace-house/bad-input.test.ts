import { describe, expect, test } from 'vitest';
import type { Item } from '../house/dspace/model.ts';
import { itemsWith, type SampleOptions, sampleRepository } from '../house/dspace/sample-repository.ts';
import { House, type HouseOptions } from '../house/dspace-house/house.ts';
import { expectEquality, expectJournal, Watch } from '../house/dspace-house/promise.ts';
import { identifierOf } from '../house/dspace-house/public-view.ts';
import { suiteDatabase } from '../house/dspace-house/suite-database.ts';

const admin = { user: 'admin@example.org', password: 'secret of the admin' };

describe('a DSpace that has seen better days', () => {
  const database = suiteDatabase();

  const withHouse = async (
    { sample, ...options }: Omit<HouseOptions, 'repository'> & { sample?: Partial<SampleOptions> },
    body: (house: House) => Promise<void>,
  ) => {
    const repository = sampleRepository({ items: 55, seed: 5, ...sample });
    const house = await House.open(database(), { repository, ...options });
    try {
      await body(house);
    } finally {
      await house.close();
    }
  };

  const open = (house: House, nth = 0): Item => {
    const plain = house.repository.items.filter(({ number }) => number % 50 === 2);
    const item = plain[nth];
    if (item === undefined) throw new Error('no item');
    return item;
  };

  const pathsOf = async (house: House, item: Item) => {
    const segment = identifierOf(item).replaceAll('/', '~2F');
    return (await house.paths()).filter((path) => path.includes(`/items/${segment}/`));
  };

  test('refuses a login: the run fails, what is published stays, and it goes on when it is put right', async () => {
    await withHouse({ version: '8.2' }, async (house) => {
      await house.run();
      const before = await house.paths();
      await house.news();
      house.repository.makePrivate(open(house));
      await house.configure({ login: { user: admin.user, password: 'wrong' } });
      for (const mode of ['incremental', 'full'] as const)
        await expect(house.run(mode)).rejects.toMatchObject({ code: 'upstream-login-refused' });
      const failure = await house.run('full').catch((error: unknown) => error);
      expect(`${failure} ${JSON.stringify(failure)}`).not.toContain('wrong');
      expect(await house.paths()).toEqual(before);
      expect(await house.lines()).toEqual([]);
      await house.configure({ login: admin });
      await house.run('full');
      await expectEquality(house);
    });
  });

  const priorVersions = async ({ name }: House) => {
    const rows = await database()
      .reader('prior_version')
      .join('item', 'item.id', 'prior_version.item_id')
      .join('source', 'source.id', 'item.source_id')
      .where('source.name', name)
      .select('item.identifier', 'prior_version.number', 'prior_version.upstream_url');
    return rows.map(({ identifier, number }) => `${identifier} ${number}`).sort();
  };

  test('hides an earlier version: what was kept of it is not told any more', async () => {
    await withHouse({ version: '9.1' }, async (house) => {
      const { repository } = house;
      const [first, other] = [open(house), open(house, 1)];
      const third = repository.newVersion(repository.newVersion(first, 'second'), 'third');
      const newer = repository.newVersion(other, 'second');
      await house.run();
      expect(await priorVersions(house)).toEqual(
        expect.arrayContaining([
          `${identifierOf(third)} 1`,
          `${identifierOf(third)} 2`,
          `${identifierOf(newer)} 1`,
        ]),
      );
      repository.withdraw(first);
      repository.restrict(other);
      house.clock.advance(3600);
      await house.run('full');
      const known = await priorVersions(house);
      expect(known).toContain(`${identifierOf(third)} 2`);
      expect(known).not.toContain(`${identifierOf(third)} 1`);
      expect(known).not.toContain(`${identifierOf(newer)} 1`);
    });
  });

  test.each(['10.1', '8.2'] as const)(
    'shows hidden histories to an account: items and files are those for everybody (%s)',
    async (version) => {
      await withHouse({ version, switches: { versions: 'hidden' } }, async (house) => {
        const { repository } = house;
        const second = repository.newVersion(open(house), 'second');
        const third = repository.newVersion(second, 'third');
        const secretOf = repository.newVersion(open(house, 1), 'second of a secret');
        repository.restrict(open(house, 1));
        await house.run();
        await expectEquality(house);
        expect(await priorVersions(house)).toEqual([]);
        await house.news();
        await house.configure({ login: admin });
        await house.run('full');
        await expectEquality(house);
        expect(await house.lines()).toEqual([]);
        const known = await priorVersions(house);
        expect(known).toContain(`${identifierOf(third)} 1`);
        expect(known).toContain(`${identifierOf(third)} 2`);
        expect(known.filter((line) => line.startsWith(`${identifierOf(secretOf)} `))).toEqual([]);
        // Whatever was kept of earlier versions, nobody needed an account to read it.
        const kept = house.server.requests.filter(
          ({ kind, viewer }) => viewer !== undefined && kind !== 'version',
        );
        expect(
          [...new Set(kept.map(({ kind }) => kind))].filter(
            (kind) => !['login', 'status', 'csrf'].includes(kind),
          ),
        ).toEqual([]);
      });
    },
  );

  test.each([
    { reply: 'challenge', kind: 'search', from: 3 },
    { reply: 'forbidden-html', kind: 'search', from: 4 },
    { reply: 'cut-off', kind: 'search', from: 5 },
    { reply: 'disconnect', kind: 'search', from: 2 },
    { reply: 503, kind: 'search', from: 3 },
    { reply: 'challenge', kind: 'item', from: 1 },
    { reply: 'forbidden-html', kind: 'item', from: 2 },
    { reply: 429, kind: 'item', from: 1 },
    { reply: 'forbidden-html', kind: 'collection', from: 1 },
    { reply: 'challenge', kind: 'content', from: 1 },
    { reply: 'forbidden-html', kind: 'pid', from: 1 },
  ] as const)(
    'has a proxy before it that answers by $reply to $kind in mid-run: what is published stays',
    async ({ reply, kind, from }) => {
      await withHouse({ version: '8.2', switches: { maxResults: 10 } }, async (house) => {
        const { repository, server } = house;
        const watch = new Watch(house);
        watch.begin();
        await house.run();
        await watch.expectPromise();
        const before = await house.paths();
        const victims = [open(house), open(house, 1)] as const;
        const segments = victims.map((item) => `/${identifierOf(item).replaceAll('/', '~2F')}/`);
        repository.makePrivate(victims[0]);
        repository.delete(victims[1]);
        // The search has lost this one, for no reason.
        const [unlisted] = itemsWith(repository, 'mapped');
        repository.index.remove(unlisted?.uuid ?? '');
        let met = 0;
        server.fail({
          when: (request) => {
            met += request.kind === kind ? 1 : 0;
            return request.kind === kind && met >= from;
          },
          times: 500,
          reply,
        });
        watch.begin();
        const failure = await house.run('full').catch((error: unknown) => error);
        await watch.expectPromise();
        expect(met).toBeGreaterThanOrEqual(from);
        if (kind === 'search') expect(failure).toMatchObject({ code: expect.stringMatching(/^upstream-/) });
        const left = new Set(await house.paths());
        const lost = before.filter((path) => !left.has(path));
        expect(lost.filter((path) => !segments.some((segment) => path.includes(segment)))).toEqual([]);
        server.faults.length = 0;
        house.clock.advance(3600);
        repository.rebuildIndex();
        await house.settle('full');
        await house.workOnFiles();
        await house.settle('full');
        await expectEquality(house);
        await expectJournal(house);
      });
    },
  );

  test('has an item with five thousand files', async () => {
    await withHouse({ sample: { items: 4, manyBitstreams: 5000, fileSize: 40 } }, async (house) => {
      const before = process.memoryUsage().rss;
      await house.run();
      await expectEquality(house);
      expect((await house.paths()).length).toBeGreaterThan(5000);
      await house.news();
      await house.run('full');
      expect(await house.lines()).toEqual([]);
      const [first] = house.repository.items;
      if (first === undefined) throw new Error('no item');
      house.repository.editMetadata(first, { 'dc.title': ['One word'] });
      await house.run();
      expect((await house.lines()).length).toBe(4);
      await expectEquality(house);
      const mib = Math.round((process.memoryUsage().rss - before) / 1_048_576);
      expect(mib).toBeLessThan(512);
    });
  });

  test('has values of a megabyte, control characters, and what is no character at all', async () => {
    await withHouse({}, async (house) => {
      const { repository } = house;
      const odd =
        '\u0000\u0001\b\u000b\f\u001b[31m\u007f\u0085\u2028\ufffe\uffff\ud83d lone & <b>]]>\ud83d\ude00';
      repository.editMetadata(open(house), {
        'dc.title': [`A ${odd}`],
        'dc.description.abstract': [`${odd} ${'large '.repeat(400_000)}`],
        'local.note': [' leading and trailing ', '\n\n', '🎉'.repeat(70_000)],
      });
      await house.run();
      await expectEquality(house);
      await house.news();
      await house.run('full');
      expect(await house.lines()).toEqual([]);
    });
  });

  test('has two files of one name, which are two resources', async () => {
    await withHouse({}, async (house) => {
      await house.run();
      const [item] = itemsWith(house.repository, 'sameNames');
      if (item === undefined) throw new Error('no such item');
      const files = (await pathsOf(house, item)).filter((path) => path.includes('/files/'));
      expect(files.length).toBe(2);
      expect(files.every((path) => path.endsWith('-article.pdf'))).toBe(true);
      await expectEquality(house);
    });
  });

  test('has items without a handle, and gives them one later', async () => {
    await withHouse({}, async (house) => {
      const { repository } = house;
      const [collection] = repository.collections;
      if (collection === undefined) throw new Error('no collection');
      const added = repository.addItem(collection, { 'dc.title': [] }, { handle: undefined });
      await house.run();
      await expectEquality(house);
      expect(await pathsOf(house, added)).toContain(`${house.name}/items/${added.uuid}/json.json`);
      added.handle = '123456789/9999';
      repository.touch(added);
      await house.run('full');
      await expectEquality(house);
      await expectJournal(house);
    });
  });

  test('moves a collection below another community, and renames it', async () => {
    await withHouse({}, async (house) => {
      const { repository } = house;
      await house.run();
      await house.news();
      const [collection] = repository.collections;
      const other = repository.communities.at(-1);
      if (collection === undefined || other === undefined) throw new Error('no collection');
      collection.parent.collections.splice(collection.parent.collections.indexOf(collection), 1);
      other.collections.push(collection);
      collection.parent = other;
      repository.renameCollection(collection, 'Elsewhere');
      await house.run('full');
      await expectEquality(house);
      const lines = await house.lines();
      expect(lines.length).toBeGreaterThan(20);
      expect(lines.filter((line) => !line.startsWith('updated'))).toEqual([]);
    });
  });

  test.each([
    ['withdrawn and reinstated', 'withdraw', 'reinstate'],
    ['private for an hour', 'makePrivate', 'makeDiscoverable'],
  ] as const)('has an item %s: deleted, and created again at the same addresses', async (_, hide, show) => {
    await withHouse({ version: '9.1' }, async (house) => {
      const { repository } = house;
      await house.run();
      const item = open(house);
      const before = await pathsOf(house, item);
      expect(before.length).toBe(5);
      await house.news();
      repository[hide](item);
      house.clock.advance(3600);
      await house.run('full');
      expect((await house.lines()).sort()).toEqual(before.map((path) => `deleted ${path}`));
      repository[show](item);
      house.clock.advance(3600);
      await house.run();
      expect((await house.lines()).sort()).toEqual(before.map((path) => `created ${path}`));
      await expectEquality(house);
      await expectJournal(house);
    });
  });

  test('hides items and says nothing: the nightly look through the identifiers notices', async () => {
    await withHouse({}, async (house) => {
      const { repository } = house;
      await house.run();
      repository.makePrivate(open(house));
      repository.delete(open(house, 1));
      const [locked, taken] = [itemsWith(repository, 'mapped')[0], itemsWith(repository, 'sameNames')[0]];
      if (locked === undefined || taken === undefined) throw new Error('no item');
      repository.restrict(locked);
      repository.withdraw(taken);
      house.clock.advance(3600);
      await house.lookThroughIdentifiers();
      await expectEquality(house);
      await expectJournal(house);
    });
  });

  test.each(['incremental', 'full'] as const)(
    'hides an item and shows it again between two %s harvests: nothing but an update',
    async (mode) => {
      await withHouse({}, async (house) => {
        const { repository } = house;
        await house.run();
        await house.news();
        const item = open(house);
        repository.makePrivate(item);
        house.clock.advance(3600);
        repository.makeDiscoverable(item);
        await house.run(mode);
        expect(await house.lines()).toEqual([expect.stringMatching(/^updated .*json\.json$/)]);
        await expectEquality(house);
      });
    },
  );
});
