import { Readable } from 'node:stream';
import { openPublishedFile, type PublishedFile } from '../bucket/published-files.ts';

/**
 * A published document is a sequence of slices: an open Change List is what its file holds so far and a
 * constant closing tag; a Resource List has its head, which states when it was completed, before its body.
 */
export type Slice = FileSlice | ConstantSlice;

export interface FileSlice {
  /** Name in the directory of the set. */
  readonly file: string;
  readonly start: number;
  readonly end: number;
}

export interface ConstantSlice {
  /** Base64. */
  readonly constant: string;
}

export function constantSlice(bytes: Uint8Array): ConstantSlice {
  return { constant: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64') };
}

function sliceLength(slice: Slice): number {
  return 'constant' in slice ? Buffer.byteLength(slice.constant, 'base64') : slice.end - slice.start;
}

export function totalLength(slices: readonly Slice[]): number {
  return slices.reduce((sum, slice) => sum + sliceLength(slice), 0);
}

/** Bytes [start, end) of the slices in a row. Nothing is opened before it is read. */
export function readSlices(
  directory: string,
  slices: readonly Slice[],
  start: number,
  end: number,
): Readable {
  return Readable.from(bytesOf(directory, slices, { start, end }), { objectMode: false });
}

/** All bytes of the slices. Each piece lies in the same memory, and is good until the next is asked for. */
export function slicePieces(directory: string, slices: readonly Slice[]): AsyncGenerator<Buffer> {
  return bytesOf(directory, slices, { start: 0, end: totalLength(slices), reused: true });
}

interface SliceRange {
  readonly start: number;
  readonly end: number;
  readonly reused?: boolean;
}

async function* bytesOf(
  directory: string,
  slices: readonly Slice[],
  { start, end, reused = false }: SliceRange,
): AsyncGenerator<Buffer> {
  const files = new Map<string, PublishedFile>();
  try {
    // All at once: a file that is removed meanwhile stays readable to whoever holds it.
    for (const [file, length] of lengthsOf(slices))
      files.set(file, await openPublishedFile(directory, file, length));
    let offset = 0;
    for (const slice of slices) {
      const length = sliceLength(slice);
      const from = Math.max(start - offset, 0);
      const to = Math.min(end - offset, length);
      offset += length;
      if (from >= to) continue;
      if ('constant' in slice) yield Buffer.from(slice.constant, 'base64').subarray(from, to);
      else yield* files.get(slice.file)?.bytes(slice.start + from, slice.start + to, reused) ?? [];
    }
  } finally {
    await Promise.all([...files.values()].map((file) => file.close()));
  }
}

/** How much of each file is needed. */
function lengthsOf(slices: readonly Slice[]): ReadonlyMap<string, number> {
  const lengths = new Map<string, number>();
  for (const slice of slices)
    if ('file' in slice) lengths.set(slice.file, Math.max(slice.end, lengths.get(slice.file) ?? 0));
  return lengths;
}
