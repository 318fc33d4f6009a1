import { crc32, gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  deflatePiece,
  type Extent,
  extentOf,
  gzipEnd,
  gzipHead,
  joinExtents,
} from '../../../src/publish/disk/gzip-pieces.ts';
import { firstMember } from '../../house/publish/reading.ts';

const bytes = fc.uint8Array({ maxLength: 300 });

it('the checksum of two texts follows from those of each', () => {
  fc.assert(
    fc.property(bytes, bytes, (a, b) => {
      const whole = Buffer.concat([a, b]);
      expect(joinExtents(extentOf(a), extentOf(b))).toEqual({ crc: crc32(whole), length: whole.length });
    }),
  );
});

it('pieces and their end are one member, which whoever stops behind the first member reads as a whole', () => {
  fc.assert(
    fc.property(fc.array(bytes, { maxLength: 5 }), bytes, (pieces, end) => {
      const before = pieces.map(extentOf).reduce(joinExtents, { crc: 0, length: 0 } satisfies Extent);
      const stream = Buffer.concat([gzipHead, ...pieces.map(deflatePiece), gzipEnd(before, end)]);
      expect(gunzipSync(stream).equals(Buffer.concat([...pieces, end]))).toBe(true);
      expect(firstMember(stream)).toBe(stream.length);
    }),
  );
});
