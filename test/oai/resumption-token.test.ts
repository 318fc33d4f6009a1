import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ListPlace, readToken, writeToken } from '../../src/oai/resumption-token.ts';
import { runs } from '../house/runs.ts';

const key = { secret: 'a secret', journal: 'j1' };
const date = fc.option(
  fc.constantFrom('1969-12-31T23:59:59Z', '1970-01-01T00:00:00Z', '9999-12-31T23:59:59Z'),
  {
    nil: undefined,
  },
);
const place: fc.Arbitrary<ListPlace> = fc.record({
  verb: fc.constantFrom('ListRecords', 'ListIdentifiers'),
  prefix: fc.constantFrom('oai_dc', 'jpcoar_2.0', "(!~*')"),
  set: fc.option(fc.constantFrom('a', 'a:b', '0'), { nil: undefined }),
  from: date,
  until: date,
  after: fc.nat(),
  delivered: fc.nat(),
  total: fc.option(fc.nat(), { nil: undefined }),
});

describe('A resumption token', () => {
  test('says where a list goes on, in characters that nobody changes, to whoever has the secret', () => {
    fc.assert(
      fc.property(place, (given) => {
        const token = writeToken(given, key);
        expect(token).toMatch(/^[A-Za-z0-9_-]{17,249}$/);
        expect(writeToken(given, key)).toBe(token);
        expect(readToken(token, key)).toEqual(given);
        expect(readToken(token, { ...key, journal: 'j2' })).toBeUndefined();
        expect(readToken(token, { ...key, secret: 'other' })).toBeUndefined();
        expect(readToken(token.slice(0, -1), key)).toBeUndefined();
      }),
      { numRuns: runs(100) },
    );
  });

  test('is none where anybody else wrote it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(readToken(text, key)).toBeUndefined();
      }),
      { numRuns: runs(200) },
    );
  });

  test('of sets', () => {
    const sets = { verb: 'ListSets', after: 'a:b', delivered: 10_000 } as const;
    expect(readToken(writeToken(sets, key), key)).toEqual(sets);
  });
});
