import { expect, test } from 'vitest';
import { languageCode, shortCode } from '../../../../src/core/crosswalks/vocabularies/language-codes.ts';

test.each([
  ['en_US', 'eng', 'en'],
  ['ja', 'jpn', 'ja'],
  ['jpn', 'jpn', 'ja'],
  ['ger', 'deu', 'de'],
  ['English', 'eng', 'en'],
  [' 日本語 ', 'jpn', 'ja'],
  ['zh-Hant-TW', 'zho', 'zh'],
  ['ain', 'ain', 'ain'],
  ['zxx', 'zxx', 'zxx'],
])('%s is %s', (stated, three, two) => {
  expect([languageCode(stated), shortCode(stated)]).toEqual([three, two]);
});

test.each(['other', 'N/A', 'und', 'xx', '', '*', 'Volapük', 'e', 'en US'])('%j says nothing', (stated) => {
  expect(languageCode(stated)).toBeUndefined();
  expect(shortCode(stated)).toBeUndefined();
});
