import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';

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
  return Readable.from(bytesOf(directory, slices, start, end), { objectMode: false });
}

const chunkBytes = 65_536;

async function* bytesOf(
  directory: string,
  slices: readonly Slice[],
  start: number,
  end: number,
): AsyncGenerator<Buffer> {
  const handles = new Map<string, FileHandle>();
  try {
    // All at once: a file that is removed meanwhile stays readable to whoever holds it.
    for (const slice of slices) {
      if ('file' in slice && !handles.has(slice.file)) {
        handles.set(slice.file, await open(join(directory, slice.file), 'r'));
      }
    }
    let offset = 0;
    for (const slice of slices) {
      const length = sliceLength(slice);
      const from = Math.max(start - offset, 0);
      const to = Math.min(end - offset, length);
      offset += length;
      if (from >= to) continue;
      if ('constant' in slice) yield Buffer.from(slice.constant, 'base64').subarray(from, to);
      else yield* fileBytes(handles.get(slice.file), slice, slice.start + from, slice.start + to);
    }
  } finally {
    await Promise.all([...handles.values()].map((handle) => handle.close()));
  }
}

async function* fileBytes(
  handle: FileHandle | undefined,
  slice: FileSlice,
  start: number,
  end: number,
): AsyncGenerator<Buffer> {
  for (let position = start; handle && position < end; ) {
    const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, end - position));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) throw new Error(`${slice.file} is shorter than what was published of it`);
    yield buffer.subarray(0, bytesRead);
    position += bytesRead;
  }
}
