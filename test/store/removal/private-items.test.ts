import { beforeEach, expect, test } from 'vitest';
import { resourceSets } from '../../../src/core/resource-set.ts';
import { listResourcesAt } from '../../../src/store/history/listing-at.ts';
import { findHistories } from '../../../src/store/history/timelines.ts';
import { findItemRecords } from '../../../src/store/oai/stored-record.ts';
import { findAbsent } from '../../../src/store/pages/identifier-pass.ts';
import { listChanges, listResources } from '../../../src/store/reading/listing.ts';
import {
  hideStrays,
  listPrivateScopes,
  noteTold,
  privateCollections,
  takePrivateSets,
} from '../../../src/store/removal/private-items.ts';
import { endWithdrawals, enforceWithdrawals, withdraw } from '../../../src/store/removal/withdrawals.ts';
import { listCollections } from '../../../src/store/sources/collections.ts';
import { describeOnBoth } from '../../house/store/databases.ts';
import { type ToldItem, ToldSource } from '../../house/store/told-source.ts';

const urlOf = (item: number) => `https://repo.example.org/${item}/a.pdf`;
let names = 0;

describeOnBoth('the items of a private set', (open) => {
  let source: ToldSource;
  beforeEach(async () => {
    names += 1;
    source = await ToldSource.open(open().database, `private-${names}`);
  });
  const items = (changed: Readonly<Record<string, ToldItem>> = {}) => ({
    1: { collections: ['open'], files: [urlOf(1)] },
    2: { collections: ['theses:phd', 'open'], files: [urlOf(2)] },
    3: { collections: ['thesesque'] },
    ...changed,
  });
  const take = (...collections: string[]) =>
    takePrivateSets(source.database, new Map([[source.name, collections]]), source.now);
  const enforce = () => enforceWithdrawals(source.database, source.lease, source.moment());
  const seqNow = async (): Promise<number> =>
    Number(
      (await source.database.reader('source').where({ id: source.id }).first('journal_seq')).journal_seq,
    );
  const all = () => {
    const [set] = resourceSets(source.name);
    if (!set) throw new Error('no set');
    return set;
  };
  const short = (path: string) => path.replace(`${source.name}/items/`, '');
  /** As the public set tells it. */
  async function changesAfter(afterSeq: number): Promise<string[]> {
    const told: string[] = [];
    for await (const page of listChanges(source.database.reader, all(), { afterSeq }))
      told.push(...page.map(({ change, path }) => `${change} ${short(path)}`));
    return told.sort();
  }
  async function listed(): Promise<string[]> {
    const paths: string[] = [];
    for await (const page of listResources(source.database.reader, all()))
      paths.push(...page.map(({ path }) => short(path)));
    return paths.sort();
  }
  const ofOthers = ['1/files/1-a.pdf', '1/oai_dc.xml', '3/oai_dc.xml'];

  test('are never stored as part of the public source', async () => {
    await take('theses');
    await source.tell(items());
    expect(await listed()).toEqual(ofOthers);
    expect(await changesAfter(0)).toEqual(ofOthers.map((path) => `created ${path}`));
    // Nor do their collections, their identifiers and their files tell of them.
    const { reader } = source.database;
    const specs = (await listCollections(reader, source.name)).map(({ spec }) => spec);
    expect(specs).toEqual(['open', 'thesesque']);
    expect(await findAbsent(reader, source.id, ['1', '2', '9'])).toEqual(['9']);
    expect(await reader('remote_file').where({ source_id: source.id, url: urlOf(2) })).toEqual([]);
    expect(await reader('item').where({ source_id: source.id, identifier: '2' })).toEqual([]);
  });

  test('are deleted there when they come into it, with all of their past, and created when they leave it', async () => {
    await take('theses');
    await source.tell(items({ 2: { collections: ['open'], files: [urlOf(2)] } }));
    const before = await seqNow();
    const both = ['2/files/1-a.pdf', '2/oai_dc.xml'];
    expect(await listed()).toEqual([...ofOthers, ...both].sort());
    await source.tell(items());
    expect(await changesAfter(before)).toEqual(both.map((path) => `deleted ${path}`));
    expect(await listed()).toEqual(ofOthers);
    const path = `${source.name}/items/2/oai_dc.xml`;
    const history = (await findHistories(source.database.reader, source.name, [path])).get(path);
    expect(history?.withdrawnAt).toBe(source.now);
    const [record] = (await findItemRecords(source.database.reader, source.id, '2')) ?? [];
    // Who follows what it was in before is told as well.
    expect(record).toMatchObject({ deleted: true, collections: ['open'] });
    for await (const page of listResourcesAt(source.database.reader, all(), before))
      expect(page.map((entry) => short(entry.path)).sort()).toEqual(ofOthers);
    const kept = await source.database
      .reader('version')
      .join('resource', 'resource.id', 'version.resource_id')
      .where('version.gone', 0)
      .whereNull('version.dropped_at')
      .where('resource.source_id', source.id)
      .whereLike('resource.path', `${source.name}/items/2/%`);
    expect(kept).toEqual([]);
    // Told once.
    const between = await seqNow();
    await source.tell(items(), 'full');
    expect(await enforce()).toBe(0);
    expect(await seqNow()).toBe(between);
    await source.tell(items({ 2: { collections: ['open'], files: [urlOf(2)] } }));
    expect(await changesAfter(between)).toEqual(both.map((one) => `created ${one}`));
    expect(await listed()).toEqual([...ofOthers, ...both].sort());
  });

  test('that have left it are not told of as they were in it, before it was private either', async () => {
    await source.tell(items());
    const before = await seqNow();
    await take('theses');
    await enforce();
    await source.tell(items({ 2: { collections: ['open'], files: [urlOf(2)] } }));
    const after = await seqNow();
    const at = async (seq: number) => {
      const paths: string[] = [];
      for await (const page of listResourcesAt(source.database.reader, all(), seq))
        paths.push(...page.map((entry) => short(entry.path)));
      return paths.sort();
    };
    expect(await at(before)).toEqual(ofOthers);
    expect(await at(after)).toEqual([...ofOthers, '2/files/1-a.pdf', '2/oai_dc.xml'].sort());
  });

  test('stay private when they come without a collection, as a tombstone, or as more of what is known', async () => {
    await take('theses');
    await source.tell(items({ 2: { collections: ['open'] } }));
    await source.tell(items());
    const before = await seqNow();
    await source.tell(items({ 2: { collections: [] } }));
    await source.tell(items({ 2: { deleted: true, collections: ['open'] } }));
    await source.tell(items({ 2: { collections: [] } }));
    expect(await changesAfter(before)).toEqual([]);
    expect(await listed()).toEqual(ofOthers);
  });

  test('go when the configuration says so, before anybody reads the repository again', async () => {
    await source.tell(items());
    const before = await seqNow();
    await take('theses');
    // At once, whoever asks; the journal follows.
    expect(await listed()).toEqual(ofOthers);
    expect(await changesAfter(before)).toEqual([]);
    const scopeNow = async () =>
      (await listPrivateScopes(source.database.reader)).find((one) => one.source === source.name);
    const scope = await scopeNow();
    expect(scope).toMatchObject({ collections: ['theses'], hiddenAt: source.now, isTold: false });
    expect(await enforce()).toBe(2);
    const both = ['2/files/1-a.pdf', '2/oai_dc.xml'];
    expect(await changesAfter(before)).toEqual(both.map((path) => `deleted ${path}`));
    const specs = (await listCollections(source.database.reader, source.name)).map(({ spec }) => spec);
    expect(specs).toEqual(['open', 'thesesque']);
    if (scope) await noteTold(source.database, scope, source.now);
    expect((await scopeNow())?.isTold).toBe(true);
    // And come back when it says so, with the next delivery.
    await take();
    expect(await privateCollections(source.database.reader, source.name)).toEqual([]);
    const between = await seqNow();
    await source.tell(items(), 'full');
    expect(await changesAfter(between)).toEqual(both.map((path) => `created ${path}`));
    await source.tell(items({ 2: { collections: [] } }));
    expect(await listed()).toContain('2/oai_dc.xml');
  });

  test('are all items as long as the repository says of none what it is in', async () => {
    await take('theses');
    const mute = { 1: {}, 2: {}, 3: {} };
    await source.tell(mute);
    expect(await listed()).toEqual([]);
    // Where some have said it, one that does not is in none.
    await source.tell(items({ 4: {} }));
    expect(await listed()).toEqual([...ofOthers, '4/oai_dc.xml']);
    await source.tell({ 5: {} });
    expect(await listed()).toEqual([...ofOthers, '4/oai_dc.xml', '5/oai_dc.xml']);
  });

  test('that were being stored while they became private are found', async () => {
    await source.tell(items());
    await source.database.writer('private_scope').insert({ source: source.name, collections: '["theses"]' });
    expect(await hideStrays(source.database, source.name, source.now)).toBe(true);
    expect(await hideStrays(source.database, source.name, source.now)).toBe(false);
    expect(await listed()).toEqual(ofOthers);
    expect(await hideStrays(source.database, 'none', source.now)).toBe(false);
  });

  test('are withdrawn for themselves as well, and that stays when they are private no more', async () => {
    const target = (path?: string) => ({ source: source.name, identifier: '2', path });
    await source.tell(items());
    await take('theses');
    await withdraw(source.database, target(), undefined, source.now);
    await enforce();
    await take();
    await source.tell(items(), 'full');
    expect(await listed()).toEqual(ofOthers);
    await take('theses');
    await source.tell(items(), 'full');
    // Whoever takes the withdrawal back does not open the set.
    await endWithdrawals(source.database, [target()]);
    await source.tell(items(), 'full');
    expect(await listed()).toEqual(ofOthers);
    await take();
    await source.tell(items(), 'full');
    expect(await listed()).toContain('2/oai_dc.xml');
  });
});
