import { describe, expect, it } from 'vitest';
import { readJsonBody } from '../../../../adapters/dspace/rest/json-body.ts';

async function read(text: string): Promise<unknown> {
  async function* body(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(text);
  }
  const headers = { 'content-type': 'application/json' };
  return readJsonBody({
    status: 200,
    url: 'http://x/y?z',
    headers,
    body: body(),
    discard: async () => undefined,
  });
}

describe('JSON of a repository', () => {
  it.each([
    ['objects', '{}'],
    ['lists', '[]'],
    ['numbers', '0'],
    ['texts', '""'],
  ])('that would take a hundred times its length is not read: %s', async (_what, value) => {
    const json = `{"a":[${`${value},`.repeat(200_000)}0]}`;
    await expect(read(json)).rejects.toMatchObject({ code: 'response-too-large' });
  });

  it('counts no commas or brackets inside of texts', async () => {
    const text = `\\"${',{[]}'.repeat(200_000)}`;
    await expect(read(`{"a":"${text}"}`)).resolves.toEqual({ a: text.replace('\\', '') });
  });

  it('of a hundred items with hundreds of files each is read', async () => {
    const file = { uuid: 'x', name: 'a.pdf', sizeBytes: 1, _links: { self: { href: 'http://x/' } } };
    const json = JSON.stringify({ items: Array.from({ length: 20_000 }, () => file) });
    await expect(read(json)).resolves.toHaveProperty('items');
  });
});
