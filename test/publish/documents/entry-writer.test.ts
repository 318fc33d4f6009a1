import fc from 'fast-check';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { describe, expect, it } from 'vitest';
import { create } from 'xmlbuilder2';
import type { Link } from '../../../src/core/resource.ts';
import { forgetSecrets, keepSecret } from '../../../src/core/secrets.ts';
import { rsNamespace, sitemapNamespace } from '../../../src/core/sitemap.ts';
import { toUri } from '../../../src/core/uris.ts';
import {
  type EntryLinks,
  type ListEntry,
  listTail,
  renderEntry,
  renderListHead,
} from '../../../src/publish/documents/entry-writer.ts';
import { renderSmallDocument } from '../../../src/publish/documents/small-document.ts';
import { cleanText, toAsciiUri } from '../../../src/publish/documents/xml-text.ts';
import { toForm } from '../../../src/store/rows/link-form.ts';
import type { SharedLinks } from '../../../src/store/rows/link-forms.ts';
import { parseLinks } from '../../../src/store/rows/representation-columns.ts';
import { baseUrl } from '../../house/publish/seed.ts';
import { runs } from '../../house/runs.ts';

const anything = fc.string({
  unit: fc.oneof(
    fc.string({ unit: 'binary', maxLength: 1 }),
    fc.constantFrom(...'&<>"\'\t\n\r\u0000\ud800\ufffe %'),
  ),
});
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

function defined<T extends object>(record: T): T {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as T;
}

const link = fc
  .record({
    rel: anything,
    href: anything.map((text) => `x/${text}`),
    type: optional(anything),
    modified: optional(anything),
    hash: optional(anything),
    length: optional(fc.nat()),
    path: optional(anything),
    pri: optional(fc.integer({ min: 1, max: 999_999 })),
  })
  .map((value) => defined(value) as Link);
const second = fc
  .integer({ min: 0, max: 2_000_000_000 })
  .map((seconds) => new Date(seconds * 1000).toISOString().replace('.000', ''));
const entry = fc
  .record({
    kind: fc.constantFrom('metadata' as const, 'file' as const),
    path: fc.oneof(
      anything.map((text) => `kyushu/${text}`),
      anything.map((text) => `https://files.example.org/${text}`),
    ),
    lastmod: optional(fc.oneof(second, anything)),
    hash: optional(fc.oneof(anything, fc.constant(`sha-256:${'0f'.repeat(32)}`))),
    length: optional(fc.nat()),
    mediaType: optional(anything),
    change: optional(fc.constantFrom('created' as const, 'updated' as const, 'deleted' as const)),
    datetime: optional(anything),
    packagePath: optional(anything),
    links: fc.array(link, { maxLength: 4 }),
  })
  .map((value) => defined(value) as ListEntry);
const mirrors = fc.array(
  fc.record({ url: fc.constantFrom('https://mirror.example.net/é', 'gsiftp://grid.example.org') }),
  { maxLength: 2 },
);
const entryLinks: fc.Arbitrary<EntryLinks> = fc.record({
  mirrors,
  mementos: fc.constantFrom('metadata', 'all', 'none'),
});
const bare: EntryLinks = { mirrors: [], mementos: 'none' };

/** The same entry by a library that builds a DOM. */
function byLibrary(value: ListEntry, set: EntryLinks): string {
  const root = create().ele(sitemapNamespace, 'urlset');
  root.att('http://www.w3.org/2000/xmlns/', 'xmlns:rs', rsNamespace);
  const url = root.ele(sitemapNamespace, 'url');
  url.ele(sitemapNamespace, 'loc').txt(toAsciiUri(toUri(baseUrl, value.path)));
  if (value.lastmod !== undefined) {
    const lastmod = url.ele(sitemapNamespace, 'lastmod');
    lastmod.txt(cleanText(value.lastmod));
  }
  const deleted = value.change === 'deleted';
  const md = {
    change: value.change,
    datetime: value.datetime,
    hash: deleted ? undefined : value.hash,
    length: deleted ? undefined : value.length,
    type: deleted ? undefined : value.mediaType,
    path: value.packagePath,
  };
  if (Object.values(md).some((part) => part !== undefined)) url.ele(rsNamespace, 'rs:md', attributes(md));
  for (const one of [...value.links, ...copiesOf(value, set), ...mementosOf(value, set)]) {
    const { rel, href, hash, length, modified, path, pri, type } = one;
    const target = toAsciiUri(toUri(baseUrl, href));
    url.ele(rsNamespace, 'rs:ln', attributes({ rel, href: target, hash, length, modified, path, pri, type }));
  }
  return `${url.toString()}\n`;
}

