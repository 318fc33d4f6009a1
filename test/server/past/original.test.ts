import fc from 'fast-check';
import type { FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import { createRewrite, verbatimRest } from '../../../src/server/http/base-path.ts';
import { createOriginalReader, createOwnReader } from '../../../src/server/past/original.ts';

const read = createOriginalReader('https://repo.example.ac.jp/rs');
const readOwn = createOwnReader('https://repo.example.ac.jp/rs');
const path = 'kyushu/items/oai:repo:1~2F1/oai_dc.xml';

describe('a URI-R of ours', () => {
  it.each([
    `https://repo.example.ac.jp/rs/${path}`,
    `http://repo.example.ac.jp/rs/${path}`,
    `https://repo.example.ac.jp:443/rs/${path}`,
    `http://repo.example.ac.jp:80/rs/${path}`,
    `https://repo.example.ac.jp:/rs/${path}`,
    `HTTPS://REPO.Example.AC.jp/rs/${path}`,
    `https:/repo.example.ac.jp/rs/${path}`,
    `https://repo.example.ac.jp/%72s/${path}`,
    `https://repo.example.ac.jp/rs/${path.replaceAll('~', '%7E').replaceAll(':', '%3a')}`,
    encodeURIComponent(`https://repo.example.ac.jp/rs/${path}`),
    encodeURIComponent(`https://repo.example.ac.jp/rs/${path}`).replace('%3A', ':'),
    encodeURIComponent(`https://repo.example.ac.jp/rs/${path.replaceAll('~', '%7E')}`),
  ])('is %s', (uri) => {
    expect(read(uri)[0]).toBe(path);
    expect(readOwn(uri)).toBe(path);
  });

  it.each([
    `https://repo.example.ac.jp/RS/${path}`,
    `https://repo.example.ac.jp/rs/${path.replace('kyushu', 'Kyushu')}`,
    `https://repo.example.ac.jp/${path}`,
    `https://repo.example.ac.jp:8443/rs/${path}`,
    `https://repo.example.ac.jp.evil.example.org/rs/${path}`,
    `https://repo.example.ac.jp@evil.example.org/rs/${path}`,
    `https://user@repo.example.ac.jp/rs/${path}`,
    `https://repo.example.ac.jp/rs/${path}?a=b`,
    `https://repo.example.ac.jp/rs//${path}`,
    `https://repo.example.ac.jp/rs/x/../${path}`,
    `https://repo.example.ac.jp/rs/${path.replace('~', '%257E')}`,
    `https://repo.example.ac.jp/rs/${path}%00`,
    `https://repo.example.ac.jp/rs/${path.replaceAll('/', '%2F')}`,
    `ftp://repo.example.ac.jp/rs/${path}`,
    `//repo.example.ac.jp/rs/${path}`,
    `repo.example.ac.jp/rs/${path}`,
    '',
    'https:',
    'https%3A%2F%2F%ff',
  ])('is not %s', (uri) => {
    expect(read(uri)).not.toContain(path);
    expect(readOwn(uri)).not.toBe(path);
  });

  it('may have a port, and no path before it', () => {
    const onPort = createOriginalReader('http://localhost:8080');
    expect(onPort(`http://localhost:8080/${path}`)[0]).toBe(path);
    expect(onPort(`https://LOCALHOST:8080/${path}`)[0]).toBe(path);
    expect(onPort(`http://localhost/${path}`)).not.toContain(path);
    expect(createOriginalReader('http://[::1]:8080/a')(`http://[::1]:8080/a/${path}`)[0]).toBe(path);
  });
});

describe('a URI-R of somebody else', () => {
  it.each([
    ['https://a.example.org/x?y=1', ['https://a.example.org/x?y=1']],
    ['HTTP://A.example.org:80', ['http://a.example.org/']],
    ['http://a.example.org/%7ex', ['http://a.example.org/%7ex', 'http://a.example.org/~x']],
    ['http://a.example.org/"<>', ['http://a.example.org/%22%3C%3E']],
  ])('%s may be stored as %j', (uri, paths) => {
    expect(read(uri)).toEqual(paths);
  });
});

describe('a URI within a request target', () => {
  const rewrite = createRewrite('https://repo.example.ac.jp/rs');
  /** As the router has it. */
  const rest = (target: string) => {
    const url = rewrite({ url: target });
    const [served = ''] = url.split('?', 1);
    const params = { '*': decodeURIComponent(served.slice(served.indexOf('/', 1) + 1)) };
    return verbatimRest({ url, params } as FastifyRequest<{ Params: { '*': string } }>);
  };
  const uri = 'https://a.example.org//x%2Fy%3Az%E9?q=%41/b?c';

  it.each([
    `/rs/timegate/${uri}`,
    `/timegate/${uri}`,
    `/%72s/time%67ate/${uri}`,
    `https://repo.example.ac.jp/rs/timegate/${uri}`,
  ])('comes as it was written: %s', (target) => {
    expect(rest(target)).toBe(uri);
  });

  it('is passed on whatever it is', () => {
    const text = fc.string({ unit: fc.constantFrom(...'abc/:%2F41?&=~.é"<> ') });
    fc.assert(
      fc.property(text, (written) => {
        expect(rest(`/timegate/${written}`)).toBe(written);
        expect(rest(`/rs/memento/${written}`)).toBe(written);
      }),
    );
  });
});
