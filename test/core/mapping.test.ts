import { describe, expect, test } from 'vitest';
import type { SourceItem } from '../../src/core/adapter.ts';
import { describing, mapItem, placeFiles, toFileResource } from '../../src/core/mapping.ts';
import type { PublishedFile } from '../../src/core/published-files.ts';

const item: SourceItem = {
  identifier: 'oai:repo.example.org:1/2',
  datestamp: '2026-01-01T00:00:00Z',
  collections: ['faculty:letters'],
  speaksFor: { formats: ['oai_dc'], files: { name: 'own', rank: 0 } },
  deleted: false,
  metadata: [{ format: 'oai_dc', content: Buffer.from('<dc/>'), profile: 'http://example.org/dc' }],
  files: [],
  landingPage: 'https://repo.example.org/1',
};

const pdf: PublishedFile = {
  url: 'https://repo.example.org/f/a b.pdf',
  name: 'a b.pdf',
  sequence: 1,
  mediaType: 'application/pdf',
  length: 10,
  hash: undefined,
  lastModified: undefined,
};

const owner = {
  source: 'kyushu',
  identifier: item.identifier,
  collections: item.collections,
  formats: ['jpcoar', 'oai_dc'],
};

describe('files', () => {
  const place = 'kyushu/items/oai:repo.example.org:1~2F2/files';

  test('RS-LN-16: a file is described by every format, and each format describes the files', () => {
    const [path = ''] = placeFiles(owner, [pdf], new Map());
    expect(path).toBe(`${place}/1-a~20b.pdf`);
    const file = toFileResource(owner, { ...pdf, url: 'https://repo.example.org/f/1' }, path);
    expect(file).toMatchObject({ path, kind: 'file', format: 'file', length: 10 });
    expect(file.links).toEqual([
      {
        rel: 'describedby',
        href: 'kyushu/items/oai:repo.example.org:1~2F2/jpcoar.xml',
        type: 'application/xml',
      },
      {
        rel: 'describedby',
        href: 'kyushu/items/oai:repo.example.org:1~2F2/oai_dc.xml',
        type: 'application/xml',
      },
      { rel: 'via', href: 'https://repo.example.org/f/1' },
      { rel: 'collection', href: 'kyushu/collections/faculty:letters' },
    ]);
    const [metadata] = mapItem('kyushu', item).resources;
    const links = describing(metadata?.links ?? [], [path], item.landingPage);
    expect(links.filter(({ rel }) => rel === 'describes')).toEqual([{ rel: 'describes', href: path }]);
    // Without files again, it is what it was.
    expect(describing(links, [], item.landingPage)).toEqual(metadata?.links);
  });

  test('in mode link the address is the upstream one, and is not named twice', () => {
    const file = toFileResource(owner, { ...pdf, url: 'https://x.example/1' }, 'https://x.example/1');
    expect(file.path).toBe('https://x.example/1');
    expect(file.links.some(({ rel }) => rel === 'via')).toBe(false);
  });

  test('a file keeps its address, and no other gets one that was taken', () => {
    const url = (name: string) => `https://x.example/${name}`;
    const files = [
      { ...pdf, url: url('new'), name: 'new.pdf', sequence: 1 },
      { ...pdf, url: url('old'), name: 'renamed.pdf', sequence: 2 },
      { ...pdf, url: url('other'), name: 'other.pdf', sequence: 3 },
    ];
    const before = new Map([
      [url('old'), `${place}/1-old.pdf`],
      [url('gone'), `${place}/7-gone.pdf`],
    ]);
    expect(placeFiles(owner, files, before)).toEqual([
      `${place}/8-new.pdf`,
      `${place}/1-old.pdf`,
      `${place}/3-other.pdf`,
    ]);
  });

  test.each(['../../etc/passwd', '..', 'a\u0000\u001b[2J.pdf', '%2e%2e%2f', 'a b/c', '', 'x'.repeat(5000)])(
    'a hostile name %j stays one plain segment',
    (name) => {
      const [path = ''] = placeFiles(owner, [{ ...pdf, name }], new Map());
      expect(path.startsWith(`${place}/`)).toBe(true);
      expect(path.slice(place.length + 1)).toMatch(/^1-[A-Za-z0-9._:~-]*$/);
      expect(path.slice(place.length + 1).length).toBeLessThanOrEqual(200);
    },
  );
});

