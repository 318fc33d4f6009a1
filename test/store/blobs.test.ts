import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packBlob, readBlob, unpackBlob } from '../../src/store/blobs.ts';
import { insertRows } from '../../src/store/bulk.ts';
import { describeOnBoth } from './databases.ts';

const hashOf = (content: Uint8Array) => `sha-256:${createHash('sha256').update(content).digest('hex')}`;

describeOnBoth('blobs', (open) => {
  test('come back byte for byte, whatever they hold', async () => {
    const { database } = open();
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 3000 }), async (content) => {
        const hash = hashOf(content);
        await database.transaction(async (trx) => {
          await insertRows(trx, 'blob', [{ ...packBlob(hash, content) }], {
            conflict: { columns: ['hash'], update: [] },
          });
        });
        expect(Buffer.from((await readBlob(database.reader, hash)) ?? [])).toEqual(Buffer.from(content));
      }),
      { numRuns: 50 },
    );
  });

  test('that no longer fit their hash are refused', async () => {
    const { database } = open();
    const content = Buffer.from('<dc>the bytes as they were</dc>'.repeat(20));
    const packed = packBlob(hashOf(content), content);
    const other = packBlob(packed.hash, Buffer.from('<dc>the bytes as they became</dc>'.repeat(20)));
    await database.writer('blob').insert({ ...other, length: content.byteLength + 100 });
    await expect(readBlob(database.reader, packed.hash)).rejects.toMatchObject({ code: 'content-damaged' });
    await expect(readBlob(database.reader, 'sha-256:none')).resolves.toBeUndefined();
  });
});

test('a blob that unpacks to more than it should is damaged, not a bomb', () => {
  const bomb = packBlob('sha-256:0', Buffer.alloc(10_000_000));
  expect(() => unpackBlob({ ...bomb, length: 10 })).toThrow(
    expect.objectContaining({ code: 'content-damaged' }),
  );
});

test('a blob of another length, or one that is kept as a file, is not mistaken for its content', () => {
  const content = Buffer.from('<dc>the bytes as they were</dc>'.repeat(20));
  const packed = packBlob(hashOf(content), content);
  const damaged = expect.objectContaining({ code: 'content-damaged' });
  expect(Buffer.from(unpackBlob(packed)).equals(content)).toBe(true);
  expect(() => unpackBlob({ ...packed, length: packed.length + 1 })).toThrow(damaged);
  expect(() => unpackBlob({ ...packed, coding: 'file', data: Buffer.alloc(4) })).toThrow(damaged);
});
