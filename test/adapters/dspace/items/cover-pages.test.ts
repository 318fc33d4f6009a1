import { describe, expect, test } from 'vitest';
import { CoverPages } from '../../../../adapters/dspace/items/cover-pages.ts';
import { createContext } from '../../../house/adapters/http-double.ts';
import {
  bitstreamJson,
  bundleJson,
  createReader,
  digest,
  itemJson,
  type LoopbackApi,
  openApi,
  refusal,
  uuid,
} from '../../../house/adapters/loopback-api.ts';

const { signal } = new AbortController();
const lesson = 'cover-pages';

interface Bytes {
  readonly length?: number | string;
  readonly etag?: string;
}

/** What a HEAD of a bitstream's content says: as stated, unless told otherwise. */
function openStore(
  bytes: (number: number) => Bytes | undefined,
  context = createContext(),
): Promise<LoopbackApi> {
  return openApi((path) => {
    const [, id] = /^\/core\/bitstreams\/([\da-f-]+)\/content$/.exec(path) ?? [];
    if (id === undefined) return undefined;
    const number = Number(id.slice(-12));
    const { length = 1000 + number, etag = `"${digest(number)}"` } = bytes(number) ?? {};
    return {
      status: 206,
      headers: { 'content-range': `bytes 0-0/${length}`, 'content-length': '1', etag },
      body: 'x',
    };
  }, context);
}

const pdf = (number: number) => ({
  id: uuid(number, 'b'),
  sizeBytes: 1000 + number,
  checkSum: { algorithm: 'MD5', value: digest(number) },
});

async function lookAt(covers: CoverPages, ...numbers: readonly number[]): Promise<void> {
  for (const number of numbers) await covers.look(`collection ${number}`, pdf(number), signal);
}

describe('a sample of PDFs', () => {
  test.each([
    ['has another length', { length: 5 }, true],
    ['has another tag', { etag: `"${digest(77)}"` }, true],
    ['has another tag, weak and in two pairs of quotes', { etag: `W/""${digest(77)}""` }, true],
    ['has another tag, which is no MD5', { etag: '"abc-2"' }, false],
    ['has its tag in capitals', { etag: digest(1).toUpperCase() }, false],
    ['has a length that nobody knows', { length: '*' }, false],
    ['is as stated', {}, false],
  ])('that %s', async (_how, bytes, found) => {
    const { rest, context } = await openStore(() => bytes);
    const covers = new CoverPages(rest, context);
    await lookAt(covers, 1);
    expect(covers.found).toBe(found);
  });

  test('is one of each collection, and at most ten', async () => {
    const { rest, context, requests } = await openStore(() => undefined);
    const covers = new CoverPages(rest, context);
    await Promise.all([1, 2, 3].map((number) => covers.look('same', pdf(number), signal)));
    expect(requests).toHaveLength(1);
    await lookAt(covers, ...Array.from({ length: 20 }, (_, index) => index + 1));
    expect(requests).toHaveLength(10);
  });

  test('ends with the first that differs, which is asked for again in the next run', async () => {
    const { rest, context, requests } = await openStore((number) =>
      number === 3 ? { length: 9 } : undefined,
    );
    await lookAt(new CoverPages(rest, context), 1, 2, 3, 4, 5);
    expect(requests).toHaveLength(3);
    expect(context.lessons.get(lesson)).toBe(`${uuid(3, 'b')} 1003 ${digest(3)}`);
    const next = new CoverPages(rest, context);
    expect(next.found).toBe(true);
    await lookAt(next, 6, 7, 8, 9, 10, 11);
    expect(requests).toHaveLength(4);
    expect(next.found).toBe(true);
  });

  test('is large enough to forget what was learnt only with five that agree', async () => {
    const context = createContext();
    context.lessons.learn(lesson, `${uuid(3, 'b')} 9 -`, 'x');
    const { rest } = await openStore(() => undefined, context);
    const covers = new CoverPages(rest, context);
    // The witness is 1003 octets long, and was said to be 9.
    await lookAt(covers, 1);
    expect(covers.found).toBe(true);
    context.lessons.learn(lesson, `${uuid(3, 'b')} 1003 ${digest(3)}`, 'x');
    const next = new CoverPages(rest, context);
    await lookAt(next, 1, 2, 4, 5);
    expect(next.found).toBe(true);
    await lookAt(next, 6);
    expect(next.found).toBe(false);
  });

  test('says nothing where the server does not hand out', async () => {
    const { rest, context } = await openApi(() => refusal(401));
    const covers = new CoverPages(rest, context);
    await lookAt(covers, 1);
    expect(covers.found).toBe(false);
    const gone = new CoverPages(
      { base: 'http://127.0.0.1:1', headContent: () => Promise.reject(new Error('x')) },
      context,
    );
    await expect(lookAt(gone, 1)).rejects.toThrow('x');
  });
});

describe('an item', () => {
  const files = [
    bitstreamJson(1, { status: 'restricted' }),
    bitstreamJson(2, { status: 'open.access' }),
    bitstreamJson(3, { status: 'open.access', mimetype: 'text/csv' }),
  ];
  const json = itemJson([bundleJson('ORIGINAL', files)]);

  test('states no length and no hash of PDFs where there are cover pages', async () => {
    const api = await openStore(() => ({ length: 7 }));
    const read = await createReader(api).read(json, signal);
    const found = 'item' in read ? read.item.files : [];
    expect(found.map(({ length, hash }) => [length, hash])).toEqual([
      [undefined, undefined],
      [undefined, undefined],
      [1003, `md5:${digest(3)}`],
    ]);
    expect(api.requests).toEqual([`/core/bitstreams/${uuid(2, 'b')}/content`]);
  });

  test('without an open PDF is no reason to ask', async () => {
    const api = await openStore(() => ({ length: 7 }));
    const closed = itemJson([bundleJson('ORIGINAL', [bitstreamJson(1, { status: 'restricted' })])]);
    await createReader(api).read(closed, signal);
    await createReader(api).readState(json, signal);
    expect(api.requests).toEqual([]);
  });
});
