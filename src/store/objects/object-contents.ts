import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { BridgeError } from '../../core/errors.ts';
import type { ObjectContent, ObjectStore } from '../../core/payloads/object-store.ts';

/** Of a row in `blob`. */
export interface ApartRow {
  readonly hash: string;
  readonly coding: string;
  readonly data: Uint8Array;
}

/**
 * Large contents in an object storage, beside those that are files: the row in `blob` says which of both, so that
 * they may be moved one by one while they are served. A name has the hash of the content, and octets of its own.
 */
export interface ContentBucket {
  readonly store: ObjectStore;
  /** Whether new contents go there; those that are there are read in any case. */
  readonly takesNew: boolean;
  /** So long a reader may be sent there; 0: what is read comes through us. */
  readonly redirectSeconds: number;
  /** ISO UTC */
  readonly now: () => string;
}

/** One table for the process: wherever contents of a data directory are read or written, its bucket is known. */
const buckets = new Map<string, ContentBucket>();

/** @param directory the data directory @param bucket undefined: it has none any more */
export function useBucket(directory: string, bucket: ContentBucket | undefined): void {
  if (bucket) buckets.set(directory, bucket);
  else buckets.delete(directory);
}

export function bucketOf(directory: string): ContentBucket | undefined {
  return buckets.get(directory);
}

const crcBytes = 4;
const ownBytes = 8;

/** As `data` of a row: the CRC-32, and what makes the name its own. */
export function objectData(crc: number): Buffer {
  const data = randomBytes(crcBytes + ownBytes);
  data.writeUInt32BE(crc);
  return data;
}

/** Of a content that is a file or an object; undefined where there is none. */
export function crcOf({ coding, data }: Pick<ApartRow, 'coding' | 'data'>): number | undefined {
  const length = coding === 'object' ? crcBytes + ownBytes : crcBytes;
  return data.byteLength === length ? Buffer.from(data).readUInt32BE() : undefined;
}

/** `blobs/<2 hex>/<2 hex>/<hex>-<its own>` */
export function objectKey({ hash, data }: Pick<ApartRow, 'hash' | 'data'>): string {
  const hex = hash.replace('sha-256:', '');
  const own = Buffer.from(data.subarray(crcBytes)).toString('hex');
  return `blobs/${hex.slice(0, 2)}/${hex.slice(2, 4)}/${hex}-${own}`;
}

/** @throws BridgeError `objects-refused` where no object storage is configured */
export function storeFor(directory: string): ObjectStore {
  const bucket = bucketOf(directory);
  if (bucket) return bucket.store;
  throw new BridgeError(
    'objects-refused',
    'contents are in an object storage, and the configuration has none any more',
  );
}

/**
 * @returns undefined when it is not there
 * @throws BridgeError `objects-unavailable`, `objects-refused`: nothing is known of it then
 */
export async function openContent(
  directory: string,
  row: Pick<ApartRow, 'hash' | 'data'>,
  range: { readonly start?: number; readonly end?: number; readonly signal?: AbortSignal | undefined } = {},
): Promise<{ readonly length: number; readonly body: Readable } | undefined> {
  return storeFor(directory).get(objectKey(row), range);
}

/** A file on the disk, as it is sent. */
export function fileContent(file: string, length: number, hash: string): ObjectContent {
  return {
    length,
    sha256: hash.replace('sha-256:', ''),
    open: (start, end) => (end > start ? createReadStream(file, { start, end: end - 1 }) : nothing()),
  };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
