import fc from 'fast-check';
import { expect, test } from 'vitest';
import { comparable, indexTerms, wantedOf } from '../../../src/core/search/words.ts';
import { runs } from '../../house/runs.ts';

/** As both databases do it. */
function finds(text: string, query: string): boolean {
  const terms = new Set(indexTerms([text]));
  const { terms: wanted, stretches } = wantedOf(query);
  return wanted.every((term) => terms.has(term)) && stretches.every((one) => comparable(text).includes(one));
}

test.each([
  ['情報爆発時代の研究基盤構想', '研究'],
  ['情報爆発時代の研究基盤構想', '研究基盤'],
  ['情報爆発時代の研究基盤構想', '想'],
  ['東京大学', '東'],
  ['データベース入門', 'ﾃﾞｰﾀﾍﾞｰｽ'],
  ['Evolučně-vývojové studium', 'evolucne studium'],
  ['Ｗｅｂ時代', 'web 時代'],
  ['oai:repo.example.org:123456789/7', 'repo.example.org 123456789/7'],
  ['Straße', 'STRASSE'],
  ['การศึกษาไทย', 'ศึกษา'],
  ['도서관학', '도서관'],
  ['the CRT-RSA countermeasure', 'crt rsa'],
])('%s is found by %s', (text, query) => {
  expect(finds(text, query)).toBe(true);
});

test.each([
  ['東京と京大', '東京大'],
  ['情報', '報情'],
  ['library', 'librar'],
  ['abc', '東'],
])('%s is not found by %s', (text, query) => {
  expect(finds(text, query)).toBe(false);
});

test('terms are letters, digits and marks, and few, whatever the text is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      for (const term of indexTerms([text])) expect(term).toMatch(/^[\p{L}\p{N}\p{M}]{1,40}$/u);
      expect(finds(text, text)).toBe(true);
    }),
    { numRuns: runs(200) },
  );
  expect(indexTerms(['\ue000s1 \ue000y1999'])).toEqual(['s1', 'y1999']);
  expect(indexTerms([Array.from({ length: 5000 }, (_, n) => `w${n}`).join(' ')])).toHaveLength(400);
});
