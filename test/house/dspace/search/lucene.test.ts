import { describe, expect, it } from 'vitest';
import { parseQuery, prefixOf, QuerySyntaxError, solrDate, wildcard } from './lucene.ts';

describe('the query language of the simulated Solr', () => {
  it('reads what harvesters send', () => {
    expect(parseQuery('')).toEqual({ kind: 'all' });
    expect(parseQuery('*:*')).toEqual({ kind: 'all' });
    expect(parseQuery('search.resourceid:0a*')).toEqual({
      kind: 'wildcard',
      field: 'search.resourceid',
      pattern: '0a*',
    });
    expect(parseQuery('lastModified:[2026-01-01T00:00:00.000Z TO *]')).toEqual({
      kind: 'range',
      field: 'lastModified',
      low: '2026-01-01T00:00:00.000Z',
      high: undefined,
      withLow: true,
      withHigh: true,
    });
    expect(parseQuery('search.resourceid:{00 TO 0a}')).toMatchObject({ withLow: false, withHigh: false });
    expect(parseQuery('dc.title:"a \\"b\\" c"')).toEqual({
      kind: 'term',
      field: 'dc.title',
      text: 'a "b" c',
      phrase: true,
    });
  });

  it('joins by AND unless told otherwise', () => {
    const words = (name: string) => ({ kind: 'term', field: undefined, text: name, phrase: false });
    expect(parseQuery('a b')).toEqual({ kind: 'and', members: [words('a'), words('b')] });
    expect(parseQuery('a AND b OR c')).toEqual({
      kind: 'or',
      members: [{ kind: 'and', members: [words('a'), words('b')] }, words('c')],
    });
    expect(parseQuery('a -b')).toEqual({
      kind: 'and',
      members: [words('a'), { kind: 'not', member: words('b') }],
    });
    expect(parseQuery('NOT (a || b)')).toEqual({
      kind: 'not',
      member: { kind: 'or', members: [words('a'), words('b')] },
    });
    expect(parseQuery('handle:(1 OR 2)')).toMatchObject({
      members: [{ field: 'handle' }, { field: 'handle' }],
    });
  });

  it.each([
    'a:[',
    'a:[1 TO',
    '(a',
    'a)',
    '"a',
    'a AND',
    'OR a',
    'a:',
    'AND',
    'a:b:c',
    '[1 TO 2',
    'https://x/y',
  ])('refuses %s', (text) => {
    expect(() => parseQuery(text)).toThrow(QuerySyntaxError);
  });

  it('knows wildcards, escapes and dates', () => {
    expect(prefixOf('12\\/3*')).toBe('12/3');
    expect(prefixOf('a*b')).toBeUndefined();
    expect(wildcard('a?c*').test('abcdef')).toBe(true);
    expect(wildcard('a.c').test('abc')).toBe(false);
    const now = Date.parse('2026-11-21T12:34:56Z');
    expect(solrDate('NOW-1DAY/DAY', now)).toBe(Date.parse('2026-11-20T00:00:00Z'));
    expect(solrDate('2026-11-20T00:00:00Z', now)).toBe(Date.parse('2026-11-20T00:00:00Z'));
    expect(() => solrDate('yesterday', now)).toThrow(QuerySyntaxError);
  });
});
