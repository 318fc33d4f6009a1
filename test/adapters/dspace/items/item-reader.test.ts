import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { itemEmbeds, type ReadItem } from '../../../../adapters/dspace/items/item-reader.ts';
import { RestError } from '../../../../adapters/dspace/rest/rest-service.ts';
import type { SourceItem, SourceVersion } from '../../../../src/core/adapter.ts';
import { createContext } from '../../../house/adapters/http-double.ts';
import {
  bitstreamJson,
  bundleJson,
  createReader,
  itemJson,
  listJson,
  openApi,
  refusal,
  settings,
  uuid,
} from '../../../house/adapters/loopback-api.ts';
import { sharedMaterial } from '../../../house/adapters/shared-material.ts';

const { signal } = new AbortController();

function itemOf(read: ReadItem): SourceItem {
  if (!('item' in read)) throw new Error(`no item: ${JSON.stringify(read)}`);
  return read.item;
}

function documentOf(item: SourceItem, format: string): string {
  const found = item.metadata.find((metadata) => metadata.format === format);
  return Buffer.from(found?.content ?? []).toString('utf8');
}

describe('an item with everything embedded', () => {
  test('costs no request, and is read whole', async () => {
    const api = await openApi();
    const files = [
      bitstreamJson(1, { status: 'open.access', mimetype: 'text/plain; charset=utf-8' }),
      bitstreamJson(3, { status: 'embargo', embargoDate: '2050-01-01' }),
      bitstreamJson(2, { status: 'restricted' }),
    ];
    const mapped = [{ uuid: uuid(2, 'd'), name: 'Mapped', handle: '1/11' }];
    const json = itemJson(
      [bundleJson('LICENSE', [bitstreamJson(9)]), bundleJson('ORIGINAL', files)],
      {},
      { mappedCollections: listJson('mappedCollections', mapped) },
    );
    const item = itemOf(await createReader(api).read(json, signal));
    const content = (number: number) => `${api.rest.base}/core/bitstreams/${uuid(number, 'b')}/content`;
    expect({ ...item, metadata: item.metadata.map(({ format }) => format) }).toEqual({
      identifier: 'oai:e.org:1/2',
      datestamp: '2026-07-22T11:41:42Z',
      collections: ['1/10', '1/11'],
      speaksFor: { formats: ['oai_dc', 'dim', 'qdc', 'json'], files: { name: 'dspace', rank: 0 } },
      deleted: false,
      metadata: ['oai_dc', 'dim', 'qdc', 'json'],
      files: [
        {
          url: content(1),
          name: '1.pdf',
          sequence: 1,
          mediaType: 'text/plain',
          length: 1001,
          hash: expect.stringMatching(/^md5:c+1$/),
          access: 'open',
        },
        expect.objectContaining({
          url: content(3),
          sequence: 3,
          access: 'embargoed',
          availableAt: '2050-01-01T00:00:00Z',
        }),
        expect.objectContaining({ url: content(2), sequence: 2, access: 'restricted' }),
      ],
      complete: true,
      landingPage: `https://ui.example.org/items/${uuid(1)}`,
    });
    expect(item.metadata.map(({ upstreamUrl }) => upstreamUrl)).toEqual(
      item.metadata.map(() => `${api.rest.base}/core/items/${uuid(1)}`),
    );
    expect(JSON.parse(documentOf(item, 'json')).collections).toHaveLength(2);
    expect(documentOf(item, 'oai_dc')).toContain('<dc:format>text/plain; charset=utf-8</dc:format>');
    expect(api.requests).toEqual([]);
  });

  test('is what the search is asked for', () => {
    expect(itemEmbeds.filter(([name]) => name === 'embed').map(([, value]) => value)).toEqual([
      'owningCollection',
      'mappedCollections',
      'accessStatus',
      'bundles/bitstreams/format',
      'bundles/bitstreams/accessStatus',
      'version/versionhistory',
    ]);
  });

  test('is read in the formats and bundles that are configured', async () => {
    const api = await openApi();
    const json = itemJson([
      bundleJson('ORIGINAL', [bitstreamJson(1, { status: 'open.access' })]),
      bundleJson('TEXT', [bitstreamJson(2, { status: 'open.access' })]),
    ]);
    const some = { ...settings, formats: ['json', 'mets'], files: { bundles: ['TEXT', 'ORIGINAL'] } };
    const item = itemOf(await createReader(api, { settings: some }).read(json, signal));
    expect(item.speaksFor.formats).toEqual(['json']);
    expect(item.files.map(({ name }) => name)).toEqual(['2.pdf', '1.pdf']);
    const none = { ...settings, files: undefined, oaiFormats: ['mets'] };
    const bare = itemOf(await createReader(api, { settings: none }).read(json, signal));
    expect([bare.files, bare.speaksFor.files, bare.complete]).toEqual([[], undefined, undefined]);
  });

  test('has the versions that are known', async () => {
    const api = await openApi();
    const earlier: SourceVersion = { number: 1, createdAt: '2026-01-01T00:00:00Z', metadata: [], files: [] };
    const versions = async () => ({ versions: [earlier] });
    expect(itemOf(await createReader(api, { versions }).read(itemJson(), signal)).versions).toEqual([
      earlier,
    ]);
    const unknown = createReader(api, { versions: async () => undefined });
    expect(itemOf(await unknown.read(itemJson(), signal))).not.toHaveProperty('versions');
    const state = await createReader(api).readState(itemJson([], { inArchive: false }), signal);
    expect(state.metadata).toHaveLength(4);
  });
});

