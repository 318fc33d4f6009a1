import type { FileHandle } from 'node:fs/promises';

export interface FileRange {
  readonly start: number;
  /** Not included; may be infinite. */
  readonly end: number;
  /** Octets of a piece at most; default: 64 kB. */
  readonly pieceBytes?: number;
  /** Said where a file ends before `end`; without it that is no error. */
  readonly tooShort?: string;
  /** Each piece lies in the same memory, and is good until the next is asked for. */
  readonly reused?: boolean;
}

/** @throws Error `tooShort` */
export async function* filePieces(handle: FileHandle, range: FileRange): AsyncGenerator<Buffer> {
  const { start, end, pieceBytes = 65_536, tooShort, reused } = range;
  const lengthAt = (position: number) => Math.min(pieceBytes, end - position);
  const memory = reused && end > start ? Buffer.allocUnsafe(lengthAt(start)) : undefined;
  for (let position = start; position < end; ) {
    const piece = memory?.subarray(0, lengthAt(position)) ?? Buffer.allocUnsafe(lengthAt(position));
    const { bytesRead } = await handle.read(piece, 0, piece.length, position);
    if (bytesRead === 0) {
      if (tooShort === undefined) return;
      throw new Error(tooShort);
    }
    yield piece.subarray(0, bytesRead);
    position += bytesRead;
  }
}
