import { describe, expect, test } from 'vitest';
import { readSmallDocument, type SmallDocument } from '../../../../adapters/oai-pmh/wire/small-document.ts';

const start = '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><Identify>';
const end = '</Identify></OAI-PMH>';

/** @returns what was read of an answer that would go on for ever, in kilobytes, and what came of it */
async function read(
  piece: string,
  most: number,
  status = 200,
): Promise<{ kilobytes: number; outcome: SmallDocument | Error }> {
  const kilobyte = piece.repeat(Math.ceil(1024 / piece.length));
  let kilobytes = 0;
  async function* body(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(start);
    for (; kilobytes < most; kilobytes += 1) yield Buffer.from(kilobyte);
    yield Buffer.from(end);
  }
  const response = {
    status,
    url: 'http://x/',
    headers: {},
    body: body(),
    discard: async () => undefined,
  };
  const outcome = await readSmallDocument(response).catch((error: Error) => error);
  return { kilobytes, outcome };
}

describe('An answer that is read as a whole', () => {
  test.each([
    ['text', `<x>${'x'.repeat(50_000)}</x>`, 8500],
    ['one text', 'x', 300],
    ['one attribute', ' x', 300],
    ['references', '&amp;', 300],
    ['empty elements', '<b/>', 600],
    ['attributes', '<b c=""/>', 700],
    ['nested elements', '<b>', 450],
  ])('is left once there is too much of %s', async (_what, piece, most) => {
    const { kilobytes, outcome } = await read(piece, 100_000);
    expect(outcome).toMatchObject({ code: 'response-too-large' });
    expect(kilobytes).toBeLessThan(most);
  });

  test.each([
    ['a page for people without end', 403, 'x'],
    ['elements without end', 500, '<b/>'],
  ])('with %s fails by its status, which says why', async (_what, status, piece) => {
    const { outcome } = await read(piece, 100_000, status);
    expect(outcome).toMatchObject({
      code: 'upstream-status',
      message: `http://x/ answered with HTTP status ${status}`,
    });
  });

  test('may have as many sets as any repository lists on one page', async () => {
    const set = '<set><setSpec>com_1</setSpec><setName>A collection of things</setName></set>';
    const { outcome } = await read(set, 700);
    expect(outcome).toMatchObject({ errors: [] });
  });
});