describe('the page for people', () => {
  test.each([
    [{ 'dc.identifier.uri': [{ value: 'https://hdl.handle.net/1/2' }] }, null, 'https://hdl.handle.net/1/2'],
    [{}, 'Publication', `https://ui.example.org/entities/publication/${uuid(1)}`],
    [{}, null, `https://ui.example.org/items/${uuid(1)}`],
  ])('of %j and %s is %s', async (metadata, entityType, page) => {
    const api = await openApi();
    const json = itemJson([], { metadata, entityType });
    expect(itemOf(await createReader(api).read(json, signal)).landingPage).toBe(page);
  });
});

describe('who may read', () => {
  test.each([
    [{ withdrawn: true, inArchive: false, metadata: {} }],
    [{ discoverable: false }],
    [{ inArchive: false }],
    [{ withdrawn: true, discoverable: undefined }],
  ])('an item with %j is hidden', async (flags) => {
    const api = await openApi();
    expect(await createReader(api).read(itemJson([], flags), signal)).toEqual({ hidden: 'oai:e.org:1/2' });
  });

  test.each([['yes'], [undefined], [1]])(
    'an item that is archived: %j is not published',
    async (inArchive) => {
      const api = await openApi();
      expect(await createReader(api).read(itemJson([], { inArchive }), signal)).toEqual({
        problem: {
          code: 'record-quarantined',
          identifier: 'oai:e.org:1/2',
          message: 'The item oai:e.org:1/2 cannot be read: it does not say whether it is public.',
        },
      });
    },
  );

  test.each([
    ['open.access', { access: 'open' }],
    ['embargo', { access: 'embargoed' }],
    ['restricted', { access: 'restricted' }],
    ['metadata.only', { access: 'unknown' }],
    ['unknown', { access: 'unknown' }],
    [undefined, { access: 'unknown' }],
    [7, { access: 'unknown' }],
  ])('before DSpace 9, the only file of an item that is %s', async (status, access) => {
    const api = await openApi();
    const file = (number: number) => bitstreamJson(number);
    const accessStatus = { accessStatus: { status } };
    const one = itemJson([bundleJson('ORIGINAL', [file(1)])], {}, accessStatus);
    expect(itemOf(await createReader(api).read(one, signal)).files).toEqual([
      expect.objectContaining(access),
    ]);
    const two = itemJson([bundleJson('ORIGINAL', [file(1), file(2)])], {}, accessStatus);
    for (const { access: found } of itemOf(await createReader(api).read(two, signal)).files) {
      expect(found).toBe('unknown');
    }
  });

  test('the word of the item is about no other bundle', async () => {
    const api = await openApi();
    const both = { ...settings, files: { bundles: ['ORIGINAL', 'LICENSE'] } };
    const json = itemJson([
      bundleJson('ORIGINAL', [bitstreamJson(1)]),
      bundleJson('LICENSE', [bitstreamJson(2)]),
    ]);
    const { files } = itemOf(await createReader(api, { settings: both }).read(json, signal));
    expect(files.map(({ access }) => access)).toEqual(['open', 'unknown']);
  });
});