function copiesOf({ path, change }: ListEntry, set: EntryLinks): readonly Link[] {
  if (change === 'deleted' || path.startsWith('https:')) return [];
  return set.mirrors.map(({ url }) => ({ rel: 'duplicate', href: `${url}/${path}` }));
}

function mementosOf(value: ListEntry, { mementos }: EntryLinks): readonly Link[] {
  const { kind, path, change, lastmod, hash, length, mediaType: type } = value;
  const deleted = change === 'deleted';
  const isKept = /^sha-256:/.test(hash ?? '') && !path.startsWith('https:') && !deleted;
  if (mementos === 'none' || (kind === 'file' && !(mementos === 'all' && isKept))) return [];
  const loc = toUri(baseUrl, path);
  const state = defined({ hash, length, modified: lastmod, type });
  const digits = lastmod?.replace(/[^0-9]/g, '');
  const memento = { rel: 'memento', href: `${baseUrl}/memento/${digits}/${loc}`, ...state } as Link;
  return [
    ...(deleted || lastmod === undefined ? [] : [memento]),
    { rel: 'timegate', href: `${baseUrl}/timegate/${loc}` },
    { rel: 'timemap', href: `${baseUrl}/timemap/link/${loc}`, type: 'application/link-format' },
  ];
}

function attributes(values: Record<string, string | number | undefined>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) kept[name] = cleanText(String(value));
  }
  return kept;
}

/** The library leaves `"` alone in text and states the namespaces of a fragment at its root. */
function normalised(text: string): string {
  return text
    .replace(/ xmlns(:rs)?="[^"]*"/g, '')
    .replace(/<lastmod\/>/, '<lastmod></lastmod>')
    .replace(/<lastmod>([^<]*)<\/lastmod>/, (whole) => whole.replaceAll('&quot;', '"'));
}

it('entries are the same bytes as xmlbuilder2 writes, whatever is in them', () => {
  fc.assert(
    fc.property(entry, entryLinks, (value, set) => {
      expect(normalised(renderEntry(baseUrl, value, set))).toBe(normalised(byLibrary(value, set)));
    }),
    { numRuns: runs(300) },
  );
});

it('links are the same bytes from their JSON, as it is stored', () => {
  const plain = fc.record({
    rel: fc.constantFrom('via', 'collection', 'profile', ''),
    href: fc.constantFrom(
      'x/y',
      'x/{"rel":"',
      'https://a.example/?b=1&c=é',
      'kyushu/own',
      'x/?token=a',
      'x/}]',
    ),
  });
  const typed = fc
    .tuple(plain, fc.constantFrom('text/xml', '', 'a&b'))
    .map(([one, type]) => ({ ...one, type }));
  const shuffled = typed.map(({ rel, href, type }) => ({ type, href, rel }));
  fc.assert(
    fc.property(
      fc.array(fc.oneof(plain, typed, shuffled, link), { maxLength: 5 }),
      entryLinks,
      (links, set) => {
        const stored = JSON.stringify(links);
        const value = { kind: 'metadata', path: 'kyushu/own' } as const;
        const read = renderEntry(baseUrl, { ...value, links: parseLinks(stored) }, set);
        expect(renderEntry(baseUrl, { ...value, links: stored }, set)).toBe(read);
      },
    ),
    { numRuns: runs(300) },
  );
});

