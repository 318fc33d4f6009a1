import { describe, expect, test } from 'vitest';
import type { SourceItem } from '../../../src/core/adapter.ts';
import type { PublishedFile } from '../../../src/core/files/published-files.ts';
import { placeFiles, recognize } from '../../../src/core/mapping/file-places.ts';
import { describing, inCollections, mapItem, toFileResource } from '../../../src/core/mapping/mapping.ts';
import { metadataPath } from '../../../src/core/uris.ts';
import { countSteps } from '../../house/process/steps.ts';

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
  describedBy: ['jpcoar', 'oai_dc'].map((format) => ({
    path: metadataPath('kyushu', item.identifier, format),
    mediaType: 'application/xml',
  })),
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

  describe('under another upstream address', () => {
    const id = 'ba7d4e0f-1c2b-4f3a-9d8e-0123456789ab';
    const download = `https://repo.example.org/bitstreams/${id}/download`;
    const content = `https://repo.example.org/server/api/core/bitstreams/${id.toUpperCase()}/content`;
    const at = (url: string, name = 'a.pdf', sequence = 1): PublishedFile => ({
      ...pdf,
      url,
      name,
      sequence,
    });
    const placed = (files: readonly PublishedFile[], before: readonly (readonly [string, string])[]) =>
      placeFiles(owner, files, new Map(before));

    test('a bitstream of DSpace keeps its place, whatever its name and number are by now', () => {
      expect(placed([at(content, 'renamed.pdf', 3)], [[download, `${place}/1-a.pdf`]])).toEqual([
        `${place}/1-a.pdf`,
      ]);
      expect(placed([at(download)], [[content, `${place}/2-b.pdf`]])).toEqual([`${place}/2-b.pdf`]);
      const legacy = 'https://repo.example.org/rest/bitstreams/4187/retrieve';
      const behindContext = 'https://repo.example.org/context/rest/bitstreams/4187/retrieve';
      expect(placed([at(behindContext, 'b.pdf', 2)], [[legacy, `${place}/1-a.pdf`]])).toEqual([
        `${place}/1-a.pdf`,
      ]);
    });

    test('a file of the same number and name keeps its place, once its former address is stated no more', () => {
      const old = 'https://repo.example.org/bitstream/123456789/1/1/a.pdf';
      expect(placed([at(content)], [[old, `${place}/1-a.pdf`]])).toEqual([`${place}/1-a.pdf`]);
      expect(placed([at(content), at(old, 'a.pdf', 2)], [[old, `${place}/1-a.pdf`]])).toEqual([
        `${place}/3-a.pdf`,
        `${place}/1-a.pdf`,
      ]);
    });

    test('where the whole item has moved, a name of its own is enough; of two of a name nobody knows', () => {
      const old = (name: string) => `https://repo.example.org/bitstream/123456789/1/${name}`;
      const before = [
        [old('a'), `${place}/5-a.pdf`],
        [old('b'), `${place}/6-b.pdf`],
        [old('c'), `${place}/7-b.pdf`],
      ] as const;
      const now = (number: number) => `https://repo.example.org/rest/bitstreams/${number}/retrieve`;
      const files = [at(now(1), 'a.pdf', 1), at(now(2), 'b.pdf', 2), at(now(3), 'new.pdf', 3)];
      expect(placed(files, before)).toEqual([`${place}/5-a.pdf`, `${place}/2-b.pdf`, `${place}/3-new.pdf`]);
      // One that is still where it was: then the others are others.
      const files2 = [at(old('b'), 'b.pdf', 1), at(now(1), 'a.pdf', 2)];
      expect(placed(files2, before)).toEqual([`${place}/6-b.pdf`, `${place}/2-a.pdf`]);
    });

    test('two that claim the same place get none of it', () => {
      const mirror = content.replace('repo.', 'mirror.');
      const before = new Map([[download, `${place}/9-x.pdf`]]);
      expect(recognize(owner, [at(content), at(mirror, 'b.pdf', 2)], before).size).toBe(0);
    });

    test('50,000 new addresses are recognized, in twice the steps of half as many', async () => {
      const given = [25_000, 50_000].map((length) => {
        const files = Array.from({ length }, (_, index) =>
          at(`https://x.example/new/${index}`, `${index}.tif`, index + 1),
        );
        const before = files.map(
          ({ name, sequence }) =>
            [`https://x.example/old/${sequence}`, `${place}/${sequence}-${name}`] as const,
        );
        return [owner, files, new Map(before)];
      });
      const file = 'src/core/mapping/file-places.ts';
      const [half, whole] = await countSteps<ReturnType<typeof recognize>>(file, 'recognize', ...given);
      expect(whole?.result.size).toBe(50_000);
      expect(whole?.steps).toBeLessThan(2.1 * (half?.steps ?? 0));
    });
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
    'https://repo.example.org\\evil.example.org/',
    'https://repo.example.org/a b',
    'https://repo.example.org/?a b',
    'see https://repo.example.org/',
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

  test('a JSON document is at an address of its own kind, and is linked as what it is', () => {
    const json = { format: 'json', content: Buffer.from('{}'), mediaType: 'application/json' };
    const [dc, other] = mapItem('kyushu', {
      ...item,
      complete: true,
      metadata: [...item.metadata, json],
    }).resources;
    expect(other).toMatchObject({
      path: 'kyushu/items/oai:repo.example.org:1~2F2/json.json',
      mediaType: 'application/json',
    });
    const alternate = (resource: typeof dc) => resource?.links.find(({ rel }) => rel === 'alternate');
    expect(alternate(dc)).toEqual({ rel: 'alternate', href: other?.path, type: 'application/json' });
    expect(alternate(other)).toEqual({ rel: 'alternate', href: dc?.path, type: 'application/xml' });
  });

  test('what it was before is mapped by the hashes of its bytes, without files that may be hidden', () => {
    const [record] = item.metadata;
    if (!record) throw new Error('the item has metadata');
    const file = (name: string, access?: 'open' | 'unknown' | 'restricted') =>
      ({ url: `https://x.example/${name}`, name, sequence: 1, access }) as const;
    const version = {
      number: 1,
      createdAt: '2020-01-01T00:00:00Z',
      metadata: [record],
      files: [file('a'), file('b', 'open'), file('c', 'unknown'), file('d', 'restricted')],
    };
    expect(mapItem('kyushu', item).versions).toBeUndefined();
    const [mapped] = mapItem('kyushu', { ...item, versions: [version] }).versions ?? [];
    expect(mapped).toMatchObject({
      number: 1,
      metadata: [{ format: 'oai_dc', mediaType: 'application/xml', length: 5, profile: record.profile }],
    });
    expect(mapped?.metadata[0]?.hash).toMatch(/^sha-256:[0-9a-f]{64}$/);
    expect(mapped?.files.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  test('more of an item is known as that', () => {
    expect(mapItem('kyushu', { ...item, supplement: true })).toHaveProperty('supplement', true);
    expect(mapItem('kyushu', item)).not.toHaveProperty('supplement');
    expect(mapItem('kyushu', item)).not.toHaveProperty('versions');
  });

  test('in other collections it is the same but for where it belongs', () => {
    const [metadata] = mapItem('kyushu', item).resources;
    if (!metadata) throw new Error('the item has metadata');
    const moved = inCollections('kyushu', metadata, ['b', 'a']);
    const isCollection = ({ rel }: { readonly rel: string }) => rel === 'collection';
    expect(moved.links.filter(isCollection).map(({ href }) => href)).toEqual([
      'kyushu/collections/a',
      'kyushu/collections/b',
    ]);
    expect(moved.links.filter((link) => !isCollection(link))).toEqual(
      metadata.links.filter((link) => !isCollection(link)),
    );
    expect(inCollections('kyushu', moved, item.collections)).toEqual(metadata);
  });

  test('a deleted item maps to nothing', () => {
    expect(mapItem('kyushu', { ...item, deleted: true }).resources).toEqual([]);
  });

  test('is a pure function: the same item, the same resources', () => {
    expect(mapItem('kyushu', item)).toEqual(mapItem('kyushu', { ...item }));
  });
});