describe('what is not embedded', () => {
  test('is asked for where it is', async () => {
    const item = uuid(1);
    const file = { ...bitstreamJson(1, { status: 'open.access' }), _embedded: undefined };
    const api = await openApi((path, query) => {
      switch (path) {
        case `/core/items/${item}/owningCollection`:
          return { uuid: uuid(1, 'd'), handle: '1/10' };
        case `/core/items/${item}/mappedCollections`:
          return listJson('mappedCollections', []);
        case `/core/items/${item}/bundles`:
          expect(query.getAll('embed')).toEqual(['bitstreams/format', 'bitstreams/accessStatus']);
          return listJson('bundles', [bundleJson('ORIGINAL', [file])]);
        case `/core/bitstreams/${uuid(1, 'b')}/format`:
          return { mimetype: 'text/csv' };
        case `/core/bitstreams/${uuid(1, 'b')}/accessStatus`:
          return { status: 'open.access' };
        default:
          return undefined;
      }
    });
    const bare = { ...itemJson(), _embedded: undefined };
    const read = itemOf(await createReader(api).read(bare, signal));
    expect(read.collections).toEqual(['1/10']);
    expect(read.files).toEqual([expect.objectContaining({ mediaType: 'text/csv', access: 'open' })]);
    expect(api.requests).toHaveLength(5);
  });

  test('and not for everybody is not there', async () => {
    const api = await openApi(() => refusal(401));
    const closed = { ...bundleJson('ORIGINAL', []), _embedded: {} };
    const { _embedded, ...json } = itemJson([closed]);
    const { owningCollection, ...embeds } = _embedded as Record<string, unknown>;
    const reader = createReader(api);
    const read = itemOf(await reader.read({ ...json, _embedded: embeds }, signal));
    expect([read.collections, read.files]).toEqual([[], []]);
    const noBundles = await reader.read({ ...json, _embedded: { ...embeds, bundles: undefined } }, signal);
    expect(itemOf(noBundles).files).toEqual([]);
  });

  test('is not asked for again and again where embedding works and the answer is always no', async () => {
    const api = await openApi(() => refusal(403));
    const reader = createReader(api);
    await reader.read(itemJson(), signal);
    const { _embedded, ...json } = itemJson();
    const { owningCollection, ...embeds } = _embedded as Record<string, unknown>;
    for (let count = 0; count < 10; count += 1) await reader.read({ ...json, _embedded: embeds }, signal);
    expect(api.requests).toHaveLength(3);
  });
});

describe('a list that is cut off', () => {
  /** Bitstreams as their own endpoint gives them, at most `cap` at a time. */
  function pagesOf(total: number, cap: number, available = total): Parameters<typeof openApi>[0] {
    const all = Array.from({ length: available }, (_, index) =>
      bitstreamJson(index + 1, { status: 'open.access' }),
    );
    return (path, query) => {
      if (!path.endsWith('/bitstreams')) return undefined;
      const size = Math.min(Number(query.get('size')), cap);
      const start = Number(query.get('page')) * size;
      return listJson('bitstreams', all.slice(start, start + size), total);
    };
  }
  const cut = (total: number) =>
    itemJson([bundleJson('ORIGINAL', [bitstreamJson(1, { status: 'open.access' })], total)]);

  test('is completed, 5,000 files of an item', async () => {
    const api = await openApi(pagesOf(5000, 1000));
    const { files } = itemOf(await createReader(api).read(cut(5000), signal));
    expect(files).toHaveLength(5000);
    expect(new Set(files.map(({ url }) => url)).size).toBe(5000);
    expect(api.requests.filter((url) => url.includes('/bitstreams?'))).toHaveLength(50);
    for (const url of api.requests.filter((url) => url.includes('/bitstreams?'))) {
      expect(url).toMatch(/embed=format&embed=accessStatus&page=\d+&size=100/);
    }
  });

  test('is completed from a server with a lower limit than it says', async () => {
    const api = await openApi(pagesOf(130, 40));
    expect(itemOf(await createReader(api).read(cut(130), signal)).files).toHaveLength(130);
  });

  test.each([
    ['is empty', pagesOf(150, 100, 0)],
    ['repeats itself', () => listJson('bitstreams', [bitstreamJson(1), bitstreamJson(2)], 150)],
    ['begins anew wherever it is asked for', () => listJson('bitstreams', [bitstreamJson(1)], 90)],
    ['has two rows of one file', () => listJson('bitstreams', [bitstreamJson(1), bitstreamJson(1)], 2)],
    ['breaks', () => refusal(500)],
    ['is no list', () => ({ type: 'something' })],
  ])('makes the item a problem when it %s', async (_how, script) => {
    const api = await openApi(script);
    const read = await createReader(api).read(cut(150), signal);
    expect(read).toMatchObject({ problem: { code: 'record-quarantined', identifier: 'oai:e.org:1/2' } });
  });

  test('of collections is completed, too', async () => {
    const collections = Array.from({ length: 120 }, (_, index) => ({ uuid: uuid(index + 2, 'd') }));
    const api = await openApi((_path, query) => {
      const start = Number(query.get('page')) * 100;
      return listJson('mappedCollections', collections.slice(start, start + 100), 120);
    });
    const mappedCollections = listJson('mappedCollections', collections.slice(0, 20), 120);
    const json = itemJson([], {}, { mappedCollections });
    expect(itemOf(await createReader(api).read(json, signal)).collections).toHaveLength(121);
  });
});

