import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isSetSpec } from '../../../src/oai/protocol.ts';
import { setsOf, statedSets, toSetSpec } from '../../../src/oai/sets/set-spec.ts';
import { runs } from '../../house/runs.ts';

describe('The sets of a record', () => {
  test.each([
    ['com_10_1', 'com_10_1'],
    ['a:b:c', 'a:b:c'],
    ['a b', 'a~20b'],
    ['a::b', 'a~3A~3Ab'],
    ['論', '~E8~AB~96'],
    ['a%20', 'a~2520'],
  ])('%s is called %s', (spec, expected) => {
    expect(toSetSpec(spec)).toBe(expected);
  });

  test('are its own and all above them; stated are those that the others follow from', () => {
    expect(setsOf(['a:b:c', 'a', 'd'])).toEqual(['a:b:c', 'a', 'd', 'a:b']);
    expect(statedSets(['a:b:c', 'a', 'd', 'd'])).toEqual(['a:b:c', 'd']);
  });

  test('always have names that the schema takes', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', minLength: 1 })), (specs) => {
        for (const spec of setsOf(specs)) expect(isSetSpec(spec)).toBe(true);
      }),
      { numRuns: runs(200) },
    );
  });
});
