import { expect, test } from 'vitest';
import { toItemJson } from '../../../src/core/dspace/item-json.ts';
import { readItemJson } from '../../../src/core/dspace/item-json-reader.ts';
import { bitstream, item, value } from '../../house/core/items.ts';

test('an item is read as it was written', () => {
  const one = item(
    [
      value('dc.title', '雪', { language: 'ja' }),
      value('dc.contributor.author', 'A', { authority: 'x', confidence: 500 }),
      value('dc.title', 'Snow'),
    ],
    {
      entityType: 'Publication',
      bitstreams: [bitstream('a', { sequenceId: 3 }), bitstream('b', { checkSum: undefined })],
      collections: [{ id: 'z', handle: '1/3', name: 'Owning' }],
    },
  );
  expect(readItemJson(Buffer.from(toItemJson(one)))).toEqual(one);
});

test.each(['', '{', '[]', '{"id":1}', '{"id":"a"}'])('%j is none', (text) => {
  expect(readItemJson(Buffer.from(text))).toBeUndefined();
});
