import { expect, test } from 'vitest';
import { chooseLanguage } from '../../../src/server/words/language.ts';

test.each([
  [{}, 'en'],
  [{ query: 'ja', cookie: 'en', acceptLanguage: 'en' }, 'ja'],
  [{ query: 'fr', cookie: 'ja', acceptLanguage: 'en' }, 'ja'],
  [{ query: '<script>', cookie: 'x', acceptLanguage: 'ja-JP,ja;q=0.9,en-US;q=0.8' }, 'ja'],
  [{ acceptLanguage: 'ja;q=0.8, en-GB' }, 'en'],
  [{ acceptLanguage: 'fr-CH, fr;q=0.9, JA;q=0.5, en;q=0.4' }, 'ja'],
  [{ acceptLanguage: 'ja;q=0, de' }, 'en'],
  [{ acceptLanguage: 'jam, en;q=0.1' }, 'en'],
  [{ acceptLanguage: 'de, *;q=0.5' }, 'en'],
  [{ acceptLanguage: ';;,q=,ja;q=x,' }, 'en'],
] as const)('%o is %s', (signs, language) => {
  expect(chooseLanguage(signs, 'en')).toBe(language);
});

test('the configured one is spoken where nobody says which', () => {
  expect(chooseLanguage({}, 'ja')).toBe('ja');
  expect(chooseLanguage({ acceptLanguage: 'de, *;q=0.5' }, 'ja')).toBe('ja');
  expect(chooseLanguage({ acceptLanguage: 'de, en;q=0.5' }, 'ja')).toBe('en');
});