describe('what is counted and not shown is not for everybody', () => {
  const names = (read: ReadItem) => itemOf(read).files.map(({ name }) => name);
  const file = (number: number) => bitstreamJson(number, { status: 'open.access' });

  /** Rows that are shown of a list of `total`, as DSpace 9 pages them; `corrects`: Spring's totals of last pages. */
  function withheldPages(total: number, isShown: (number: number) => boolean, corrects = true) {
    return (path: string, query: URLSearchParams) => {
      if (!path.endsWith('/bitstreams')) return undefined;
      const [size, page] = [Number(query.get('size')), Number(query.get('page'))];
      const numbers = Array.from({ length: total }, (_, index) => index + 1).slice(
        page * size,
        (page + 1) * size,
      );
      const rows = numbers.filter(isShown).map(file);
      const isLast = rows.length > 0 && (page + 1) * size > total;
      return listJson('bitstreams', rows, corrects && isLast ? page * size + rows.length : total);
    };
  }

  test('a bundle', async () => {
    const api = await openApi((path) => (path.endsWith('/bundles') ? listJson('bundles', [], 1) : undefined));
    const read = await createReader(api).read(
      itemJson([], {}, { bundles: listJson('bundles', [], 1) }),
      signal,
    );
    expect(itemOf(read)).toMatchObject({ files: [], collections: ['1/10'], deleted: false });
    expect(api.requests).toHaveLength(1);
  });

  test.each([[401], [403], [404]])('bundles whose list is answered %i', async (status) => {
    const api = await openApi(() => refusal(status));
    const json = itemJson([], {}, { bundles: undefined, mappedCollections: undefined });
    expect(itemOf(await createReader(api).read(json, signal))).toMatchObject({ files: [], deleted: false });
  });

  test.each([
    ['all of them', 3, () => false, []],
    ['the first', 3, (number: number) => number > 1, ['2.pdf', '3.pdf']],
    ['all of a first page', 130, (number: number) => number > 129, ['130.pdf']],
    ['all of a middle page', 220, (number: number) => number === 1 || number > 219, ['1.pdf', '220.pdf']],
    ['the end', 220, (number: number) => number < 3, ['1.pdf', '2.pdf']],
    ['the middle of one page', 90, (number: number) => number < 2 || number > 89, ['1.pdf', '90.pdf']],
  ] as const)('files of a bundle: %s', async (_which, total, isShown, expected) => {
    for (const corrects of [true, false]) {
      const api = await openApi(withheldPages(total, isShown, corrects));
      const list = listJson('bitstreams', [], total);
      const bundle = { ...bundleJson('ORIGINAL', []), _embedded: { bitstreams: list } };
      expect(names(await createReader(api).read(itemJson([bundle]), signal))).toEqual(expected);
    }
  });

  test('what was embedded is kept where the rest is refused', async () => {
    const api = await openApi(() => refusal(401));
    const read = await createReader(api).read(itemJson([bundleJson('ORIGINAL', [file(1)], 40)]), signal);
    expect(names(read)).toEqual(['1.pdf']);
  });

  test('the word of the item may be about a file that is not shown', async () => {
    const api = await openApi((_path, query) =>
      listJson('bitstreams', Number(query.get('page')) < 2 ? [bitstreamJson(2)] : [], 2),
    );
    const read = await createReader(api).read(
      itemJson([bundleJson('ORIGINAL', [bitstreamJson(2)], 2)]),
      signal,
    );
    expect(itemOf(read).files.map(({ access }) => access)).toEqual(['unknown']);
  });

  test('all of a page of mapped collections, and a place without a collection', async () => {
    const api = await openApi((_path, query) =>
      listJson('mappedCollections', query.get('page') === '1' ? [{ uuid: uuid(7, 'd') }, {}] : [], 110),
    );
    const json = itemJson(
      [],
      {},
      { mappedCollections: listJson('mappedCollections', [], 110), owningCollection: {} },
    );
    expect(itemOf(await createReader(api).read(json, signal)).collections).toEqual([uuid(7, 'd')]);
  });

  test('lists and parts that are null', async () => {
    const api = await openApi(() => refusal(401));
    const json = itemJson(
      [],
      {},
      { owningCollection: null, mappedCollections: null, bundles: null, accessStatus: null },
    );
    expect(itemOf(await createReader(api).read(json, signal))).toMatchObject({ collections: [], files: [] });
  });

  test('who may read a file, where that cannot be told, is asked of the file itself', async () => {
    const api = await openApi(() => refusal(500));
    const { _embedded, ...bare } = bitstreamJson(1, { status: 'open.access' }) as Record<string, unknown>;
    const one = { ...bare, _embedded: { format: { mimetype: 'text/csv' } } };
    const read = await createReader(api).read(itemJson([bundleJson('ORIGINAL', [one])]), signal);
    expect(itemOf(read).files).toEqual([expect.objectContaining({ access: 'unknown' })]);
  });

  test('a collection that the server breaks over is a problem of its items alone', async () => {
    const tree = { keysOf: () => Promise.reject(new RestError(500, 'http://e.org/server/api', 'broken')) };
    const read = await createReader(await openApi(), { collections: tree }).read(itemJson(), signal);
    expect(read).toMatchObject({ problem: { code: 'record-quarantined' } });
  });
});

