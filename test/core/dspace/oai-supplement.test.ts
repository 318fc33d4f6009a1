import { expect, test } from 'vitest';
import type { Adapter, Checkpoint, Page, SourceItem } from '../../../src/core/adapter.ts';
import {
  completeItem,
  type OaiSupplement,
  speakingForAll,
  supplementFormats,
  withSupplement,
} from '../../../src/core/dspace/oai-supplement.ts';

const signal = new AbortController().signal;

function item(identifier: string, formats: readonly string[], more: Partial<SourceItem> = {}): SourceItem {
  return {
    identifier,
    datestamp: undefined,
    collections: [],
    speaksFor: { formats, files: undefined },
    deleted: false,
    metadata: formats.map((format) => ({ format, content: Buffer.from(format) })),
    files: [],
    ...more,
  };
}

function page(items: readonly SourceItem[], checkpoint?: Checkpoint, more: Partial<Page> = {}): Page {
  return { items, checkpoint, problems: [], ...more };
}

/** An endpoint that has these pages, each told with the checkpoint that it was asked to go on from. */
function endpoint(pages: readonly Page[], asked: unknown[] = [], one?: SourceItem): OaiSupplement {
  const oai: Adapter = {
    identify: async () => ({
      protocol: 'OAI-PMH',
      protocolVersion: '2.0',
      name: 'Repository',
      deletedRecords: 'persistent',
      granularity: 'second',
      formats: [
        { name: 'mods', selected: true, offered: true },
        { name: 'rdf', selected: false, offered: true },
        { name: 'json', selected: true, offered: true },
      ],
    }),
    async *collections() {},
    async *pages({ checkpoint }) {
      asked.push(checkpoint);
      yield* pages;
    },
    item: async (identifier) => {
      asked.push(identifier);
      return one;
    },
    async *identifiers() {},
  };
  return {
    oai,
    formats: [
      { name: 'mods', selected: true, offered: true },
      { name: 'json', selected: true, offered: true },
    ],
    identifierOf: async (identifier) =>
      identifier.startsWith('oai:here:') ? identifier.slice(9) : undefined,
  };
}

async function run(
  own: readonly Page[],
  supplement: OaiSupplement | undefined,
  checkpoint?: Checkpoint,
  asked: unknown[] = [],
): Promise<Page[]> {
  const pages: Page[] = [];
  const read = async function* (request: { readonly checkpoint?: Checkpoint | undefined }) {
    asked.push(request.checkpoint);
    yield* own;
  };
  for await (const one of withSupplement(read, supplement, { mode: 'full', checkpoint }, signal))
    pages.push(one);
  return pages;
}

test('of what the endpoint offers, what is selected takes part', async () => {
  const formats = await supplementFormats(endpoint([]).oai, signal);
  expect(formats.map(({ name }) => name)).toEqual(['mods', 'json']);
});

test('own pages come first and await the other formats, then those of the endpoint, under our names', async () => {
  const problem = { code: 'endpoint-quirk', message: 'slow' } as const;
  const asOf = '2026-11-21T00:00:00Z';
  const own = [page([item('a', ['dim'])], { offset: 1 }, { asOf, expectedTotal: 1 })];
  const more = [
    page([item('oai:here:a', ['mods']), item('oai:there:a', ['mods'])], { token: 't' }, { asOf: 'later' }),
    page([], undefined, { problems: [problem], awaited: ['json'] }),
  ];
  expect(await run(own, endpoint(more))).toEqual([
    {
      items: own[0]?.items,
      checkpoint: { part: 'own', at: { offset: 1 } },
      problems: [],
      awaited: ['mods', 'json'],
      asOf,
      expectedTotal: 1,
    },
    {
      items: [{ ...item('a', ['mods']), supplement: true }],
      checkpoint: { part: 'oai', at: { token: 't' } },
      problems: [],
    },
    { items: [], checkpoint: undefined, problems: [problem], awaited: ['json'] },
  ]);
});

test('without an endpoint nothing is awaited, and own pages are all there is', async () => {
  const own = [page([item('a', ['dim'])], undefined)];
  expect(await run(own, undefined)).toEqual(own);
});

test('a run goes on in the part that it was stopped in', async () => {
  const own = [page([item('a', ['dim'])])];
  const more = [page([item('oai:here:a', ['mods'])])];
  const runFrom = async (checkpoint: Checkpoint) => {
    const [askedOwn, askedOai]: unknown[][] = [[], []];
    const pages = await run(own, endpoint(more, askedOai), checkpoint, askedOwn);
    return { pages: pages.length, own: askedOwn, oai: askedOai };
  };
  expect(await runFrom({ part: 'own', at: { offset: 1 } })).toEqual({
    pages: 2,
    own: [{ offset: 1 }],
    oai: [undefined],
  });
  expect(await runFrom({ part: 'oai', at: { token: 't' } })).toEqual({
    pages: 1,
    own: [],
    oai: [{ token: 't' }],
  });
  // What nobody understands begins anew, which loses nothing.
  for (const at of [{ part: 'other', at: {} }, { part: 'oai', at: 'x' }, { part: 'oai', at: null }, {}])
    expect(await runFrom(at as Checkpoint)).toEqual({ pages: 2, own: [undefined], oai: [undefined] });
});

test('an item that is asked for by itself comes in all formats', async () => {
  const asked: unknown[] = [];
  const supplement = endpoint([], asked, item('oai:here:a', ['mods', 'dim']));
  const own = item('a', ['dim'], { landingPage: 'https://repo.example.org/a' });
  expect(await completeItem(own, supplement, 'oai:here:a', signal)).toEqual({
    ...own,
    speaksFor: { formats: ['dim', 'mods'], files: undefined },
    metadata: ['dim', 'mods', 'dim'].map((format) => ({ format, content: Buffer.from(format) })),
  });
  expect(asked).toEqual(['oai:here:a']);
});

test('what the endpoint does not know yet, or no more, says nothing of the item', async () => {
  const own = item('a', ['dim']);
  const asked: unknown[] = [];
  expect(await completeItem(own, undefined, 'oai:here:a', signal)).toBe(own);
  expect(await completeItem(own, endpoint([], asked), undefined, signal)).toBe(own);
  expect(asked).toEqual([]);
  expect(await completeItem(own, endpoint([]), 'oai:here:a', signal)).toBe(own);
  const gone = item('oai:here:a', ['mods'], { deleted: true });
  expect(await completeItem(own, endpoint([], [], gone), 'oai:here:a', signal)).toBe(own);
});

test('a deletion is one of every format, and asks the endpoint nothing', async () => {
  const asked: unknown[] = [];
  const gone = item('a', ['dim', 'json'], { deleted: true, metadata: [] });
  const all = { ...gone, speaksFor: { formats: ['dim', 'json', 'mods'], files: undefined } };
  expect(await completeItem(gone, endpoint([], asked), 'oai:here:a', signal)).toEqual(all);
  expect(asked).toEqual([]);
  expect(speakingForAll(gone, undefined)).toEqual(gone);
});
