import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { BridgeError } from '../core/errors.ts';
import type { Queryable } from './database.ts';

/**
 * Payloads live under the hash of their bytes (`sha-256:…`): small ones in the database, compressed, large
 * ones as files (`content-files.ts`).
 */
export interface BlobRow {
  readonly hash: string;
  /** Octets of the bytes themselves. */
  readonly length: number;
  readonly coding: 'deflate-raw' | 'identity' | 'file';
  /** Of a file: its CRC-32, 4 bytes, most significant first. */
  readonly data: Uint8Array;
}

/** A small window costs nothing on documents of a few kB and saves most of zlib's set-up (17 µs, not 29). */
const compression = { level: 4, windowBits: 13, memLevel: 6 } as const;

export function packBlob(hash: string, content: Uint8Array): BlobRow {
  // By default zlib answers with a view of 16 kB; a page of such views is 16 MB.
  const deflated = deflateRawSync(content, { ...compression, chunkSize: Math.max(64, content.byteLength) });
  const smaller = deflated.byteLength < content.byteLength;
  return {
    hash,
    length: content.byteLength,
    coding: smaller ? 'deflate-raw' : 'identity',
    data: smaller ? deflated : content,
  };
}

/**
 * @returns the bytes, or undefined when none are kept under this hash
 * @throws BridgeError `content-damaged` when they no longer fit it
 */
export async function readBlob(db: Queryable, hash: string): Promise<Uint8Array | undefined> {
  const row: BlobRow | undefined = await db('blob')
    .select('hash', 'length', 'coding', 'data')
    .where({ hash })
    .first();
  return row && unpackBlob(row);
}

/** @throws BridgeError `content-damaged`, also for one that is kept as a file: `contents.ts` reads those */
export function unpackBlob(row: BlobRow): Uint8Array {
  if (row.coding === 'file') {
    throw new BridgeError('content-damaged', `the stored payload ${row.hash} is kept as a file`);
  }
  try {
    const content = row.coding === 'identity' ? row.data : inflate(row.data, row.length);
    if (content.byteLength === row.length && hashOf(content) === row.hash) return content;
  } catch (cause) {
    throw new BridgeError('content-damaged', `the stored payload ${row.hash} cannot be unpacked`, { cause });
  }
  throw new BridgeError('content-damaged', `the stored payload ${row.hash} no longer fits its hash`);
}

function inflate(data: Uint8Array, length: number): Uint8Array {
  // One octet of room more than needed, or zlib would ask for a second chunk to find that it is done.
  const chunkSize = Math.min(Math.max(64, length + 1), 16_777_216);
  return inflateRawSync(data, { chunkSize, maxOutputLength: Math.max(1, length) });
}

function hashOf(content: Uint8Array): string {
  return `sha-256:${createHash('sha256').update(content).digest('hex')}`;
}
