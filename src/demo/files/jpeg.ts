import type { Colour, Painting } from './painting.ts';

/**
 * Baseline JPEG (ITU-T T.81) of 8×8 blocks of one colour each: all that is left of a picture when only the first
 * coefficient of each block is kept. Three components, no subsampling.
 */
export function drawJpeg(picture: Painting): Uint8Array {
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xe0, [...Buffer.from('JFIF\0', 'latin1'), 1, 2, 0, 0, 1, 0, 1, 0, 0]),
    // With this step the coefficient is the block's mean itself.
    segment(0xdb, [0, ...Array<number>(64).fill(8)]),
    frame(picture),
    segment(0xc4, [0x00, ...lengths, ...categories]),
    // One code, one bit long: the block ends here.
    segment(0xc4, [0x10, 1, ...Array<number>(15).fill(0), 0]),
    segment(0xda, [3, 1, 0, 2, 0, 3, 0, 0, 63, 0]),
    scan(picture),
    Buffer.from([0xff, 0xd9]),
  ]);
}

/** How many codes there are of 1 to 16 bits, and what they stand for (T.81, table K.3). */
const lengths = [0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0];
const categories = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
const codes = canonicalCodes();

function canonicalCodes(): readonly (readonly [code: number, bits: number])[] {
  const made: (readonly [number, number])[] = [];
  let code = 0;
  for (const [index, count] of lengths.entries()) {
    for (let taken = 0; taken < count; taken += 1) {
      made.push([code, index + 1]);
      code += 1;
    }
    code *= 2;
  }
  return made;
}

function segment(marker: number, data: readonly number[]): Buffer {
  const length = data.length + 2;
  return Buffer.from([0xff, marker, length >> 8, length & 0xff, ...data]);
}

function frame({ width, height }: Painting): Buffer {
  const size = [height >> 8, height & 0xff, width >> 8, width & 0xff];
  return segment(0xc0, [8, ...size, 3, ...[1, 2, 3].flatMap((component) => [component, 0x11, 0])]);
}

function scan({ width, height, colourAt }: Painting): Buffer {
  const bits = new BitWriter();
  const before = [0, 0, 0];
  for (let y = 0; y < height; y += 8) {
    for (let x = 0; x < width; x += 8) {
      for (const [component, value] of toYCbCr(colourAt(x + 4, y + 4)).entries()) {
        writeDifference(bits, value - (before[component] ?? 0));
        before[component] = value;
        bits.write(0, 1);
      }
    }
  }
  return bits.end();
}

/** Centred on zero (JFIF 1.02). */
function toYCbCr([r, g, b]: Colour): readonly number[] {
  const y = 0.299 * r + 0.587 * g + 0.114 * b;
  const values = [y - 128, 0.564 * (b - y), 0.713 * (r - y)];
  return values.map((value) => Math.max(-128, Math.min(127, Math.round(value))));
}

/** Its number of bits by a code, then the bits; of negative ones those of the number one less (T.81, F.1.2.1). */
function writeDifference(bits: BitWriter, difference: number): void {
  const size = 32 - Math.clz32(Math.abs(difference));
  const [code, length] = codes[size] ?? [0, 0];
  bits.write(code, length);
  bits.write(difference < 0 ? difference + 2 ** size - 1 : difference, size);
}

class BitWriter {
  readonly #bytes: number[] = [];
  #pending = 0;
  #count = 0;

  write(value: number, bits: number): void {
    for (let bit = bits - 1; bit >= 0; bit -= 1) {
      this.#pending = (this.#pending << 1) | ((value >> bit) & 1);
      this.#count += 1;
      if (this.#count < 8) continue;
      this.#bytes.push(this.#pending);
      // A byte of ones would begin a marker.
      if (this.#pending === 0xff) this.#bytes.push(0);
      this.#pending = 0;
      this.#count = 0;
    }
  }

  /** Filled up with ones. */
  end(): Buffer {
    while (this.#count > 0) this.write(1, 1);
    return Buffer.from(this.#bytes);
  }
}