describe('the links of a form', () => {
  const item = 'kyushu/items/oai:repo.example.org:1~2F2';
  const encoded = encodeURIComponent('oai:repo.example.org:1/2');
  const paths = [
    `${item}/oai_dc.xml`,
    'kyushu/items/1/files/1-a.pdf',
    'kyushu/items/~2E~2E/x.xml',
    'kyushu/items/~C3~A9/x.xml',
    'kyushu/items/é/x.xml',
    'kyushu/items/a~2Db/x.xml',
    'https://elsewhere.example.org/a.pdf',
  ];
  const sameBytes = (links: readonly Link[], path: string) => {
    const json = JSON.stringify(links);
    const form = toForm(json, path);
    const rendered = (stored: SharedLinks) =>
      renderEntry(baseUrl, { kind: 'metadata', path, links: stored }, bare);
    expect(rendered(json)).toBe(
      renderEntry(baseUrl, { kind: 'metadata', path, links: parseLinks(json) }, bare),
    );
    if (form) expect(rendered(form)).toBe(rendered(json));
    return form !== undefined;
  };

  it('are the same bytes, whatever is in them', () => {
    const href = fc.oneof(
      anything,
      anything.map((text) => `https://a.example/${text}`),
      fc
        .tuple(anything, fc.constantFrom(encoded, '1/2', '1'))
        .map(([text, end]) => `https://a/${text}=${end}`),
      fc.tuple(fc.constantFrom(...paths, item), anything).map(([path, text]) => `${path}${text}`),
      fc.constantFrom(...paths, item, `${baseUrl}/${item}/oai_dc.xml`, `${baseUrl}/=1`, '?token=1/2', '\n'),
    );
    const one = fc
      .record({
        rel: fc.oneof(fc.constantFrom('via', 'describes', 'collection', 'profile', 'canonical'), anything),
        href,
        type: optional(fc.oneof(fc.constantFrom('text/xml', 'a&b'), anything)),
        pri: optional(fc.integer({ min: 1, max: 9 })),
      })
      .map((value) => defined(value) as Link);
    fc.assert(
      fc.property(fc.array(one, { maxLength: 5 }), fc.constantFrom(...paths), (links, path) => {
        sameBytes(links, path);
      }),
      { numRuns: runs(1000) },
    );
  });

  it('are those of the resource itself, and lead nobody back to it, nor to what is secret', () => {
    const path = `${item}/oai_dc.xml`;
    const profile = { rel: 'profile', href: 'http://www.openarchives.org/OAI/2.0/oai_dc/' };
    const via = (query: string) => ({ rel: 'via', href: `https://repo.example.org/oai?${query}=${encoded}` });
    for (const links of [
      [
        profile,
        via('verb=GetRecord&identifier'),
        { rel: 'describes', href: `${item}/files/1-a.pdf`, type: 'a/b' },
      ],
      [profile, via('token'), { rel: 'canonical', href: item }],
      [profile, { rel: 'alternate', href: path }, { rel: 'describes', href: `${item}/files/é&b` }],
      [
        profile,
        { rel: 'alternate', href: `${baseUrl}/${path}` },
        { rel: 'alternate', href: `${baseUrl}/=1/2` },
      ],
      [profile, { rel: 'via', href: 'https://user:word@repo.example.org/long/enough/1/2' }],
      [profile, { rel: 'via', href: 'https://user:word@repo.example.org/of/another/record' }],
    ])
      expect(sameBytes(links, path)).toBe(true);
    const known = [profile, via('x')];
    expect(sameBytes(known, path)).toBe(true);
    keepSecret(`x=${encoded}`);
    try {
      expect(sameBytes(known, path)).toBe(true);
      const form = toForm(JSON.stringify(known), path) ?? '[]';
      expect(renderEntry(baseUrl, { kind: 'metadata', path, links: form }, bare)).not.toContain('via');
    } finally {
      forgetSecrets();
    }
  });
});

