import { ChunkPool } from '../../core/payloads/chunk-pool.ts';

/** What is gathered of one body at a time. */
export const chunkBytes = 1_048_576;

/**
 * Memory for chunks of bodies, which other threads can see, too: fresh megabytes for each would cost more than to
 * receive what is put into them.
 */
export const bodyChunks = new ChunkPool(() => Buffer.from(new SharedArrayBuffer(chunkBytes)), 32);
