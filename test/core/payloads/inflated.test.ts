import { deflateRawSync, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inflateRaw } from '../../../src/core/payloads/inflated.ts';
import { runs } from '../../house/runs.ts';

const content = fc.oneof(
  fc.uint8Array({ maxLength: 3000 }),
  fc.string({ maxLength: 2000 }).map((text) => Buffer.from(text.repeat(5))),
  fc.constant(Buffer.alloc(200_000, 'so large that it is done alone')),
);
const level = fc.integer({ min: 0, max: 9 });

/** What is said of it; of damage, that it is damaged. */
function told(inflate: () => Uint8Array): string {
  try {
    return Buffer.from(inflate()).toString('hex');
  } catch {
    return 'damaged';
  }
}

test('One decompressor, used again and again, says what a new one says, also after damaged content', () => {
  const damage = fc.record({ at: fc.nat(3000), with: fc.integer({ min: 1, max: 255 }) });
  const asked = fc.tuple(
    content,
    level,
    fc.option(damage, { nil: undefined }),
    fc.constantFrom(0, 0, 0, -1, 1),
  );
  fc.assert(
    fc.property(fc.array(asked, { minLength: 1, maxLength: 8 }), (all) => {
      for (const [bytes, compression, harm, off] of all) {
        const data = deflateRawSync(bytes, { level: compression });
        if (harm) data[harm.at % data.length] = (data[harm.at % data.length] ?? 0) ^ harm.with;
        const length = Math.max(0, bytes.byteLength + off);
        const alone = told(() => inflateRawSync(data, { maxOutputLength: Math.max(1, length) }));
        expect(told(() => inflateRaw(data, length))).toBe(alone);
      }
    }),
    { numRuns: runs(200, 1000) },
  );
});

test('What it gave stays as it was while others are decompressed', () => {
  const [one, other] = [Buffer.alloc(1000, 'one '), Buffer.alloc(1000, 'other ')];
  const first = inflateRaw(deflateRawSync(one), 1000);
  inflateRaw(deflateRawSync(other), 1000);
  expect(Buffer.from(first)).toEqual(one);
});