it('RS-GEN-19: whatever is in them, a list is well-formed, and what XML cannot carry never gets out', () => {
  const head = renderListHead({
    baseUrl,
    capability: 'changelist',
    up: `${baseUrl}/é`,
    from: '2026-01-01T00:00:00Z',
  });
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 3 }), entryLinks, (values, set) => {
      const text = head + values.map((value) => renderEntry(baseUrl, value, set)).join('') + listTail;
      expect(XMLValidator.validate(text)).toBe(true);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for.
      expect(text).not.toMatch(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/);
      expect(Buffer.from(text, 'utf8').toString('utf8')).toBe(text);
      const parsed = new XMLParser({ ignoreAttributes: false, isArray: (name) => name === 'url' }).parse(
        text,
      );
      expect(parsed.urlset.url ?? []).toHaveLength(values.length);
    }),
    { numRuns: runs(100) },
  );
});

it('RS-GEN-08: hrefs and locs come out as ASCII URIs', () => {
  fc.assert(
    fc.property(anything, (path) => {
      const links = [{ rel: 'via', href: `v${path}` }];
      const text = renderEntry(baseUrl, { kind: 'file', path, links }, bare);
      expect(text).toMatch(
        /^<url><loc>[!#-;=?-[\]_a-z~]*<\/loc><rs:ln rel="via" href="[!#-;=?-[\]_a-z~]*"\/><\/url>\n$/,
      );
    }),
  );
  expect(toAsciiUri('https://e.org/é%20 "<x>')).toBe('https://e.org/%C3%A9%20%20%22%3Cx%3E');
});

it('RS-GEN-20, RS-CL-15: the order is loc, lastmod, rs:md, rs:ln; a deletion states no representation', () => {
  const full: ListEntry = {
    kind: 'metadata',
    path: 'k/a',
    lastmod: '2026-01-01T00:00:00Z',
    change: 'updated',
    datetime: '2026-01-02T00:00:00Z',
    hash: 'sha-256:00',
    length: 7,
    mediaType: 'text/xml',
    links: [{ rel: 'collection', href: 'k/c' }],
  };
  expect(renderEntry(baseUrl, full, bare)).toBe(
    `<url><loc>${baseUrl}/k/a</loc><lastmod>2026-01-01T00:00:00Z</lastmod>` +
      '<rs:md change="updated" datetime="2026-01-02T00:00:00Z" hash="sha-256:00" length="7" type="text/xml"/>' +
      `<rs:ln rel="collection" href="${baseUrl}/k/c"/></url>\n`,
  );
  expect(renderEntry(baseUrl, { ...full, change: 'deleted' }, bare)).toContain(
    '<rs:md change="deleted" datetime="2026-01-02T00:00:00Z"/>',
  );
});

it('RS-LN-03…05: every copy is a duplicate, ranked, and says nothing that the resource says of itself', () => {
  const representation = { hash: 'sha-256:00', length: 7, mediaType: 'text/xml' };
  const value: ListEntry = { kind: 'file', path: 'k/a', ...representation, links: [] };
  const copied: EntryLinks = {
    mirrors: [{ url: 'https://mirror.example.net/rs/', pri: 1 }, { url: 'gsiftp://grid.example.org/copy' }],
    mementos: 'none',
  };
  expect(renderEntry(baseUrl, value, copied)).toBe(
    `<url><loc>${baseUrl}/k/a</loc><rs:md hash="sha-256:00" length="7" type="text/xml"/>` +
      '<rs:ln rel="duplicate" href="https://mirror.example.net/rs/k/a" pri="1"/>' +
      '<rs:ln rel="duplicate" href="gsiftp://grid.example.org/copy/k/a"/></url>\n',
  );
  expect(renderEntry(baseUrl, { ...value, change: 'deleted' }, copied)).not.toContain('duplicate');
});

it('RS-LN-02: no link leads back to its own resource', () => {
  const links = [{ rel: 'canonical', href: 'k/a' }];
  const set: EntryLinks = { mirrors: [{ url: baseUrl }], mementos: 'none' };
  expect(renderEntry(baseUrl, { kind: 'metadata', path: 'k/a', links }, set)).toBe(
    `<url><loc>${baseUrl}/k/a</loc></url>\n`,
  );
});

describe('RS-LN-18…24: the past of a resource', () => {
  const loc = `${baseUrl}/k/a`;
  const memento =
    `<rs:ln rel="memento" href="${baseUrl}/memento/20260101000203/${loc}" hash="sha-256:00" length="7" ` +
    'modified="2026-01-01T00:02:03Z" type="text/xml"/>';
  const negotiation =
    `<rs:ln rel="timegate" href="${baseUrl}/timegate/${loc}"/>` +
    `<rs:ln rel="timemap" href="${baseUrl}/timemap/link/${loc}" type="application/link-format"/>`;
  const value: ListEntry = {
    kind: 'metadata',
    path: 'k/a',
    lastmod: '2026-01-01T00:02:03Z',
    hash: 'sha-256:00',
    length: 7,
    mediaType: 'text/xml',
    links: [{ rel: 'profile', href: 'https://p.example.org/' }],
  };
  const linksOf = (entryValue: ListEntry, mementos: EntryLinks['mementos']) =>
    renderEntry(baseUrl, entryValue, { mirrors: [], mementos })
      .replace(/^.*?(?=<rs:ln|<\/url)/, '')
      .trimEnd();
  const profile = '<rs:ln rel="profile" href="https://p.example.org/"/>';

  it('RS-LN-19…24: metadata leads to the state as of lastmod, to its TimeGate and to its TimeMap, behind its other links', () => {
    for (const mementos of ['metadata', 'all'] as const) {
      expect(linksOf(value, mementos)).toBe(`${profile}${memento}${negotiation}</url>`);
    }
    expect(linksOf(value, 'none')).toBe(`${profile}</url>`);
  });

  it('RS-LN-19: a change leads to the state that it made, not to when it was noticed', () => {
    const change = { change: 'updated', datetime: '2026-01-05T00:00:00Z' } as const;
    expect(linksOf({ ...value, ...change }, 'metadata')).toContain(memento);
  });

  it('RS-LN-19: a deletion has no state to lead to, but a past', () => {
    const gone: ListEntry = { ...value, change: 'deleted', datetime: '2026-01-05T00:00:00Z', links: [] };
    expect(linksOf(gone, 'metadata')).toBe(`${negotiation}</url>`);
  });

  it('files have a past where their bytes are kept', () => {
    const file: ListEntry = { ...value, kind: 'file' };
    expect(linksOf(file, 'metadata')).toBe(`${profile}</url>`);
    expect(linksOf(file, 'all')).toBe(`${profile}${memento}${negotiation}</url>`);
    const md5 = { ...file, hash: 'md5:00' };
    const elsewhere = { ...file, path: 'https://files.example.org/a' };
    const gone: ListEntry = { ...file, change: 'deleted' };
    expect(linksOf(md5, 'all')).toBe(`${profile}</url>`);
    expect(linksOf(elsewhere, 'all')).toBe(`${profile}</url>`);
    expect(linksOf(gone, 'all')).toBe(`${profile}</url>`);
  });
});

it('every document names its stylesheet between the XML declaration and the root', () => {
  const head = renderListHead({
    baseUrl: "https://e.org/a&b'é",
    capability: 'changelist',
    up: 'https://e.org/c',
  });
  const start =
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    `<?xml-stylesheet type="text/css" href="https://e.org/a&amp;b'%C3%A9/static/resourcesync.css"?>\n`;
  expect(head.startsWith(`${start}<urlset `)).toBe(true);
  const small = renderSmallDocument({
    baseUrl: "https://e.org/a&b'é",
    root: 'sitemapindex',
    links: [],
    md: { capability: 'changelist' },
    entries: [],
  });
  expect(small.startsWith(start)).toBe(true);
  expect(XMLValidator.validate(head + listTail)).toBe(true);
});
