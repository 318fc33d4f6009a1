import { expect, test } from 'vitest';
import { absolute, mediaType, toTypedLink } from '../../../src/core/signposting/typed-link.ts';

const base = 'https://repo.example.org/records/1';

test.each([
  ['application/pdf', 'application/pdf'],
  [' Application/LD+JSON ; profile="x"', 'application/ld+json'],
  ['application/vnd.a-b.c_d', 'application/vnd.a-b.c_d'],
  [`a/${'b'.repeat(127)}`, `a/${'b'.repeat(127)}`],
  [`a/${'b'.repeat(128)}`, undefined],
  ['application/pdf x', undefined],
  ['see application/pdf', undefined],
  ['application/', undefined],
  ['/pdf', undefined],
  ['pdf', undefined],
  ['a/b/c', undefined],
  ['', undefined],
  [undefined, undefined],
])('of %j the media type is %j', (text, type) => {
  expect(mediaType(text)).toBe(type);
});

test('a link is absolute, in lower case, and says what it can', () => {
  const written = {
    target: ' ../a.pdf ',
    rel: ' Item  alternate',
    type: 'Text/CSV',
    length: ' 12 ',
    title: ' A ',
  };
  expect(toTypedLink(written, base)).toEqual({
    context: undefined,
    relations: ['item', 'alternate'],
    href: 'https://repo.example.org/a.pdf',
    type: 'text/csv',
    length: 12,
    title: 'A',
  });
  const poor = { target: '#', rel: 'item', type: 'x', length: '-1', title: ' ', anchor: '2' };
  expect(toTypedLink(poor, base)).toEqual({
    context: 'https://repo.example.org/records/2',
    relations: ['item'],
    href: `${base}#`,
    type: undefined,
    length: undefined,
    title: undefined,
  });
});

test.each([
  { target: 'http://', rel: 'item' },
  { target: '/a', rel: ' ' },
  { target: '/a', rel: undefined },
  { target: '/a', rel: 'item', anchor: 'http://' },
])('%j is no link', (written) => {
  expect(toTypedLink(written, base)).toBeUndefined();
});

test.each(['1e3', '0x10', '1234567890123456', '1 2', ''])('a length of %j is none', (length) => {
  expect(toTypedLink({ target: '/a', rel: 'item', length }, base)?.length).toBeUndefined();
});

test('a reference has an end', () => {
  const path = (length: number) => `/${'x'.repeat(length - 1)}`;
  expect(absolute(path(4096), base)).toBe(`https://repo.example.org${path(4096)}`);
  expect(absolute(path(4097), base)).toBeUndefined();
});
