import { createHash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { insertRows } from '../../../src/store/engine/bulk.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { type BlobRow, packAgainst, packBlob, unpackBlob } from '../../../src/store/payloads/blobs.ts';
import { describeOnBoth } from '../../house/store/databases.ts';
import { readBlob } from '../../house/store/read-blob.ts';

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

test('a payload that was packed holds on to hardly more memory than it takes', () => {
  const content = Buffer.from(Array.from({ length: 100_000 }, (_, at) => `<file id="${at}"/>`).join(''));
  const { data } = packBlob(hashOf(content), content);
  expect(data.byteLength).toBeLessThan(content.byteLength / 3);
  expect(data.buffer.byteLength).toBeLessThan(data.byteLength + 131_072);
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

describeOnBoth('blobs as deltas', (open) => {
  const record = (title: string, subjects: number) =>
    Buffer.from(
      `<dc><title>${title}</title>${Array.from({ length: subjects }, (_, index) => `<subject>${hashOf(Buffer.from(`${index}`))}</subject>`).join('')}</dc>`,
    );
  const keyframeOf = (content: Uint8Array) => {
    const row = packBlob(hashOf(content), content);
    return { row, keyframe: { hash: row.hash, content, packedLength: row.data.byteLength } };
  };
  const keep = (database: Database, rows: readonly BlobRow[]) =>
    database.transaction(async (trx) => {
      const conflict = { columns: ['hash'], update: [] };
      await insertRows(
        trx,
        'blob',
        rows.map((row) => ({ ...row })),
        { conflict },
      );
    });

  test('come back byte for byte, whatever was edited', async () => {
    const { database } = open();
    const edits = fc.array(fc.tuple(fc.nat(2900), fc.nat(60), fc.uint8Array({ maxLength: 80 })), {
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 3000 }), edits, async (base, changes) => {
        const { row, keyframe } = keyframeOf(base);
        let content = Buffer.from(base);
        for (const [at, removed, added] of changes) {
          content = Buffer.concat([content.subarray(0, at), added, content.subarray(at + removed)]);
        }
        const packed = packAgainst(hashOf(content), content, keyframe);
        await keep(database, [row, packed]);
        expect(Buffer.from((await readBlob(database.reader, packed.hash)) ?? []).equals(content)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  test('are clearly smaller than what they would be whole, or are no deltas', () => {
    const { row, keyframe } = keyframeOf(record('first', 40));
    const pack = (content: Buffer) => packAgainst(hashOf(content), content, keyframe);
    const edited = pack(record('second', 40));
    expect(edited).toMatchObject({ coding: 'delta', base: row.hash, length: record('second', 40).length });
    expect(edited.data.byteLength).toBeLessThan(row.data.byteLength / 20);
    expect(pack(Buffer.from(randomBytes(3000).toString('hex')))).toMatchObject({
      coding: 'deflate-raw',
      base: null,
    });
    // Itself, what is too small to be worth the name of a base, and what is much smaller than the base.
    expect(pack(record('first', 40))).toMatchObject({ coding: 'deflate-raw', base: null });
    expect(pack(Buffer.from('<dc/>'))).toMatchObject({ base: null });
    const huge = keyframeOf(randomBytes(100_000)).keyframe;
    expect(packAgainst('sha-256:0', Buffer.from(huge.content.subarray(0, 5000)), huge)).toMatchObject({
      coding: 'identity',
      base: null,
    });
  });

  test('name themselves and their base when one of them is damaged', async () => {
    const { database } = open();
    const { row, keyframe } = keyframeOf(record(`of ${randomBytes(8).toString('hex')}`, 30));
    const content = record(`another ${randomBytes(8).toString('hex')}`, 30);
    const delta = packAgainst(hashOf(content), content, keyframe);
    expect(delta.coding).toBe('delta');
    await keep(database, [row, delta]);
    const failure = async () => {
      const damaged: unknown = await readBlob(database.reader, delta.hash).catch((error: unknown) => error);
      expect(damaged).toMatchObject({ code: 'content-damaged' });
      return String(damaged);
    };
    const change = (hash: string, columns: object) => database.writer('blob').where({ hash }).update(columns);

    await change(delta.hash, { data: Buffer.from(delta.data).fill(7, 3) });
    expect(await failure()).toMatch(new RegExp(`${delta.hash} (cannot be unpacked|no longer fits)`));
    await change(delta.hash, { data: Buffer.from(delta.data), length: delta.length + 1 });
    expect(await failure()).toContain(`${delta.hash} cannot be unpacked`);
    await change(delta.hash, { length: delta.length });
    expect(Buffer.from((await readBlob(database.reader, delta.hash)) ?? []).equals(content)).toBe(true);

    await change(row.hash, { data: Buffer.from('rubbish') });
    expect(await failure()).toContain(`${delta.hash} is a difference from ${row.hash}, which is damaged`);
    // Whole, but not what it was.
    await change(row.hash, { ...packBlob(row.hash, record('someone else', 30)) });
    expect(await failure()).toContain(`which is damaged`);
    await change(row.hash, { coding: 'delta', base: delta.hash });
    expect(await failure()).toContain(`which is not kept as it is`);
    await change(row.hash, { coding: 'file', data: Buffer.alloc(4), base: null });
    expect(await failure()).toContain(`which is not kept as it is`);
    await database.writer('blob').where({ hash: row.hash }).delete();
    expect(await failure()).toContain(`which is missing`);
    await change(delta.hash, { base: null });
    expect(await failure()).toContain(`which is missing`);
  });
});
