import { createInflateRaw, inflateRawSync, constants as zlib } from 'node:zlib';

/**
 * What `inflateRawSync` does, by one decompressor that is used again and again. Of documents of a few kB, making one (a
 * stream, with all that belongs to it) and collecting it afterwards costs three times what decompressing them does.
 */
export function inflateRaw(data: Uint8Array, length: number): Uint8Array {
  if (length > longest) return inflateAlone(data, length);
  const content = inflateAgain(data, length);
  // Damaged, or not of this length: whoever does it alone knows what to say of it.
  return content ?? inflateAlone(data, length);
}

/** Longer ones cost so much that it does not matter. */
const longest = 65_536;

function inflateAlone(data: Uint8Array, length: number): Uint8Array {
  // One octet of room more than needed, or zlib would ask for a second chunk to find that it is done.
  const chunkSize = Math.min(Math.max(64, length + 1), 16_777_216);
  return inflateRawSync(data, { chunkSize, maxOutputLength: Math.max(1, length) });
}

/** Of Node's own streams: what they are made of, on all versions that we run on. */
interface Inner {
  readonly _handle?: {
    reset(): void;
    writeSync(
      flush: number,
      input: Uint8Array,
      inputAt: number,
      inputLength: number,
      output: Uint8Array,
      outputAt: number,
      outputLength: number,
    ): void;
  } | null;
  /** Octets that are left of the output, and of the input. */
  readonly _writeState?: Uint32Array;
}

let kept: Inner | undefined;

function inflateAgain(data: Uint8Array, length: number): Uint8Array | undefined {
  kept ??= makeInner();
  const { _handle: handle, _writeState: state } = kept;
  if (!handle || state?.length !== 2) return undefined;
  const output = new Uint8Array(length + 1);
  handle.reset();
  // What is damaged leaves it as it was.
  state[0] = 0;
  handle.writeSync(zlib.Z_FINISH, data, 0, data.byteLength, output, 0, output.byteLength);
  if (state[0] === 1 && state[1] === 0) return output.subarray(0, length);
  // It may have closed itself.
  kept = undefined;
  return undefined;
}

function makeInner(): Inner {
  const stream = createInflateRaw();
  // What is wrong with a content is told by whoever tries it alone.
  stream.on('error', () => undefined);
  return stream as unknown as Inner;
}