describe('mapItem', () => {
  test('RS-LN-16, RS-LN-17, RS-LN-25: metadata describes the landing page, has a profile and collections', () => {
    const [metadata] = mapItem('kyushu', item).resources;
    expect(metadata).toMatchObject({
      path: 'kyushu/items/oai:repo.example.org:1~2F2/oai_dc.xml',
      kind: 'metadata',
      mediaType: 'application/xml',
      length: 5,
      links: [
        { rel: 'describes', href: 'https://repo.example.org/1' },
        { rel: 'profile', href: 'http://example.org/dc' },
        { rel: 'canonical', href: 'kyushu/items/oai:repo.example.org:1~2F2' },
        { rel: 'collection', href: 'kyushu/collections/faculty:letters' },
      ],
    });
    expect(metadata?.hash).toMatch(/^sha-256:[0-9a-f]{64}$/);
  });

  test('RS-LN-09, RS-LN-26: metadata is one form of the item, made from what the upstream serves', () => {
    const upstreamUrl = 'https://repo.example.org/oai?verb=GetRecord&identifier=1';
    const [record] = item.metadata;
    if (!record) throw new Error('the item has metadata');
    const [metadata] = mapItem('kyushu', { ...item, metadata: [{ ...record, upstreamUrl }] }).resources;
    expect(metadata?.links.map(({ rel, href }) => [rel, href])).toEqual([
      ['describes', 'https://repo.example.org/1'],
      ['profile', 'http://example.org/dc'],
      ['canonical', 'kyushu/items/oai:repo.example.org:1~2F2'],
      ['via', upstreamUrl],
      ['collection', 'kyushu/collections/faculty:letters'],
    ]);
  });

  test.each([
    'https://user:secret@repo.example.org/1',
    'https://user@repo.example.org/1',
    'ftp://repo.example.org/1',
    'javascript:alert(1)',
    '/1',
    'https://repo.example.org\\@evil.example.org/',
    '',
  ])('RS-LN-26: %s is no address to lead to', (url) => {
    const [metadata] = item.metadata.map((one) => ({ ...one, upstreamUrl: url }));
    if (!metadata) throw new Error('the item has metadata');
    const [mapped] = mapItem('kyushu', { ...item, metadata: [metadata] }).resources;
    expect(mapped?.links.filter(({ rel }) => rel === 'via')).toEqual([]);
    const file = toFileResource(owner, { ...pdf, url }, 'kyushu/items/x/files/1-a');
    expect(file.links.filter(({ rel }) => rel === 'via')).toEqual([]);
  });

  test('RS-LN-07: formats that come together are alternates of each other, in both directions', () => {
    const mods = { format: 'mods', content: Buffer.from('<mods/>') };
    const [dc, other] = mapItem('kyushu', {
      ...item,
      complete: true,
      metadata: [...item.metadata, mods],
    }).resources;
    const alternatesOf = (resource: typeof dc) =>
      resource?.links.filter(({ rel }) => rel === 'alternate') ?? [];
    expect(alternatesOf(dc)).toEqual([{ rel: 'alternate', href: other?.path, type: 'application/xml' }]);
    expect(alternatesOf(other)).toEqual([{ rel: 'alternate', href: dc?.path, type: 'application/xml' }]);
  });

  test('a deleted item maps to nothing', () => {
    expect(mapItem('kyushu', { ...item, deleted: true }).resources).toEqual([]);
  });

  test('is a pure function: the same item, the same resources', () => {
    expect(mapItem('kyushu', item)).toEqual(mapItem('kyushu', { ...item }));
  });
});