test('a mapped collection that is not for everybody is counted and not given', async () => {
  const api = await openApi();
  const json = itemJson([], {}, { mappedCollections: listJson('mappedCollections', [], 1) });
  expect(itemOf(await createReader(api).read(json, signal)).collections).toEqual(['1/10']);
  expect(api.requests).toEqual([]);
});

describe('hostile items', () => {
  test.each([
    ['no UUID', { uuid: null, id: 12 }, undefined],
    ['metadata as an array', { metadata: [{ key: 'dc.title', value: 'A' }] }, 'oai:e.org:1/2'],
    ['no metadata', { metadata: null }, 'oai:e.org:1/2'],
  ])('with %s are problems', async (_what, more, identifier) => {
    const api = await openApi();
    const read = await createReader(api).read(itemJson([], more), signal);
    expect(read).toMatchObject({ problem: { code: 'record-quarantined' } });
    expect('problem' in read && read.problem.identifier).toBe(identifier);
  });

  test('a file without a UUID is a problem of its item', async () => {
    const api = await openApi();
    const json = itemJson([bundleJson('ORIGINAL', [bitstreamJson(1, { uuid: 'x/../y' })])]);
    expect(await createReader(api).read(json, signal)).toMatchObject({ problem: {} });
  });

  test('values that are none are left out', async () => {
    const api = await openApi();
    const metadata = {
      'dc.title': [
        { value: 'second', place: 1 },
        { value: 'first', place: 0, language: '' },
        { value: null },
      ],
      'dc.subject': [{ value: 'no place', authority: 5, confidence: 'x' }, 'text', null, [], { value: {} }],
      'dc.type': 'no list',
      nonsense: [{ value: 'x' }],
      __proto__x: null,
    };
    const json = itemJson([], { metadata, name: 7, handle: ['x'], lastModified: 12, entityType: {} });
    const item = itemOf(await createReader(api).read(json, signal));
    expect(item.identifier).toBe(uuid(1));
    expect(item.datestamp).toBeUndefined();
    expect(JSON.parse(documentOf(item, 'json')).metadata).toEqual({
      'dc.subject': [expect.objectContaining({ value: 'no place', authority: null, confidence: -1 })],
      'dc.title': [
        expect.objectContaining({ value: 'first', language: null }),
        expect.objectContaining({ value: 'second' }),
      ],
    });
  });

  test('files are stated as far as they make sense', async () => {
    const api = await openApi();
    const file = bitstreamJson(1, {
      status: 'open.access',
      name: null,
      sizeBytes: '12',
      checkSum: [],
      sequenceId: -1,
      mimetype: undefined,
    });
    const json = itemJson([
      bundleJson('ORIGINAL', [
        { ...file, _embedded: { format: null, accessStatus: { status: 'open.access' } } },
      ]),
    ]);
    expect(itemOf(await createReader(api).read(json, signal)).files).toEqual([
      {
        url: `${api.rest.base}/core/bitstreams/${uuid(1, 'b')}/content`,
        name: uuid(1, 'b'),
        sequence: 1,
        access: 'open',
      },
    ]);
  });

  test('a server in trouble is no problem of the item', async () => {
    const api = await openApi(() => ({
      status: 200,
      headers: { 'content-type': 'text/html' },
      body: '<html>robot?</html>',
    }));
    const bare = { ...itemJson(), _embedded: undefined };
    await expect(createReader(api).read(bare, signal)).rejects.toMatchObject({ code: 'upstream-html' });
    const tree = { keysOf: () => Promise.reject(new Error('no tree')) };
    await expect(createReader(api, { collections: tree }).read(itemJson(), signal)).rejects.toThrow(
      'no tree',
    );
  });
});

