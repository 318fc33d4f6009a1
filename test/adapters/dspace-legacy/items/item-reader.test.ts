import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CollectionTree } from '../../../../adapters/dspace-legacy/items/collection-tree.ts';
import { ItemIdentity } from '../../../../adapters/dspace-legacy/items/item-identity.ts';
import { ItemReader, type ItemReading } from '../../../../adapters/dspace-legacy/items/item-reader.ts';
import { LegacyRest } from '../../../../adapters/dspace-legacy/rest/rest-service.ts';
import type { SourceItem } from '../../../../src/core/adapter.ts';
import { createContext } from '../../../house/adapters/http-double.ts';
import { provide } from '../../../house/adapters/scripted-provider.ts';
import { sharedMaterial } from '../../../house/adapters/shared-material.ts';

const signal = AbortSignal.timeout(180_000);
const base = 'https://repo.example.org/rest';

function read(json: unknown, own: Partial<ItemReading> = {}) {
  const reader = new ItemReader({
    base,
    tree: new CollectionTree(),
    identity: new ItemIdentity('repo.example.org'),
    formats: ['oai_dc', 'dim', 'json'],
    bundles: ['ORIGINAL'],
    collections: undefined,
    entityTypes: undefined,
    timeZone: 'UTC',
    crosswalk: {},
    others: [],
    ...own,
  });
  return reader.read(json);
}

function itemOf(json: unknown, own: Partial<ItemReading> = {}): SourceItem {
  const result = read(json, own);
  if ('item' in result) return result.item;
  throw new Error(JSON.stringify(result));
}

const text = (item: SourceItem, format: string) =>
  Buffer.from(item.metadata.find((metadata) => metadata.format === format)?.content ?? []).toString();

const plain = {
  uuid: '7e48085d-1cdf-4b37-8d56-ae44683b5d9a',
  handle: '1/2',
  name: 'A title',
  type: 'item',
  archived: 'true',
  withdrawn: 'false',
  lastModified: '2021-09-02 14:57:55.123',
  metadata: [{ key: 'dc.title', value: 'A title', language: 'en' }],
  bitstreams: [],
  parentCollection: null,
  parentCollectionList: [],
  parentCommunityList: [],
};

function bitstream(n: number, own: object = {}): object {
  return {
    uuid: `3a9a3d56-7c47-4d6c-8f0a-${String(n).padStart(12, '0')}`,
    name: `${n}.pdf`,
    type: 'bitstream',
    bundleName: 'ORIGINAL',
    mimeType: 'application/pdf',
    sizeBytes: 10 + n,
    checkSum: { value: '9670D137be9a5810f42e40aabef1f0d6', checkSumAlgorithm: 'MD5' },
    sequenceId: n,
    ...own,
  };
}

describe('metadata', () => {
  test('are in order of their fields, repeated ones in their own, without provenance', () => {
    const metadata = [
      { key: 'dc.title', value: 'T', language: '' },
      { key: 'dc.contributor.author', value: 'Zoe', language: null },
      { key: 'dc.description.provenance', value: 'Submitted by j.doe@example.org', language: 'en' },
      { key: 'dc.contributor.author', value: 'Ann', language: 'en' },
    ];
    const item = itemOf({ ...plain, metadata });
    expect(text(item, 'dim').match(/>[^<>]+<\/dim:field/g)).toEqual([
      '>Zoe</dim:field',
      '>Ann</dim:field',
      '>T</dim:field',
    ]);
    expect(JSON.stringify(item.metadata.map(({ content }) => Buffer.from(content).toString()))).not.toMatch(
      /j\.doe/,
    );
  });

  test('may have no key, but its parts, and values that are none', () => {
    const metadata = [
      { schema: 'dc', element: 'title', qualifier: null, value: 'By its parts' },
      { key: 'dc.title', value: null },
      { key: 'dc.title', value: 12 },
      { key: 'title', value: 'no field' },
      { key: ['dc.title'], value: {} },
      null,
      'dc.title',
    ];
    const dim = text(itemOf({ ...plain, metadata }), 'dim');
    expect(dim.match(/<dim:field/g)).toHaveLength(1);
    expect(dim).toContain('By its parts');
  });

  test('with control characters and of megabytes stay documents', () => {
    const value = `a\u0000b\u0008${'x'.repeat(1_000_000)}\ud800 <&`;
    const dim = text(itemOf({ ...plain, metadata: [{ key: 'dc.title', value }] }), 'dim');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what XML 1.0 forbids
    expect(dim).not.toMatch(/[\u0000-\u0008]/);
    expect(dim).toContain('&lt;&amp;');
  });
});

