/** What is gathered of one body at a time. */
export const chunkBytes = 1_048_576;

const free: Buffer[] = [];
const keptAtMost = 32;
const lent = new WeakSet<ArrayBufferLike>();

/**
 * Memory for a chunk of a body, which other threads can see, too: fresh megabytes for each would cost more than to
 * receive what is put into them.
 */
export function takeChunk(): Buffer {
  const chunk = free.pop() ?? Buffer.from(new SharedArrayBuffer(chunkBytes));
  lent.add(chunk.buffer);
  return chunk;
}

/** It lies in memory of `takeChunk`, from its beginning. */
export function isChunk({ buffer, byteOffset }: Uint8Array): boolean {
  return byteOffset === 0 && lent.has(buffer);
}

/** Nobody looks at it any more. Of what is not ours, or has been given back, nothing happens. */
export function giveBackChunk({ buffer }: Uint8Array): void {
  if (lent.delete(buffer) && free.length < keptAtMost) free.push(Buffer.from(buffer));
}
