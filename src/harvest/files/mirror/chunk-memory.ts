/** What is gathered of one body at a time. */
export const chunkBytes = 1_048_576;

const free: Buffer[] = [];
const keptAtMost = 32;

/**
 * Memory for a chunk of a body, which other threads can see, too: fresh megabytes for each would cost more than to
 * receive what is put into them.
 */
export function takeChunk(): Buffer {
  return free.pop() ?? Buffer.from(new SharedArrayBuffer(chunkBytes));
}

/** Nobody looks at it any more. To be called once for each. */
export function giveBackChunk(chunk: Buffer): void {
  if (free.length < keptAtMost) free.push(chunk);
}
