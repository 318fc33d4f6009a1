import { describe, expect, test } from 'vitest';
import { tokensOf } from '../../../src/core/access/access-schema.ts';
import { parseConfig } from '../../../src/core/config/config.ts';
import { jointSets } from '../../../src/core/config/joint-sets.ts';
import { resourceSets } from '../../../src/core/resource-set.ts';

const url = 'https://repo.example.org/oai';
const parse = (access: unknown, more: object = {}) =>
  parseConfig({ sources: { hidden: { url, access }, open: { url } }, ...more });
const token = 'sixteen-or-more!';

describe('access to a source in the configuration', () => {
  test('is for everybody where nothing is said, and else for tokens alone', () => {
    expect(parse({}).sources.open?.access).toBeUndefined();
    expect(parse({}).sources.hidden?.access).toEqual({});
    expect(tokensOf(parse({ token, tokens: [`${token}2`] }).sources.hidden?.access ?? {})).toEqual([
      token,
      `${token}2`,
    ]);
  });

  test.each([
    [null, 'sources.hidden.access: write {} or the tokens'],
    [true, 'sources.hidden.access: write {} or the tokens'],
    [{ token: 'short' }, 'sources.hidden.access.token: write ${VARIABLE}'],
    [{ tokens: ['with a space in the middle'] }, 'sources.hidden.access.tokens.0: write ${VARIABLE}'],
    [{ tokns: [] }, 'sources.hidden.access.tokns: unknown key (did you mean "tokens"?)'],
  ])('%j is refused, and no token is repeated', (access, sentence) => {
    expect(() => parse(access)).toThrow(sentence);
    expect(() => parse(access)).not.toThrow(/short|in the middle/);
  });

  test('is no matter of groups', () => {
    expect(() => parse({}, { groups: { g: { access: {} } } })).toThrow('groups.g.access: unknown key');
  });

  test('keeps its sets out of what is for everybody', () => {
    const { sources, sets } = parse({}, { sets: { all: {}, named: { sources: ['hidden', 'open'] } } });
    expect(resourceSets('hidden', sources.hidden).map(({ isPrivate }) => isPrivate)).toEqual([true, true]);
    expect(resourceSets('open', sources.open).some(({ isPrivate }) => isPrivate)).toBe(false);
    for (const { members } of jointSets(sets, sources))
      expect(members?.map(({ source }) => source)).toEqual(['open']);
  });
});