const fixtures = sharedMaterial('fixtures/dspace');

describe.skipIf(fixtures === undefined)('captured answers', () => {
  const load = (path: string) => JSON.parse(readFileSync(join(fixtures ?? '', path), 'utf8'));
  const hit = (path: string) =>
    load(path)._embedded.searchResult._embedded.objects[0]._embedded.indexableObject;

  test.each([
    ['constructed/item_full_embed.json', (path: string) => load(path)],
    ['constructed/search_full_embed.json', hit],
  ])('%s costs no request', async (path, pick) => {
    const api = await openApi();
    const item = itemOf(await createReader(api).read(pick(path), signal));
    expect(item).toMatchObject({
      identifier: 'oai:e.org:10673/1263',
      datestamp: '2026-07-22T11:41:42Z',
      collections: ['10673/1213'],
      landingPage: 'https://demo.dspace.org/handle/10673/1263',
    });
    expect(item.files[0]).toMatchObject({
      url: `${api.rest.base}/core/bitstreams/45382064-a29a-402f-bb1b-5304f5031f30/content`,
      name: 'Test.pdf',
      sequence: 2,
      length: 14884,
      hash: 'md5:9e55704856c7798762321e4011451d98',
      mediaType: 'application/pdf',
    });
    expect(item.files).toHaveLength(1);
  });

  test('times of DSpace 7 and 8, and private items', async () => {
    const bundles = listJson('bundles', []);
    const mappedCollections = listJson('mappedCollections', []);
    const reader = createReader(await openApi());
    const old = { ...load('constructed/item_v7_v8_shape.json'), _embedded: { bundles, mappedCollections } };
    expect(itemOf(await reader.read(old, signal)).datestamp).toBe('2026-07-22T11:41:42Z');
    const secret = load('constructed/item_private_undiscoverable.json');
    expect(await reader.read(secret, signal)).toMatchObject({ hidden: expect.any(String) });
  });

  test('an item of DSpace 10 without embedded files has them fetched', async () => {
    const api = await openApi((path) => {
      if (path.endsWith('/bitstreams')) return load('live/dspace10_bitstreams.json');
      if (path.endsWith('/mappedCollections')) return listJson('mappedCollections', []);
      if (path.endsWith('/format')) return load('live/dspace10_bitstreamformat.json');
      return path.endsWith('/accessStatus') ? { status: 'open.access' } : undefined;
    });
    const item = itemOf(await createReader(api).read(load('live/dspace10_item.json'), signal));
    expect(item.files).toEqual([
      expect.objectContaining({ name: 'Test.pdf', access: 'open', mediaType: 'application/pdf' }),
    ]);
    expect(item.collections).toEqual(['10673/1213']);
  });

  test('the World Bank nests files in a hit; a file without a UUID is not guessed', async () => {
    const json = {
      ...hit('misc/worldbank_okr_search_embed_bundles_bitstreams_TRIMMED.json'),
      inArchive: true,
      discoverable: true,
      withdrawn: false,
    };
    Object.assign(json._embedded, {
      owningCollection: null,
      mappedCollections: listJson('mappedCollections', []),
    });
    const reader = createReader(await openApi(), { context: createContext() });
    expect(await reader.read(json, signal)).toMatchObject({
      problem: { identifier: 'oai:e.org:10986/42650' },
    });
    json._embedded.bundles._embedded.bundles[0]._embedded.bitstreams._embedded.bitstreams.pop();
    const item = itemOf(await reader.read(json, signal));
    expect(item.files).toEqual([
      expect.objectContaining({ length: 666_098, sequence: 1, access: 'unknown' }),
    ]);
    expect(item.landingPage).toBe('https://hdl.handle.net/10986/42650');
    expect(documentOf(item, 'qdc')).toContain('<dc:creator>Klapper, Leora</dc:creator>');
  });
});

