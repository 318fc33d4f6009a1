import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyDelta, makeDelta } from '../../../src/store/payloads/deltas.ts';
import { countSteps } from '../../house/process/steps.ts';

const unlimited = Number.MAX_SAFE_INTEGER;

function roundTrip(base: Uint8Array, content: Uint8Array): number {
  const delta = makeDelta(base, content, unlimited);
  if (!delta) throw new Error('without a limit there is a delta');
  expect(Buffer.compare(applyDelta(base, delta, content.byteLength), content)).toBe(0);
  return delta.byteLength;
}

const words = [
  '</dc:subject>\n<dc:subject>',
  '<dc:title xml:lang="ja">',
  'library',
  '図書館',
  '2026-11-21',
  ' ',
  '&amp;',
];
const xml = fc
  .array(fc.oneof(fc.constantFrom(...words), fc.string({ maxLength: 30 })), { maxLength: 400 })
  .map((pieces) => Buffer.from(pieces.join('')));
const binary = fc.uint8Array({ maxLength: 4000 }).map((bytes) => Buffer.from(bytes));
/** Any size up to 300 kB, cheaply. */
const large = fc
  .tuple(fc.integer({ min: 0, max: 300_000 }), fc.integer({ min: 1, max: 50_000 }))
  .map(([length, period]) => {
    const once = randomBytes(period);
    return Buffer.alloc(length, once);
  });
const edit = fc.record({
  place: fc.double({ min: 0, max: 1, noNaN: true }),
  remove: fc.nat(3000),
  insert: fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.constantFrom(...words).map((word) => Buffer.from(word)),
  ),
});

function edited(
  base: Buffer,
  edits: readonly { place: number; remove: number; insert: Uint8Array }[],
): Buffer {
  return edits.reduce((content, { place, remove, insert }) => {
    const at = Math.floor(place * content.length);
    return Buffer.concat([content.subarray(0, at), insert, content.subarray(at + remove)]);
  }, base);
}

describe('a delta', () => {
  test('makes the content of its base, whatever was edited', () => {
    fc.assert(
      fc.property(fc.oneof(xml, binary, large), fc.array(edit, { maxLength: 8 }), (base, edits) => {
        roundTrip(base, edited(base, edits));
      }),
      { numRuns: 300 },
    );
  });

  test('makes any content of any base', () => {
    const any = fc.oneof(xml, binary, large);
    fc.assert(
      fc.property(any, any, (base, content) => {
        roundTrip(base, content);
      }),
      { numRuns: 60 },
    );
  });

  test('of a small edit is small, wherever in 100 kB it is, and also where pieces have changed places', () => {
    const rows = Array.from(
      { length: 1000 },
      (_, index) => `<file ID="f${index}">${randomBytes(40).toString('hex')}</file>\n`,
    );
    const base = Buffer.from(rows.join(''));
    const content = (lines: readonly string[]) => Buffer.from(lines.join(''));
    expect(roundTrip(base, base)).toBeLessThan(12);
    expect(roundTrip(base, content(rows.with(500, '<file ID="f500">another</file>\n')))).toBeLessThan(40);
    expect(roundTrip(base, content(['<first/>\n', ...rows, '<last/>\n']))).toBeLessThan(60);
    expect(roundTrip(base, content(rows.toSpliced(100, 300)))).toBeLessThan(20);
    expect(roundTrip(base, content([...rows.slice(700), ...rows.slice(0, 700)]))).toBeLessThan(40);
    const swapped = rows.with(3, rows[990] ?? '').with(990, rows[3] ?? '');
    expect(roundTrip(base, content(swapped))).toBeLessThan(120);
  });

  test('that would be longer than it may be is none', () => {
    const [base, content] = [randomBytes(5000), randomBytes(5000)];
    const length = roundTrip(base, content);
    expect(makeDelta(base, content, length)).toBeDefined();
    expect(makeDelta(base, content, length - 1)).toBeUndefined();
    expect(makeDelta(base, base, 0)).toBeUndefined();
    expect(makeDelta(base, base, -80)).toBeUndefined();
  });

  test('between large contents that have nothing in common is given up before they are read', async () => {
    const [base, content] = [randomBytes(3_000_000), randomBytes(3_000_000)];
    const given = [base, content, 500_000];
    const [counted] = await countSteps('src/store/payloads/deltas.ts', 'makeDelta', given);
    expect(counted?.result).toBeUndefined();
    expect(counted?.steps).toBeLessThan(100_000);
  });

  test('that is damaged, or of another base, is refused or makes other bytes, and never more of them', () => {
    const base = Buffer.from(words.join('').repeat(30));
    const content = edited(base, [{ place: 0.4, remove: 12, insert: randomBytes(120) }]);
    const delta = Buffer.from(makeDelta(base, content, unlimited) ?? []);
    const attempt = (of: Uint8Array, damaged: Uint8Array, length = content.length) => {
      try {
        return applyDelta(of, damaged, length).byteLength;
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
        return length;
      }
    };
    for (let place = 0; place < delta.length; place += 1) {
      for (const value of [0, 1, 127, 128, 255]) {
        const damaged = Buffer.from(delta);
        damaged[place] = value;
        expect(attempt(base, damaged)).toBe(content.length);
      }
      expect(attempt(base, delta.subarray(0, place))).toBe(content.length);
    }
    expect(() => applyDelta(base.subarray(0, 100), delta, content.length)).toThrow(RangeError);
    expect(() => applyDelta(base, delta, content.length + 1)).toThrow(RangeError);
    expect(() => applyDelta(base, delta, content.length - 1)).toThrow(RangeError);
    const cut = () => applyDelta(base, Buffer.from([0, 9]), 1);
    expect(cut).toThrow(RangeError);
    expect(cut).toThrow('a delta is shorter than it says');
  });

  test('has numbers of seven octets at most: no content is as long as a longer one says', () => {
    const [base, content] = [Buffer.from('x'), Buffer.from('y')];
    const long = (octets: number) => [1, ...Array(octets - 2).fill(0)].map((octet) => octet | 128).concat(0);
    // One octet is added, and none copied.
    const delta = (octets: number) => Buffer.from([0, octets + 1, ...long(octets), 0, ...content]);
    for (const octets of [2, 6, 7]) expect(Buffer.from(applyDelta(base, delta(octets), 1))).toEqual(content);
    expect(() => applyDelta(base, delta(8), 1)).toThrow('a delta breaks off in a number');
  });

  test('cannot be a bomb: what it makes and what its additions unpack to is bounded by the length', () => {
    const base = Buffer.alloc(100_000, 'x');
    // 50,000 instructions that copy the whole base.
    const instruction = [0, 0xa0, 0x8d, 0x06];
    const instructions = [
      ...instruction,
      0,
      ...Array(50_000)
        .fill([...instruction, 0xbf, 0x9a, 0x0c])
        .flat(),
    ];
    const head = [0, (instructions.length % 128) | 128, (Math.floor(instructions.length / 128) % 128) | 128];
    const bomb = Buffer.from([...head, Math.floor(instructions.length / 16_384), ...instructions]);
    expect(() => applyDelta(base, bomb, 200)).toThrow(RangeError);
  });
});
