import { expect, it } from 'vitest';
import { isCompressible } from '../../../src/publish/dump/media-compression.ts';

it.each([
  'text/plain',
  'text/csv',
  'application/xml',
  'application/rdf+xml',
  'application/json',
  'application/ld+json',
  'image/svg+xml',
  'image/tiff',
  'image/bmp',
  'application/rtf',
  'application/postscript',
  'application/x-tar',
  'Text/HTML',
])('%s is deflated', (type) => {
  expect(isCompressible(type)).toBe(true);
});

it.each([
  'application/pdf',
  'application/zip',
  'application/gzip',
  'application/epub+zip',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.oasis.opendocument.text',
  'image/jpeg',
  'image/png',
  'image/webp',
  'audio/mpeg',
  'video/mp4',
  'application/octet-stream',
  'text',
  '',
  undefined,
])('%s is stored as it is', (type) => {
  expect(isCompressible(type)).toBe(false);
});
