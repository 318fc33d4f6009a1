import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatLinks } from '../../../src/server/http/link-header.ts';

describe('a Link header (RFC 8288)', () => {
  it('has one value for each link, in order', () => {
    const links = [
      { rel: 'resourcesync', href: 'https://h/cap.xml' },
      { rel: 'describes', href: 'https://h/a.pdf', type: 'application/pdf' },
    ];
    expect(formatLinks(links)).toBe(
      '<https://h/cap.xml>; rel="resourcesync", <https://h/a.pdf>; rel="describes"; type="application/pdf"',
    );
  });

  it('is absent without links', () => {
    expect(formatLinks([])).toBeUndefined();
  });

  it.each([
    ['https://h/a>; rel="x', 'https://h/a%3E;%20rel=%22x'],
    ['https://h/a\r\nSet-Cookie: a=b', 'https://h/a%0D%0ASet-Cookie:%20a=b'],
    ['https://h/図書?é', 'https://h/%E5%9B%B3%E6%9B%B8?%C3%A9'],
    ['https://h/100%', 'https://h/100%25'],
    ['https://h/%41', 'https://h/%41'],
    ['https://h/\ud800', 'https://h/%EF%BF%BD'],
    ['https://h/\0', 'https://h/%00'],
  ])('encodes what a target may not contain: %j', (href, target) => {
    expect(formatLinks([{ rel: 'describes', href }])).toBe(`<${target}>; rel="describes"`);
  });

  it('leaves out a relation or a type that would end its parameter', () => {
    const href = 'https://h/';
    expect(formatLinks([{ rel: 'x"; rel="y', href }])).toBeUndefined();
    expect(formatLinks([{ rel: 'related', href, type: 'a/b"; rel=x' }])).toBe('<https://h/>; rel="related"');
    expect(formatLinks([{ rel: 'http://www.openarchives.org/rs/terms/x', href }])).toBeDefined();
  });

  it('keeps to its budget and what comes first', () => {
    const collections = Array.from({ length: 500 }, (_, index) => ({
      rel: 'collection',
      href: `https://h/collections/${index}`,
    }));
    const header = formatLinks([{ rel: 'resourcesync', href: 'https://h/cap.xml' }, ...collections]) ?? '';
    expect(header.length).toBeLessThanOrEqual(8000);
    expect(header.length).toBeGreaterThan(7900);
    expect(header.startsWith('<https://h/cap.xml>')).toBe(true);
  });

  it('is printable ASCII with as many targets as links, whatever the upstream wrote', () => {
    const text = fc.string({ unit: 'binary', maxLength: 40 });
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 20 }), (hrefs) => {
        const header = formatLinks(hrefs.map((href) => ({ rel: 'describes', href }))) ?? '';
        expect(header).toMatch(/^[\x20-\x7e]*$/);
        expect(header.match(/<[^<>]*>; rel="describes"/g)?.length).toBe(hrefs.length);
      }),
    );
  });
});
