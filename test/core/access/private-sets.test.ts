import { describe, expect, test } from 'vitest';
import {
  hiddenCollections,
  isInAny,
  privateSetOf,
  withPrivateSets,
} from '../../../src/core/access/private-sets.ts';
import { parseConfig } from '../../../src/core/config/config.ts';
import { jointSets } from '../../../src/core/config/joint-sets.ts';
import { resourceSets } from '../../../src/core/resource-set.ts';

const url = 'https://repo.example.org/oai';
const source = (sets: object, more: object = {}) => ({ url, sets, ...more });
const faultOf = (raw: unknown): string => {
  try {
    parseConfig(raw);
  } catch (error) {
    return (error as Error).message;
  }
  return '';
};

describe('a private set', () => {
  test('is a private source of its own, with the settings of its source and the collections of the set', () => {
    const { sources } = parseConfig({
      sources: {
        kyushu: source(
          { theses: { collections: ['theses'], access: {} }, open: { collections: ['open'] } },
          {
            title: 'Kyushu',
            dumps: ['theses', 'metadata', 'open'],
            mirrors: [{ url: 'https://mirror.example.org' }],
            schedule: false,
            headers: { 'x-key': 'secret' },
          },
        ),
      },
      sets: { all: {} },
    });
    expect(Object.keys(sources)).toEqual(['kyushu', 'kyushu-theses']);
    const own = sources['kyushu-theses'];
    expect(own).toMatchObject({
      ...{ url, title: 'Kyushu: theses', collections: ['theses'], access: {}, dumps: ['all', 'metadata'] },
      ...{ schedule: false, headers: { 'x-key': 'secret' } },
    });
    expect([own?.sets, own?.mirrors]).toEqual([undefined, undefined]);
    const paths = (name: string) => resourceSets(name, sources[name]).map(({ path }) => path);
    expect(paths('kyushu')).toEqual(['kyushu', 'kyushu/metadata', 'kyushu/sets/open']);
    expect(paths('kyushu-theses')).toEqual(['kyushu-theses', 'kyushu-theses/metadata']);
    const isPrivate = (name: string) => resourceSets(name, sources[name]).map((set) => set.isPrivate);
    expect([isPrivate('kyushu'), isPrivate('kyushu-theses')]).toEqual([
      [undefined, undefined, undefined],
      [true, true],
    ]);
    const [all] = jointSets({ all: {} }, sources);
    expect(all?.members?.map((member) => member.source)).toEqual(['kyushu']);
    expect(privateSetOf(sources, 'kyushu-theses')).toEqual({ source: 'kyushu', set: 'theses' });
    expect(privateSetOf(sources, 'kyushu')).toBeUndefined();
  });

  test('leaves a configuration without any as it is', () => {
    const sources = { kyushu: { sets: { open: { collections: ['open'] } } } };
    expect(withPrivateSets(sources)).toBe(sources);
  });

  test('hides its collections and what is below them, and nothing whose name only begins so', () => {
    const hidden = hiddenCollections({
      sets: {
        b: { collections: ['x', 'b'], access: {} },
        a: { collections: ['a', 'x'], access: {} },
        open: { collections: ['open'] },
      },
    });
    expect(hidden).toEqual(['a', 'b', 'x']);
    expect([['a'], ['a:b'], ['c', 'b:c:d']].map((specs) => isInAny(specs, hidden))).toEqual([
      true,
      true,
      true,
    ]);
    expect([['ab'], ['c:a'], []].map((specs) => isInAny(specs, hidden))).toEqual([false, false, false]);
    expect(hiddenCollections({})).toEqual([]);
  });

  test.each([
    ['no collections', { formats: ['mods'], access: {} }, 'what is private is said by collections'],
    ['formats', { collections: ['a'], formats: ['mods'], access: {} }, 'remove formats'],
    ['a beginning', { collections: ['a*'], access: {} }, 'by its whole name instead of a*'],
    ['an unknown key', { collections: ['a'], access: { tokn: 'x' } }, 'unknown key'],
    ['a short token', { collections: ['a'], access: { token: 'x' } }, '16 to 200'],
  ])('with %s is refused, and what to write is said', (_, set, said) => {
    expect(faultOf({ sources: { kyushu: source({ theses: set }) } })).toContain(said);
  });

  test('is refused where it would be nothing, or somewhere else', () => {
    const theses = { collections: ['theses'], access: {} };
    const fault = (sources: object, more: object = {}) => faultOf({ sources, ...more });
    expect(fault({ kyushu: source({ theses }, { access: {} }) })).toContain('the whole source is private');
    expect(fault({ kyushu: source({ theses }), 'kyushu-theses': { url } })).toContain(
      'where another source is',
    );
    expect(fault({ a: source({ 'b-c': theses }), 'a-b': source({ c: theses }) })).toContain(
      'sources.a.sets.b-c: it would be at /a-b-c',
    );
    expect(fault({ kyushu: source({ theses, half: { collections: ['a', 'theses:phd'] } }) })).toContain(
      'sources.kyushu.sets.half.collections: everything in theses:phd is in a private set',
    );
    expect(fault({ kyushu: source({ theses }) }, { baseUrl: 'https://example.org/kyushu-theses' })).toContain(
      'as the path of baseUrl',
    );
    expect(fault({ search: { url, access: {} } })).toContain('would be closed');
    // Which some have had since before there was the page.
    expect(fault({ search: { url } })).toBe('');
  });
});
