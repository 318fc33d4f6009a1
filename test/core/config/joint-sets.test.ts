import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../../src/core/config/config.ts';
import { jointSets } from '../../../src/core/config/joint-sets.ts';
import { collectionMarks, covers } from '../../../src/core/resource-set.ts';

const url = 'https://repo.example.org/oai';
const parse = (raw: object) => parseConfig({ sources: { first: { url } }, ...raw });

describe('sets across sources in the configuration', () => {
  test.each([
    [
      { sets: { all: {} }, sources: { all: { url } } },
      'sets.all: its documents would be at /all, where the source all is',
    ],
    [
      { sets: { x: {} }, sources: { sets: { url } } },
      'sets.x: its documents would be at /sets/x, where the source sets is',
    ],
    [
      { sets: { all: {} }, baseUrl: 'https://repo.example.org/all' },
      'sets.all: the path of baseUrl begins with all',
    ],
    [{ sets: { 'X y': {} } }, "sets.X y: a set's name is made of a-z, 0-9 and -"],
    [
      { sets: { x: { groups: ['jaro'] } }, groups: { jairo: {} } },
      'sets.x.groups: there is no group "jaro" (did you mean "jairo"?)',
    ],
    [{ sets: { x: { dumps: ['all'] } } }, 'sets.x.dumps'],
  ])('%j is refused', (raw, sentence) => {
    expect(() => parse(raw)).toThrow(sentence);
  });

  test('a source may be called all or sets where no such set is', () => {
    expect(() => parse({ sets: { x: {} }, sources: { all: { url } } })).not.toThrow();
    expect(() => parse({ sets: { all: {} }, sources: { sets: { url } } })).not.toThrow();
  });

  test('sources and groups add to each other, collections narrow, and each part has the rules of its source', () => {
    const config = parse({
      groups: { jairo: { mementos: { links: 'none' } }, other: {} },
      sources: {
        a: { url, group: 'jairo' },
        b: { url, group: 'other' },
        'c-1': { url },
        'c-2': { url },
      },
      sets: {
        all: {},
        some: { sources: ['c-*'], groups: ['jai*'] },
        own: { collections: ['a/theses', 'c-1/etd*'] },
      },
    });
    const sets = jointSets(config.sets, config.sources);
    expect(sets.map(({ path, source }) => [path, source])).toEqual([
      ['all', 'sets/all'],
      ['sets/some', 'sets/some'],
      ['sets/own', 'sets/own'],
    ]);
    const members = sets.map((set) => set.members?.map((member) => member.source));
    expect(members).toEqual([
      ['a', 'b', 'c-1', 'c-2'],
      ['a', 'c-1', 'c-2'],
      ['a', 'c-1'],
    ]);
    expect(sets[1]?.members?.map(({ mementos }) => mementos)).toEqual(['none', 'metadata', 'metadata']);
    expect(sets[2]?.members?.map(({ filter }) => filter.collections)).toEqual([['theses'], ['etd*']]);
  });

  test('a collection with * is every one whose name begins so, in memory and in the database', () => {
    const has = (spec: string, href: string) => {
      const links = [{ rel: 'collection', href }];
      const isIn = covers({ collections: [spec] }, { kind: 'metadata', format: '', links }, 'a');
      const stored = JSON.stringify(links);
      expect(collectionMarks('a', [spec]).some((mark) => stored.includes(mark))).toBe(isIn);
      return isIn;
    };
    expect(has('etd*', 'a/collections/etd-2')).toBe(true);
    expect(has('etd*', 'a/collections/et')).toBe(false);
    expect(has('etd*', 'b/collections/etd-2')).toBe(false);
    expect(has('*', 'a/collections/x')).toBe(true);
    expect(has('etd', 'a/collections/etd-2')).toBe(false);
    expect(has('etd', 'a/collections/etd:x')).toBe(true);
  });
});
