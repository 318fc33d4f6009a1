import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mementoUri, timeGateUri, timeMapUri } from '../../../src/core/uris.ts';
import { formatLinks } from '../../../src/server/http/link-header.ts';
import { mementoLinks } from '../../../src/server/past/memento-links.ts';

const base = 'https://repo.example.org/rs';
const [first, middle, last] = ['2026-11-01T00:00:00Z', '2026-11-02T00:00:00Z', '2026-11-03T00:00:00Z'];
const times = { from: first, until: last };

describe('the links of a TimeGate and of a memento', () => {
  it('are what each link by itself is, whatever the address and as far as there is room', () => {
    const text = fc.string({ unit: 'binary', maxLength: 2500 });
    fc.assert(
      fc.property(text, (uri) => {
        const expected = formatLinks([
          { rel: 'original', href: uri },
          { rel: 'timegate', href: timeGateUri(base, uri) },
          { rel: 'timemap', href: timeMapUri(base, uri), type: 'application/link-format', ...times },
          { rel: 'first prev memento', href: mementoUri(base, uri, first), datetime: first },
          { rel: 'memento', href: mementoUri(base, uri, middle), datetime: middle },
          { rel: 'last next memento', href: mementoUri(base, uri, last), datetime: last },
        ]);
        const selection = { prev: first, selected: middle, next: last };
        expect(mementoLinks(base, { uri, span: { count: 3, first, last } }, selection)).toBe(expected ?? '');
      }),
    );
  });

  it('name a memento once, with all that it is', () => {
    const links = mementoLinks(
      base,
      { uri: 'https://h/a', span: { count: 1, first, last: first } },
      { selected: first },
    );
    expect(links.match(/rel="[^"]*memento"/g)).toEqual(['rel="first last memento"']);
    expect(links).toContain('; from="Sun, 01 Nov 2026 00:00:00 GMT"; until="Sun, 01 Nov 2026 00:00:00 GMT"');
  });

  it('name none, and no times, of what is withheld', () => {
    const past = { uri: 'https://h/a', span: { count: 1, first, last: first }, withheld: 'it was deleted' };
    expect(mementoLinks(base, past, { selected: first })).toBe(
      `<https://h/a>; rel="original", <${base}/timegate/https://h/a>; rel="timegate", <${base}/timemap/link/https://h/a>; rel="timemap"; type="application/link-format"`,
    );
  });
});
