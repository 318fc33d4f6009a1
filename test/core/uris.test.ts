import { expect, test } from 'vitest';
import {
  collectionPath,
  filePath,
  isAbsolute,
  itemPath,
  mementoUri,
  metadataPath,
  patchPath,
  timeGateUri,
  timeMapUri,
  toUri,
} from '../../src/core/uris.ts';

const base = 'https://bridge.example.org/rs';

test('everything of an item is below its page', () => {
  const page = itemPath('repo', 'oai:a/1');
  expect(page).toMatch(/^repo\/items\/[^/]+$/);
  expect(metadataPath('repo', 'oai:a/1', 'dim')).toBe(`${page}/dim.xml`);
  expect(filePath('repo', 'oai:a/1', 2, 'a.pdf')).toBe(`${page}/files/2-a.pdf`);
  expect(collectionPath('repo', 'theses')).toBe('repo/collections/theses');
});

test.each([
  ['application/json', 'json'],
  ['application/ld+json', 'json'],
  ['application/xml', 'xml'],
  ['application/json-seq', 'xml'],
  ['text/x-application/json', 'xml'],
  ['application/xml; x=+json', 'xml'],
])('metadata that is %s ends in .%s', (mediaType, ending) => {
  expect(metadataPath('repo', 'a', 'dim', mediaType)).toBe(`repo/items/a/dim.${ending}`);
});

test('a patch is named by its place in the journal and the beginning of its hash', () => {
  expect(patchPath('repo', 7, `sha-256:${'0123456789abcdef'.repeat(4)}`)).toBe(
    'repo/patches/7-0123456789abcdef.xml',
  );
});

test('the past of a resource is found by its whole URI', () => {
  const uri = 'https://repo.example.org/a?b=c';
  expect(timeGateUri(base, uri)).toBe(`${base}/timegate/${uri}`);
  expect(timeMapUri(base, uri)).toBe(`${base}/timemap/link/${uri}`);
  expect(timeMapUri(base, uri, 'json', 1)).toBe(`${base}/timemap/json/${uri}`);
  expect(timeMapUri(base, uri, 'html', 2)).toBe(`${base}/timemap/html/2/${uri}`);
  expect(mementoUri(base, uri, '2026-11-21T04:38:00Z')).toBe(`${base}/memento/20261121043800/${uri}`);
});

test.each([
  ['https://repo.example.org/a', true],
  ['HTTP://repo.example.org/a', true],
  ['urn:nbn:de:1', true],
  ['repo/items/a', false],
  ['repo/items/https:a', false],
  ['1:a', false],
])('whether %s belongs to another server: %s', (href, elsewhere) => {
  expect(isAbsolute(href)).toBe(elsewhere);
  expect(toUri(base, href)).toBe(elsewhere ? href : `${base}/${href}`);
});
