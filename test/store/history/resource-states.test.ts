import { beforeEach, expect, test } from 'vitest';
import {
  type ChangedStates,
  countFilesElsewhere,
  countIdentifiers,
  countLiving,
  findLivingStates,
  listChangedStates,
  listIdentifiers,
  listLivingStates,
  listPatchPaths,
  type ResourceState,
} from '../../../src/store/history/resource-states.ts';
import { describeOnBoth } from '../../house/store/databases.ts';
import { ToldSource } from '../../house/store/told-source.ts';

let sources = 0;

describeOnBoth('resources as they were', (open) => {
  let source: ToldSource;
  let first: number;
  let second: number;

  const journal = async () =>
    Number(
      (await source.database.reader('source').where({ id: source.id }).first('journal_seq')).journal_seq,
    );
  const metadata = (identifier: string) => `${source.name}/items/${identifier}/oai_dc.xml`;

  async function living(seq: number, rows?: number): Promise<ResourceState[]> {
    const states: ResourceState[] = [];
    for await (const page of listLivingStates(source.database.reader, source.name, seq, rows)) {
      expect(page.length).toBeLessThanOrEqual(rows ?? 1000);
      states.push(...page);
    }
    return states;
  }

  async function changed(afterSeq: number, seq: number, rows?: number): Promise<ChangedStates[]> {
    const pages: ChangedStates[] = [];
    const { reader } = source.database;
    for await (const page of listChangedStates(reader, source.name, { afterSeq, seq }, rows))
      pages.push(page);
    return pages;
  }

  const identifiersOf = (states: readonly ResourceState[]) =>
    states.map(({ identifier }) => identifier).sort();

  beforeEach(async () => {
    sources += 1;
    source = await ToldSource.open(open().database, `states-${sources}`);
    await source.tell({ 1: { collections: ['a'] }, 2: {}, 3: {} });
    first = await journal();
    await source.tell({
      1: { collections: ['b'] },
      2: { deleted: true },
      3: { formats: { oai_dc: 'another text' } },
      4: { files: ['https://repo.example.org/a.pdf'] },
    });
    second = await journal();
  });

  test('those that lived then, whatever has become of them, on pages of any size', async () => {
    for (const rows of [1, 2, undefined]) {
      const before = await living(first, rows);
      expect(identifiersOf(before)).toEqual(['1', '2', '3']);
      expect(identifiersOf(await living(second, rows))).toEqual(['1', '3', '4', '4']);
      const gone = before.find(({ identifier }) => identifier === '2');
      expect(gone).toMatchObject({
        alive: true,
        kind: 'metadata',
        deletedAt: source.now,
        path: metadata('2'),
      });
      const texts = [first, second].map(async (seq) =>
        (await living(seq, rows)).filter(({ identifier }) => identifier === '3'),
      );
      const [[then], [now]] = (await Promise.all(texts)) as [ResourceState[], ResourceState[]];
      expect(then?.hash).toMatch(/^sha-256:/);
      expect(then?.hash).not.toBe(now?.hash);
      expect([then?.deletedAt, now?.deletedAt]).toEqual([undefined, undefined]);
    }
    expect(await living(0)).toEqual([]);
  });

  test('those that changed since, each as it was at the end, and the collections of which one came or went', async () => {
    for (const rows of [1, 2, undefined]) {
      const pages = await changed(first, second, rows);
      const states = new Map(
        pages.flatMap((page) => page.states.map((state) => [state.path, state] as const)),
      );
      expect(identifiersOf([...states.values()])).toEqual(['1', '2', '3', '4', '4']);
      expect(identifiersOf([...states.values()].filter(({ alive }) => !alive))).toEqual(['2']);
      expect(pages.reduce((sum, { changes }) => sum + changes, 0)).toBe(second - first);
      expect([...new Set(pages.flatMap(({ collections }) => collections))].sort()).toEqual(
        ['a', 'b'].map((name) => `${source.name}/collections/${name}`),
      );
      expect(pages.flatMap(({ patches }) => patches)).toEqual([]);
    }
    expect(await changed(second, second)).toEqual([]);
  });

  test('one that was deleted then and came back since is none of them', async () => {
    await source.tell({ 2: { formats: { oai_dc: 'it is back' } } });
    const { reader } = source.database;
    expect(identifiersOf(await living(second))).toEqual(['1', '3', '4', '4']);
    expect(await findLivingStates(reader, source.name, second, [metadata('2')])).toEqual([]);
    expect(identifiersOf(await living(await journal()))).toEqual(['1', '2', '3', '4', '4']);
    expect(await countLiving(reader, source.name, second)).toBe(4);
  });

  test('those of some addresses', async () => {
    const { reader } = source.database;
    const paths = ['1', '2', '4', '9'].map(metadata);
    const find = async (seq: number) =>
      identifiersOf(await findLivingStates(reader, source.name, seq, paths));
    expect(await find(first)).toEqual(['1', '2']);
    expect(await find(second)).toEqual(['1', '4']);
    expect(await findLivingStates(reader, source.name, second, [])).toEqual([]);
    expect(await listPatchPaths(reader, source.name, paths)).toEqual([]);
  });

  test('are counted, and so are items, and files whose bytes are elsewhere', async () => {
    const { reader, writer } = source.database;
    expect(await countLiving(reader, source.name, 0)).toBe(0);
    expect(await countLiving(reader, source.name, first)).toBe(3);
    expect(await countLiving(reader, source.name, second)).toBe(4);
    expect(await countIdentifiers(reader, source.name)).toBe(4);
    for (const rows of [1, 3, undefined]) {
      const identifiers: string[] = [];
      for await (const page of listIdentifiers(reader, source.name, rows)) identifiers.push(...page);
      expect(identifiers.sort()).toEqual(['1', '2', '3', '4']);
    }
    const elsewhere = () => countFilesElsewhere(reader, source.name);
    expect(await elsewhere()).toEqual({ unkept: 1, linked: 0 });
    const file = () => writer('resource').where({ source_id: source.id, kind: 'file' });
    await file().update({ path: `https://repo.example.org/${source.name}` });
    expect(await elsewhere()).toEqual({ unkept: 0, linked: 1 });
    const { hash } = await reader('resource')
      .where({ path: metadata('1') })
      .first('hash');
    await file().update({ path: `${source.name}/items/4/files/1-a.pdf`, hash });
    expect(await elsewhere()).toEqual({ unkept: 0, linked: 0 });
  });

  test('of a source that is not there are none', async () => {
    const { reader } = source.database;
    const pages = async (listed: AsyncIterable<unknown>) => {
      let count = 0;
      for await (const _ of listed) count += 1;
      return count;
    };
    expect(await pages(listLivingStates(reader, 'nobody', 9))).toBe(0);
    expect(await pages(listChangedStates(reader, 'nobody', { afterSeq: 0, seq: 9 }))).toBe(0);
    expect(await pages(listIdentifiers(reader, 'nobody'))).toBe(0);
    expect(await findLivingStates(reader, 'nobody', 9, [metadata('1')])).toEqual([]);
    expect(await listPatchPaths(reader, 'nobody', [metadata('1')])).toEqual([]);
    expect(await countLiving(reader, 'nobody', 9)).toBe(0);
    expect(await countIdentifiers(reader, 'nobody')).toBe(0);
    expect(await countFilesElsewhere(reader, 'nobody')).toEqual({ unkept: 0, linked: 0 });
  });
});