describe('in the formats of aggregators', () => {
  const metadata = {
    'dc.title': [{ value: 'A thesis', language: 'en_US' }],
    'dc.type': [{ value: 'Thesis' }],
    'dc.identifier.doi': [{ value: '10.15017/64495' }],
  };
  const formats = ['json', 'jpcoar_2.0', 'oai_openaire'];

  async function readItem(
    files: readonly object[],
    of: Partial<typeof settings> = {},
    status = 'open.access',
  ) {
    const api = await openApi();
    const accessStatus = { accessStatus: { status, embargoDate: null } };
    const json = itemJson([bundleJson('ORIGINAL', files)], { metadata }, accessStatus);
    const reader = createReader(api, { settings: { ...settings, formats, ...of } });
    return { item: itemOf(await reader.read(json, signal)), base: api.rest.base };
  }

  test('are only where they are configured, each with its files', async () => {
    const files = [bitstreamJson(1, { status: 'open.access' }), bitstreamJson(2, { status: 'restricted' })];
    const { item, base } = await readItem(files);
    expect(item.metadata.map(({ format }) => format)).toEqual(formats);
    const jpcoar = documentOf(item, 'jpcoar_2.0');
    expect(jpcoar).toContain('>open access<');
    expect(jpcoar).toContain(`>${base}/core/bitstreams/${uuid(1, 'b')}/content</jpcoar:URI>`);
    expect(jpcoar).not.toContain(uuid(2, 'b'));
    expect(documentOf(item, 'oai_openaire')).toContain(
      'rightsURI="http://purl.org/coar/access_right/c_abf2"',
    );
    const without = await readItem(files, { files: undefined });
    expect(documentOf(without.item, 'jpcoar_2.0')).toContain('>open access<');
    expect(documentOf(without.item, 'jpcoar_2.0')).not.toContain('jpcoar:file');
  });

  test('say what is known of who may read it, and no more', async () => {
    const access = async (files: readonly object[], status?: string) =>
      /accessRights[^>]*>([^<]*)</.exec(
        documentOf((await readItem(files, {}, status)).item, 'jpcoar_2.0'),
      )?.[1];
    const file = (number: number, status?: string, embargoDate = '2050-01-01') =>
      bitstreamJson(number, { status, ...(status === 'embargo' && { embargoDate }) });
    expect(await access([file(1, 'restricted'), file(2, 'embargo')])).toBe('embargoed access');
    expect(await access([file(1, 'restricted')])).toBe('restricted access');
    // DSpace 7 and 8 speak of the first file alone.
    expect(await access([file(1), file(2)])).toBe('open access');
    expect(await access([file(1), file(2)], 'embargo')).toBeUndefined();
    expect(await access([], 'metadata.only')).toBe('metadata only access');
    expect(await access([], 'restricted')).toBe('restricted access');
    expect(await access([], 'open.access')).toBeUndefined();
  });

  test('know the DOIs that the repository gives', async () => {
    const own = await readItem([], { crosswalk: { doiPrefixes: ['10.15017'] } });
    expect(documentOf(own.item, 'jpcoar_2.0')).toContain(
      'identifierType="DOI">https://doi.org/10.15017/64495</jpcoar:identifier>',
    );
    const other = await readItem([]);
    expect(documentOf(other.item, 'jpcoar_2.0')).toContain('</jpcoar:relatedIdentifier>');
  });
});
