import { expect, test } from 'vitest';
import {
  readIdentifier,
  readIsbn,
  readIssn,
  readNcid,
  webAddress,
} from '../../../../src/core/crosswalks/vocabularies/identifiers.ts';

test.each([
  ['doi:10.1234/a b', undefined],
  ['10.1234/x', { type: 'DOI', value: 'https://doi.org/10.1234/x' }],
  ['http://hdl.handle.net/2115/1', { type: 'HDL', value: 'https://hdl.handle.net/2115/1' }],
  ['ISBN 978-3-16-148410-0', { type: 'ISBN', value: '978-3-16-148410-0' }],
  ['urn:ISSN:1234-5679', { type: 'ISSN', value: '1234-5679' }],
  ['arXiv:2101.00001v2', { type: 'arXiv', value: '2101.00001v2' }],
  ['PMID: 123', { type: 'PMID', value: '123' }],
  ['https://例え.jp/あ', { type: 'URI', value: 'https://xn--r8jz45g.jp/%E3%81%82' }],
  ['see https://example.org', undefined],
  ['Journal of Snow', undefined],
])('%s', (stated, expected) => {
  expect(readIdentifier(stated)).toEqual(expected);
});

test('numbers are what their check digits say', () => {
  expect(['1880-697X', '1880697x', 'eISSN 1234-5679', '1234-5678', '123-4567', ''].map(readIssn)).toEqual([
    '1880-697X',
    '1880-697X',
    '1234-5679',
    undefined,
    undefined,
    undefined,
  ]);
  expect(['0-306-40615-2', '0-306-40615-3', '9783161484100', '978'].map(readIsbn)).toEqual([
    '0-306-40615-2',
    undefined,
    '9783161484100',
    undefined,
  ]);
  expect(['AA12032633', 'an1', 'BB0123456x'].map(readNcid)).toEqual(['AA12032633', undefined, 'BB0123456X']);
});

test('addresses are such as a schema takes', () => {
  expect(webAddress('https://a.example/%zz?[x]#a#b')).toBe('https://a.example/%25zz?%5Bx%5D#a%23b');
  expect(webAddress('https://user:secret@a.example/')).toBeUndefined();
  expect(webAddress('ftp://a.example/')).toBeUndefined();
});
