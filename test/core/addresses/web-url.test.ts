import { expect, test } from 'vitest';
import { webAddress, webUrl } from '../../../src/core/addresses/web-url.ts';

test('an address is told by its parts, in ASCII', () => {
  expect(webUrl('HTTPS://Repo.Example.org:8443/ä|%41%zz?q=^#f')).toEqual({
    href: 'https://repo.example.org:8443/%C3%A4%7C%41%25zz?q=%5E#f',
    host: 'repo.example.org:8443',
    path: '/%C3%A4|%41%zz',
    query: '?q=^',
  });
});

test.each([
  '',
  'repo.example.org/a',
  '/a',
  'ftp://repo.example.org/a',
  'http://',
  'http://#f',
  'http://:80/',
  'https://user@repo.example.org/',
  'https://user:secret@repo.example.org/',
  'https://:secret@repo.example.org/',
  'https://repo.example.org\\a',
  'https://repo.example.org/a b',
  ' https://repo.example.org/a',
  'https://repo.example.org/a\u0000',
  `https://repo.example.org/${'a'.repeat(2048)}`,
  `https://repo.example.org/${'a/../'.repeat(500)}`,
  // Escaped it is too long.
  `https://repo.example.org/${'ä'.repeat(400)}`,
])('%j is none', (text) => {
  expect(webUrl(text)).toBeUndefined();
});

test('of a page it may be written more freely, and its fragment is left out', () => {
  expect(webAddress(' https:repo.example.org/a b#c ')).toBe('https://repo.example.org/a%20b');
  expect(webAddress('https://repo.example.org/#')).toBe('https://repo.example.org/');
  for (const none of ['', '/a', 'mailto:a@b.example', 'https://user@repo.example.org/'])
    expect(webAddress(none)).toBeUndefined();
});

test('as long as a database can index', () => {
  const text = `https://repo.example.org/${'a'.repeat(2048 - 25)}`;
  expect(text).toHaveLength(2048);
  expect(webUrl(text)?.href).toBe(text);
  expect(webUrl(`${text}a`)).toBeUndefined();
});