describe('files', () => {
  test('are those of the configured bundles, at addresses of our making', () => {
    const bitstreams = [
      bitstream(2),
      bitstream(1, { retrieveLink: 'https://evil.example.com/', name: null, sequenceId: -1 }),
      bitstream(3, { bundleName: 'LICENSE' }),
    ];
    const { files, speaksFor } = itemOf({ ...plain, bitstreams });
    expect(speaksFor.files).toEqual({ name: 'dspace', rank: 0 });
    expect(files).toEqual([
      {
        url: `${base}/bitstreams/3a9a3d56-7c47-4d6c-8f0a-000000000002/retrieve`,
        name: '2.pdf',
        sequence: 2,
        mediaType: 'application/pdf',
        length: 12,
        hash: 'md5:9670d137be9a5810f42e40aabef1f0d6',
        access: 'open',
      },
      expect.objectContaining({ name: '3a9a3d56-7c47-4d6c-8f0a-000000000001', sequence: 3 }),
    ]);
    expect(itemOf({ ...plain, bitstreams }, { bundles: ['LICENSE'] }).files).toHaveLength(1);
    const without = itemOf({ ...plain, bitstreams }, { bundles: undefined });
    expect([without.files, without.speaksFor.files]).toEqual([[], undefined]);
  });

  test('may be thousands, of one name, and odd', () => {
    const many = Array.from({ length: 5000 }, (_, n) => bitstream(n, { name: 'same.pdf', sequenceId: 1 }));
    const { files } = itemOf({ ...plain, bitstreams: many });
    expect(new Set(files.map(({ sequence }) => sequence)).size).toBe(5000);
    const odd = [
      bitstream(1, { uuid: '../../etc', id: undefined }),
      bitstream(2, { sizeBytes: -1, checkSum: 'x', mimeType: {}, sequenceId: '7' }),
      7,
    ];
    expect(itemOf({ ...plain, bitstreams: odd }).files).toEqual([
      { url: expect.stringMatching(/2\/retrieve$/), name: '2.pdf', sequence: 1, access: 'open' },
    ]);
  });
});

describe('an item', () => {
  test('that is withdrawn or not archived is hidden', () => {
    const hidden = { hidden: { identifier: 'oai:repo.example.org:1/2', deleted: true, refused: true } };
    expect(read({ ...plain, withdrawn: 'true' })).toMatchObject(hidden);
    expect(read({ ...plain, withdrawn: true })).toMatchObject(hidden);
    // A draft, or no more the current version: nobody is refused anything.
    const draft = read({ ...plain, archived: 'false' });
    expect(draft).toMatchObject({ hidden: { deleted: true } });
    expect(draft).not.toHaveProperty('hidden.refused');
  });

  test('that came without what was asked for is quarantined', () => {
    for (const broken of [{ metadata: null }, { bitstreams: {} }]) {
      expect(read({ ...plain, ...broken })).toMatchObject({
        problem: { code: 'record-quarantined', identifier: 'oai:repo.example.org:1/2' },
      });
    }
  });

  test.each([null, [], 'item', {}, { uuid: '../..', type: 'item' }, { ...plain, type: 'collection' }])(
    'is not %j',
    (json) => {
      expect(read(json)).toMatchObject({ problem: { code: 'record-quarantined' } });
    },
  );

  test('of another type than the configured ones is hidden', () => {
    const metadata = [{ key: 'dspace.entity.type', value: 'Person' }];
    expect(read({ ...plain, metadata }, { entityTypes: ['Publication'] })).toHaveProperty('hidden');
    expect(read({ ...plain, metadata }, { entityTypes: ['Person'] })).toHaveProperty('item');
  });

  test('has its page for people where it says so', () => {
    const metadata = [{ key: 'dc.identifier.uri', value: 'https://hdl.handle.net/1/2' }];
    expect(itemOf({ ...plain, metadata }).landingPage).toBe('https://hdl.handle.net/1/2');
  });

  test('without a legible time has none', () => {
    for (const lastModified of [null, 'soon', 12, {}]) {
      expect(itemOf({ ...plain, lastModified }).datestamp).toBeUndefined();
    }
  });
});

const fixtures = sharedMaterial('fixtures/dspace');
const fixture = (path: string): unknown => JSON.parse(readFileSync(join(fixtures ?? '', path), 'utf8'));

