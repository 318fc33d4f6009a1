import { afterEach, beforeEach, expect, test } from 'vitest';
import { toIso } from '../../src/core/datetime.ts';
import { resourceSets } from '../../src/core/resource-set.ts';
import { metadataPath } from '../../src/core/uris.ts';
import { packableChanges } from '../../src/publish/dump/packable-changes.ts';
import { findLivingStates } from '../../src/store/history/resource-states.ts';
import { listChanges } from '../../src/store/reading/listing.ts';
import { holdsWithheld, wasWithheldSince } from '../../src/store/reading/withheld.ts';
import { findItemsWithVersion, findOwnVersions } from '../../src/store/removal/versions-elsewhere.ts';
import { readJournal } from '../../src/store/sources/journal.ts';
import type { Item } from '../house/dspace/model.ts';
import { sampleRepository } from '../house/dspace/sample-repository.ts';
import { House } from '../house/dspace-house/house.ts';
import { identifierOf } from '../house/dspace-house/public-view.ts';
import { baseUrl, Traveller } from '../house/dspace-house/traveller.ts';
import { describeOnBoth } from '../house/store/databases.ts';

const kept = { ofDeleted: true };

/** Where the bare handle moves to the newest version, the versions that the bridge has seen were other items. */
describeOnBoth('an earlier version that had the handle', (open) => {
  let house: House;
  let traveller: Traveller;
  let first: Item;
  let second: Item;
  let path: string;
  /** When the first version was public. */
  let published: string;
  /** How far the journal was before the second version came. */
  let before: number;

  beforeEach(async () => {
    const repository = sampleRepository({ items: 12, seed: 3, canonicalHandles: true });
    house = await House.open(open().database, { repository, version: '9.1' });
    traveller = new Traveller(house);
    const found = repository.items.find(({ number, version }) => number % 50 === 2 && !version);
    if (found?.handle === undefined) throw new Error('no item');
    first = found;
    path = metadataPath(house.name, identifierOf(first), 'oai_dc');
    repository.editMetadata(first, { 'dc.title': ['The first secret'] });
    await house.run('full');
    house.clock.advance(86_400);
    repository.editMetadata(first, { 'dc.title': ['The second secret'] });
    await house.run('full');
    published = toIso(house.clock.now());
    before = await journalSeq();
    house.clock.advance(86_400);
    second = repository.newVersion(first, 'second');
    repository.editMetadata(second, { 'dc.title': ['For everybody'] });
    await house.run();
    house.clock.advance(86_400);
  });
  afterEach(async () => {
    await traveller.close();
    await house.close();
  });

  const journalSeq = async () => (await readJournal(open().database.reader, house.name))?.seq ?? 0;

  /** In everything that a client may get of the resource, by whatever way. */
  async function titles(): Promise<readonly string[]> {
    const texts: string[] = [];
    for (const moment of ['2001-01-01T00:00:00Z', published, toIso(house.clock.now())])
      texts.push((await traveller.at(path, moment)).text ?? '');
    const map = await traveller.ask(`${baseUrl}/timemap/link/${baseUrl}/${path}`);
    for (const [, address = ''] of map.body.matchAll(/<([^>]*\/memento\/[^>]*)>/g))
      texts.push((await traveller.ask(address)).body);
    for (const change of await house.journal())
      for (const { rel, href } of change.links)
        if (rel.endsWith('/patch') && change.path === path)
          texts.push((await traveller.ask(`${baseUrl}/${href}`)).body);
    return [
      ...new Set(texts.flatMap((text) => text.match(/The (?:first|second) secret|For everybody/g) ?? [])),
    ].sort();
  }

  /** Hashes that a package which is built now would have of the resource. */
  async function packed(): Promise<readonly (string | undefined)[]> {
    const [set] = resourceSets(house.name);
    if (!set) throw new Error('no set');
    const { reader } = open().database;
    const hashes: (string | undefined)[] = [];
    const changes = listChanges(reader, set, { afterSeq: 0, withFate: true });
    for await (const page of packableChanges(reader, set, changes))
      hashes.push(...page.filter((entry) => entry.path === path).map(({ hash }) => hash));
    return [...new Set(hashes)];
  }

  const holds = (seq: number, since: number) =>
    holdsWithheld(
      open().database.reader,
      { source: house.name, filter: {} },
      { afterSeq: 0, seq },
      since,
      kept,
    );

  const all = ['For everybody', 'The first secret', 'The second secret'];
  const hidings: readonly [string, (item: Item) => void, (item: Item) => void][] = [
    [
      'withdrawn',
      (item) => house.repository.withdraw(item),
      (item) => {
        item.withdrawn = false;
      },
    ],
    [
      'private',
      (item) => house.repository.makePrivate(item),
      (item) => house.repository.makeDiscoverable(item),
    ],
    [
      'restricted',
      (item) => house.repository.restrict(item),
      (item) => house.repository.setRead(item, 'anonymous'),
    ],
  ];

  test('is read as long as DSpace shows it, without a question for it', async () => {
    expect(second.handle).toBe(identifierOf(second).split(':').at(-1));
    expect(await titles()).toEqual(all);
    const asked: string[] = [];
    house.meanwhile = ({ path: address }) => asked.push(address);
    const seq = await journalSeq();
    await house.run('full');
    expect(asked.filter((one) => one.endsWith(`/core/items/${first.uuid}`))).toEqual([]);
    expect(await titles()).toEqual(all);
    expect(await journalSeq()).toBe(seq);
  });

  test.each(hidings)('is not read when it is %s, and is again once it is shown', async (_, hide, show) => {
    const { reader } = open().database;
    const seq = await journalSeq();
    expect(await packed()).toHaveLength(3);
    hide(first);
    await house.run('full');
    expect(await titles()).toEqual(['For everybody']);
    expect(await packed()).toHaveLength(1);
    expect(await findLivingStates(reader, house.name, before, [path])).toMatchObject([
      { alive: true, withdrawnAt: expect.any(String) },
    ]);
    // Packages that were built before are not handed out, and those that are built now are.
    expect(await wasWithheldSince(reader, house.name, seq, kept)).toBe(true);
    expect(await holds(before, seq)).toBe(true);
    const hidden = await journalSeq();
    expect(await wasWithheldSince(reader, house.name, hidden, kept)).toBe(false);
    expect(await holds(hidden, hidden)).toBe(false);
    await house.run('full');
    expect(await journalSeq()).toBe(hidden);
    show(first);
    await house.run('full');
    expect(await titles()).toEqual(all);
    expect(await packed()).toHaveLength(3);
  });

  test('is not read when it went together with the handle, or is looked for with the item', async () => {
    house.repository.withdraw(first);
    house.repository.editMetadata(second, { 'dc.title': ['For everybody', 'of 2026'] });
    await house.run();
    expect(await titles()).toEqual(['For everybody']);
    house.clock.advance(86_400);
    const third = house.repository.newVersion(second, 'third');
    house.repository.editMetadata(third, { 'dc.title': ['The third'] });
    house.repository.withdraw(second);
    await house.run();
    expect(await titles()).toEqual([]);
  });

  test.each([500, 503, 'challenge', 'forbidden-html', 'disconnect'] as const)(
    'stays as it is where the answer is %s',
    async (reply) => {
      // Its version history is not asked for it.
      house.server.switches.versions = 'hidden';
      house.repository.withdraw(first);
      const isAsked = ({ path: address }: { readonly path: string }) =>
        address.endsWith(`/core/items/${first.uuid}`);
      house.server.faults.push({ reply, when: isAsked });
      await house.settle('full');
      expect(await titles()).toEqual(all);
      house.server.faults.length = 0;
      await house.run('full');
      expect(await titles()).toEqual(['For everybody']);
      house.server.faults.push({ reply, when: isAsked });
      await house.settle('full');
      expect(await titles()).toEqual(['For everybody']);
    },
  );

  test('is found by its name, which no item has', async () => {
    const { reader } = open().database;
    const item = { source: house.name, identifier: identifierOf(second) };
    const version = identifierOf(first);
    expect(version).not.toBe(item.identifier);
    expect(await findOwnVersions(reader, item)).toEqual([version]);
    expect(await findItemsWithVersion(reader, { identifier: version })).toContainEqual(
      expect.objectContaining(item),
    );
    expect(await findItemsWithVersion(reader, { handle: first.handle ?? '' })).toContainEqual(
      expect.objectContaining(item),
    );
    expect(await findItemsWithVersion(reader, { handle: '%' })).toEqual([]);
    expect(await findItemsWithVersion(reader, { identifier: 'a\0' })).toEqual([]);
  });

  test('is not read where version histories are hidden, either', async () => {
    house.server.switches.versions = 'hidden';
    await house.run('full');
    expect(await titles()).toEqual(all);
    house.repository.withdraw(first);
    await house.run('full');
    expect(await titles()).toEqual(['For everybody']);
  });
});
