import { describe, expect, test } from 'vitest';
import type { Link } from '../../src/core/resource.ts';
import {
  collectionMarks,
  covers,
  definitionOf,
  filterOf,
  type Member,
  resourceSets,
  type SetChoices,
} from '../../src/core/resource-set.ts';

describe('the sets of a source', () => {
  test('are all its resources and its metadata, of which the metadata has dumps', () => {
    const common = { source: 'repo', mirrors: [], mementos: 'metadata' };
    expect(resourceSets('repo')).toEqual([
      { ...common, path: 'repo', title: 'repo', filter: {}, dumps: false },
      {
        ...common,
        path: 'repo/metadata',
        title: 'repo: metadata',
        filter: { kind: 'metadata' },
        dumps: true,
      },
    ]);
  });

  test('can be more, with titles of their own', () => {
    const mirrors = [{ url: 'https://mirror.example.org' }];
    const sets = resourceSets('repo', {
      title: 'Repository',
      sets: { theses: { title: 'Theses', collections: ['t'] }, dim: { formats: ['dim'] } },
      dumps: ['all', 'theses'],
      mirrors,
      mementos: { links: 'none', ofDeleted: false },
    });
    expect(sets.map(({ path, title, dumps }) => [path, title, dumps])).toEqual([
      ['repo', 'Repository', true],
      ['repo/metadata', 'Repository: metadata', false],
      ['repo/sets/theses', 'Theses', true],
      ['repo/sets/dim', 'Repository: dim', false],
    ]);
    expect(sets.map(({ filter }) => filter).slice(2)).toEqual([{ collections: ['t'] }, { formats: ['dim'] }]);
    for (const set of sets) expect(set).toMatchObject({ mirrors, mementos: 'none', ofDeleted: false });
  });

  test.each<[SetChoices, string]>([
    [{ mementos: { links: 'all' }, files: { mode: 'mirror' } }, 'all'],
    // Only of mirrored files there is a past.
    [{ mementos: { links: 'all' }, files: { mode: 'proxy' } }, 'metadata'],
    [{ mementos: { links: 'all' } }, 'metadata'],
    [{ mementos: { links: 'none' }, files: { mode: 'mirror' } }, 'none'],
    [{ files: { mode: 'mirror' } }, 'metadata'],
  ])('with %j lead to the mementos of: %s', (choices, mementos) => {
    expect(resourceSets('repo', choices).map((set) => set.mementos)).toEqual([mementos, mementos]);
  });
});

const inCollections = (...specs: string[]): Link[] =>
  specs.map((spec) => ({ rel: 'collection', href: `repo/collections/${spec}` }));

describe('a set covers', () => {
  const member: Member = { kind: 'metadata', format: 'dim', links: inCollections('theses:2026', 'open') };
  const file: Member = { kind: 'file', format: 'file', links: inCollections('theses') };

  test.each([
    [{}, true, true],
    [{ kind: 'metadata' }, true, false],
    [{ kind: 'file' }, false, true],
    [{ formats: ['mods', 'dim'] }, true, false],
    [{ formats: [] }, false, false],
    [{ collections: ['theses'] }, true, true],
    [{ collections: ['none', 'open'] }, true, false],
    [{ collections: ['theses:2026'] }, true, false],
    // A name that begins in the same way is another collection.
    [{ collections: ['these'] }, false, false],
    [{ collections: ['theses:2'] }, false, false],
    [{ collections: [] }, false, false],
    [{ kind: 'metadata', formats: ['dim'], collections: ['theses'] }, true, false],
    [{ kind: 'metadata', formats: ['mods'], collections: ['theses'] }, false, false],
  ] as const)('with %j: metadata %s, a file %s', (filter, ofMetadata, ofFile) => {
    expect(covers(filter, member, 'repo')).toBe(ofMetadata);
    expect(covers(filter, file, 'repo')).toBe(ofFile);
  });

  test('what is in a collection, not what leads to one in another way, or to that of another source', () => {
    const href = 'repo/collections/theses';
    const links = [{ rel: 'describedby', href }];
    expect(covers({ collections: ['theses'] }, { ...file, links }, 'repo')).toBe(false);
    expect(covers({ collections: ['theses'] }, file, 'other')).toBe(false);
  });
});

test('the stored links of each member of a collection have one of its marks', () => {
  const marks = collectionMarks('repo', ['theses', 'a b']);
  const stored = (...specs: string[]) => JSON.stringify(inCollections(...specs));
  const isMarked = (links: string) => marks.some((mark) => links.includes(mark));
  expect(isMarked(stored('open', 'theses'))).toBe(true);
  expect(isMarked(stored('theses:2026'))).toBe(true);
  expect(isMarked(stored('theses2', 'these'))).toBe(false);
  expect(collectionMarks('repo', [])).toEqual([]);
});

test('a filter that means the same is told in the same way', () => {
  expect(definitionOf({ formats: ['b', 'a', 'b'], collections: ['z', 'y'] })).toBe(
    definitionOf({ collections: ['y', 'z', 'y'], formats: ['a', 'b'] }),
  );
  const different = [
    {},
    { kind: 'file' },
    { formats: [] },
    { formats: ['a'] },
    { collections: ['a'] },
  ] as const;
  expect(new Set(different.map(definitionOf)).size).toBe(different.length);
});

test('a definition says which filter it is of', () => {
  const filters = [
    {},
    { kind: 'metadata' },
    { formats: ['a', 'b'], collections: ['journal:x*', '大学'] },
  ] as const;
  for (const filter of filters) {
    expect(filterOf(definitionOf(filter))).toEqual(filter);
    expect(definitionOf(filterOf(definitionOf(filter)))).toBe(definitionOf(filter));
  }
});
