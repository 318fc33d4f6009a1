import { describe, expect, test } from 'vitest';
import type { SourceItem } from '../../src/core/adapter.ts';
import { mapItem } from '../../src/core/mapping.ts';

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

  test('RS-LN-16: an item with files is described by links in both directions', () => {
    const file = { url: 'https://repo.example.org/f/a b.pdf', name: 'a b.pdf', sequence: 1, length: 10 };
    const [metadata, mapped] = mapItem('kyushu', { ...item, files: [file] }).resources;
    const path = 'kyushu/items/oai:repo.example.org:1~2F2/files/1-a~20b.pdf';
    expect(metadata?.links.filter(({ rel }) => rel === 'describes')).toEqual([
      { rel: 'describes', href: path },
    ]);
    expect(mapped).toMatchObject({ path, kind: 'file', upstreamUrl: file.url, length: 10 });
    expect(mapped?.links[0]).toEqual({ rel: 'describedby', href: metadata?.path });
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
    const files = [{ url, name: 'a', sequence: 1 }];
    const [, file] = mapItem('kyushu', { ...item, files }).resources;
    expect(file?.links.filter(({ rel }) => rel === 'via')).toEqual([]);
  });

  test('RS-LN-07: formats that come together are alternates of each other, in both directions', () => {
    const mods = { format: 'mods', content: Buffer.from('<mods/>') };
    const [dc, other] = mapItem('kyushu', { ...item, metadata: [...item.metadata, mods] }).resources;
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
