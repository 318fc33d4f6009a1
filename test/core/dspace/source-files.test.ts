import { describe, expect, test } from 'vitest';
import { collectionKey } from '../../../src/core/dspace/collection-key.ts';
import { fieldName, parseFieldName } from '../../../src/core/dspace/field-name.ts';
import { hashOf, mediaTypeOf, toSourceFiles } from '../../../src/core/dspace/source-files.ts';
import { statedPage } from '../../../src/core/dspace/stated-page.ts';
import { bitstream, value } from '../../house/core/items.ts';

const place = () => ({ url: 'https://e.org/f', access: 'open' as const });

function sequences(...ids: (number | undefined)[]): number[] {
  const files = ids.map((sequenceId, index) => bitstream(`f${index}`, { sequenceId }));
  return toSourceFiles(files, place).map(({ sequence }) => sequence);
}

describe('files', () => {
  test('keep the number that is theirs alone; the others follow', () => {
    expect(sequences(3, 1, 2)).toEqual([3, 1, 2]);
    expect(sequences(undefined, undefined)).toEqual([1, 2]);
    expect(sequences(4, 4, 7, undefined)).toEqual([8, 9, 7, 10]);
    expect(sequences(0, -1, 10_000_000_000)).toEqual([1, 2, 3]);
    expect(sequences(9_999_999)).toEqual([9_999_999]);
    expect(sequences(10_000_000)).toEqual([1]);
  });

  test('say what is known of their bytes, unless those are others', () => {
    const [plain] = toSourceFiles([bitstream('a')], place);
    expect(plain).toEqual({
      url: 'https://e.org/f',
      name: 'a.pdf',
      sequence: 1,
      mediaType: 'application/pdf',
      length: 12,
      hash: 'md5:9e55704856c7798762321e4011451d98',
      access: 'open',
    });
    const [altered] = toSourceFiles([bitstream('a')], () => ({ ...place(), isAltered: true }));
    expect(altered).not.toHaveProperty('length');
    expect(altered).not.toHaveProperty('hash');
    const names = toSourceFiles([bitstream('a', { name: 'x' }), bitstream('b', { name: 'x' })], place);
    expect(names.map(({ name, sequence }) => [name, sequence])).toEqual([
      ['x', 1],
      ['x', 2],
    ]);
  });

  test('say who may read them, and from when on', () => {
    const embargo = { access: 'restricted', availableAt: '2030-01-01T00:00:00Z' } as const;
    expect(toSourceFiles([bitstream('a')], () => ({ ...place(), ...embargo }))).toMatchObject([embargo]);
    const [open] = toSourceFiles([bitstream('a')], () => ({ ...place(), availableAt: undefined }));
    expect(open?.access).toBe('open');
    expect(open).not.toHaveProperty('availableAt');
  });

  test('of which little is known say no more than that', () => {
    const unknown = { mimeType: undefined, sizeBytes: undefined, checkSum: undefined };
    expect(toSourceFiles([bitstream('a', unknown)], place)).toEqual([
      { url: 'https://e.org/f', name: 'a.pdf', sequence: 1, access: 'open' },
    ]);
  });

  test('have names of at most 1000 characters', () => {
    const [long] = toSourceFiles([bitstream('a', { name: 'x'.repeat(5000) })], place);
    expect(long?.name).toBe('x'.repeat(1000));
  });

  test.each([
    ['text/plain; charset=utf-8', 'text/plain'],
    [' Application/PDF ', 'application/pdf'],
    ['pdf', undefined],
    ['', undefined],
    ['a/b\r\nx: y', undefined],
  ])('the type %j is %s', (stated, type) => {
    expect(mediaTypeOf(stated)).toBe(type);
  });

  test.each([
    ['MD5', '9E55704856C7798762321E4011451D98', 'md5:9e55704856c7798762321e4011451d98'],
    ['SHA-1', 'a'.repeat(40), `sha-1:${'a'.repeat(40)}`],
    ['md5', '0'.repeat(32), undefined],
    ['md5', 'xyz', undefined],
    ['crc32', 'a'.repeat(8), undefined],
  ])('the checksum %s %s is %s', (algorithm, digest, hash) => {
    expect(hashOf({ algorithm, value: digest })).toBe(hash);
  });
});

test('collections are called as OAI-PMH calls its sets', () => {
  expect(collectionKey('collection', '10986/42', 'u')).toBe('col_10986_42');
  expect(collectionKey('community', '10986/1.2/x', 'u')).toBe('com_10986_1.2_x');
  expect(collectionKey('community', undefined, 'u')).toBe('u');
});

test('names of fields have two or three parts', () => {
  expect(parseFieldName('dc.title')).toEqual({ schema: 'dc', element: 'title', qualifier: undefined });
  expect(parseFieldName('a.b.c.d')).toEqual({ schema: 'a', element: 'b', qualifier: 'c.d' });
  for (const name of ['', 'dc', '.x', 'dc.', 'dc..x']) expect(parseFieldName(name)).toBeUndefined();
  for (const name of ['dc.title', 'a.b.c.d'])
    expect(fieldName(parseFieldName(name) ?? value('x.x', ''))).toBe(name);
});

test('the page of an item is its first address that is no file', () => {
  const uri = (text: string) => value('dc.identifier.uri', text);
  expect(statedPage([uri('https://hdl.handle.net/1/2'), uri('https://doi.org/10.1/x')])).toBe(
    'https://hdl.handle.net/1/2',
  );
  expect(
    statedPage([value('dc.identifier.doi', 'https://doi.org/10.1/x'), uri('http://e.org/handle/1/2 ')]),
  ).toBe('http://e.org/handle/1/2');
  expect(statedPage([value('dc.identifier', 'http://e.org/x'), uri('http://e.org/handle/1/2')])).toBe(
    'http://e.org/x',
  );
  expect(statedPage([uri('http://e.org/bitstream/1/2/a.pdf'), uri('http://e.org/handle/1/2')])).toBe(
    'http://e.org/handle/1/2',
  );
  expect(
    statedPage([uri('urn:x'), uri('javascript:alert(1)'), value('dc.title', 'http://e.org/')]),
  ).toBeUndefined();
});