describe.skipIf(fixtures === undefined)('captured answers', () => {
  test('a page of DSpace 5 under another path', () => {
    const [row] = fixture('legacy/v5_collection_items_page_expand_metadata_bitstreams.json') as unknown[];
    const item = itemOf(row, { bundles: ['ORIGINAL', 'TEXT'], timeZone: 'Europe/Berlin' });
    expect(item).toMatchObject({
      identifier: 'oai:repo.example.org:11159/4268',
      datestamp: '2022-01-20T02:00:22Z',
      files: [
        { url: `${base}/bitstreams/13358/retrieve`, length: 60303, sequence: 3, mediaType: 'text/plain' },
      ],
    });
    expect(itemOf(row).files).toEqual([]);
    expect(text(item, 'dim')).toContain('Iacobuta, Gabriela');
  });

  test('bare items', () => {
    for (const name of ['v5_item_no_expand', 'v6_item_no_expand', 'v6_item_created']) {
      const json = fixture(`legacy/${name}.json`) as object;
      expect(read(json)).toHaveProperty('problem');
      const item = itemOf({ ...json, metadata: [], bitstreams: [] });
      expect(item.datestamp).toMatch(/^20\d\d-\d\d-\d\dT/);
    }
  });

  test('bitstreams', () => {
    const [five, six] = ['v5_bitstream', 'v6_bitstream'].map((name) => fixture(`legacy/${name}.json`));
    const { files } = itemOf({ ...plain, bitstreams: [five, six] });
    expect(files).toMatchObject([
      { url: `${base}/bitstreams/4187/retrieve`, sequence: 1, hash: 'md5:9670d137be9a5810f42e40aabef1f0d6' },
      { url: `${base}/bitstreams/106f5e94-b5ac-436c-b3f8-4e01210a5b63/retrieve`, sequence: 2, length: 35721 },
    ]);
  });

  test('a page of DSpace 6', () => {
    const rows = fixture(
      'constructed/legacy_v6_items_page_expand_metadata_bitstreams_parentCollectionList.json',
    ) as unknown[];
    const items = rows.map((row) => itemOf(row));
    expect(items.map(({ collections }) => collections)).toEqual([
      ['col_1721.1_130884'],
      ['col_1721.1_130884'],
    ]);
    expect(items[0]).toMatchObject({
      datestamp: '2021-09-02T14:57:55Z',
      landingPage: 'https://hdl.handle.net/1721.1/131195',
      files: [{ name: 'thesis.pdf', length: 551479 }],
    });
  });

  test('metadata with their parts beside', () => {
    const metadata = fixture('constructed/legacy_metadata_with_element_qualifier.json');
    expect(text(itemOf({ ...plain, metadata }), 'dim')).toContain('qualifier="author"');
  });

  test('the hierarchy, where communities cannot be listed', async () => {
    const { url } = await provide((_query, _nth, raw) => {
      if (raw.endsWith('/test')) return 'REST api is running.';
      if (raw.includes('/hierarchy')) return JSON.stringify(fixture('legacy/v6_hierarchy.json'));
      if (raw.includes('/communities')) return { status: 500, body: 'no' };
      const list = raw.includes('offset=0')
        ? [
            {
              uuid: 'a619709b-7807-4bd6-8ada-5b8945b99674',
              handle: '123456789/49',
              parentCommunityList: [{ uuid: '16f5e6c2-6624-4d85-900d-3f4a5c05cb36', handle: '123456789/48' }],
            },
            fixture('legacy/v6_collection_by_handle.json'),
            fixture('legacy/v5_community_relabelled_uuid.json'),
          ]
        : [];
      return JSON.stringify(list);
    });
    const tree = await CollectionTree.load(await LegacyRest.open({ url }, createContext(), signal), signal);
    const deep = tree.collection('a619709b-7807-4bd6-8ada-5b8945b99674');
    expect(deep && tree.keysOf(deep)).toEqual([
      'col_123456789_49',
      'com_123456789_41',
      'com_123456789_46',
      'com_123456789_47',
      'com_123456789_48',
    ]);
    expect(tree.collections.map(({ id }) => id)).toContain('456');
  });
});

describe('in JPCOAR', () => {
  const metadata = [
    { key: 'dc.title', value: '雪', language: 'ja' },
    { key: 'dc.type', value: 'Article' },
    { key: 'dc.local.ndc', value: '913.6' },
  ];
  const formats = ['json', 'jpcoar_2.0'];

  test('an item is open if it shows a file, and nobody knows if it does not', () => {
    const open = text(itemOf({ ...plain, metadata, bitstreams: [bitstream(1)] }, { formats }), 'jpcoar_2.0');
    expect(open).toContain('>open access<');
    expect(open).toContain(`>${base}/bitstreams/3a9a3d56-7c47-4d6c-8f0a-000000000001/retrieve</jpcoar:URI>`);
    expect(text(itemOf({ ...plain, metadata }, { formats }), 'jpcoar_2.0')).not.toContain('accessRights');
  });

  test('an item that lacks its type is not in it, which the delivery speaks for', () => {
    const item = itemOf(plain, { formats });
    expect(item.metadata.map(({ format }) => format)).toEqual(['json']);
    expect(item.speaksFor.formats).toEqual(formats);
  });

  test('fields of its own say what the configuration says', () => {
    const crosswalk = { localFields: { 'dc.local.ndc': 'subject:NDC' } };
    expect(text(itemOf({ ...plain, metadata }, { formats, crosswalk }), 'jpcoar_2.0')).toContain(
      '<jpcoar:subject subjectScheme="NDC">913.6</jpcoar:subject>',
    );
  });
});
