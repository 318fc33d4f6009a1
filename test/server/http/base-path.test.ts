import fc from 'fast-check';
import type { FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import { createRewrite, servedPath } from '../../../src/server/http/base-path.ts';

const rewrite = createRewrite('https://h.example.org/rs');
const served = (url: string) => servedPath({ url } as FastifyRequest);

describe('the path of baseUrl', () => {
  it.each([
    ['/rs/kyushu/resourcelist.xml', '/kyushu/resourcelist.xml'],
    ['/kyushu/resourcelist.xml', '/kyushu/resourcelist.xml'],
    ['/rs', '/'],
    ['/rs/', '/'],
    ['/rs?format=json', '/?format=json'],
    ['/rsx/about', '/rsx/about'],
    ['/%72s/about', '/about'],
    ['/rs/rs/about', '/rs/about'],
    ['http://other.example.org/rs/about?x', '/about?x'],
    ['http://other.example.org', '/'],
    ['*', '/*'],
    ['/a?b=/rs/%41', '/a?b=/rs/%41'],
  ])('%s is %s', (url, expected) => {
    expect(rewrite({ url })).toBe(expected);
  });

  it('may be empty', () => {
    expect(createRewrite('https://h.example.org')({ url: '/about' })).toBe('/about');
  });
});

describe('percent-encoding is taken off once (RFC 3986 §6.2.2.2)', () => {
  it.each([
    ['/kyushu/items/oai%3Arepo%3A1%7e2F1/oai%5Fdc.xml', '/kyushu/items/oai:repo:1~2F1/oai_dc.xml'],
    ['/a%2Fb', '/a%2Fb'],
    ['/a%253Ab', '/a%253Ab'],
    ['/a%zzb', '/a%zzb'],
  ])('%s is %s', (url, expected) => {
    expect(rewrite({ url })).toBe(expected);
  });
});

describe('the path of a document or resource', () => {
  it.each(['/a/b.xml', '/.well-known/resourcesync', '/k/items/oai:r:1~2F1/dc.xml', '/a/...', '/a/..b'])(
    '%s is one',
    (url) => {
      expect(served(url)).toBe(url.slice(1));
    },
  );

  it.each([
    '/',
    '//',
    '/a//b',
    '/a/',
    '/../a',
    '/a/..',
    '/a/./b',
    '/a%2Fb',
    '/a%00',
    '/a b',
    '/a;b',
    '/a\\b',
    '/é',
  ])('%s is none', (url) => {
    expect(served(url)).toBeUndefined();
  });

  it('never leaves its directory, whatever the request target', () => {
    const targets = fc.array(
      fc.constantFrom('/', '.', '..', '%2e', '%2E', '%2f', '%5c', 'a', '%00', '\\', 'rs'),
    );
    fc.assert(
      fc.property(targets, (parts) => {
        const path = served(rewrite({ url: `/${parts.join('')}` }));
        expect(path?.split('/').some((segment) => segment === '' || /^\.{1,2}$/.test(segment)) ?? false).toBe(
          false,
        );
      }),
    );
  });
});
