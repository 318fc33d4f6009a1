import { randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { Knex } from 'knex';
import { BridgeError } from '../../core/errors.ts';
import type { ObjectContent, ObjectStore } from '../../core/payloads/object-store.ts';
import type { Database } from '../engine/database.ts';
import { filePieces } from './file-pieces.ts';

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
  /** Payloads of metadata that are longer go there, too; undefined: none do, and those that are there are read. */
  readonly payloadsAbove?: number | undefined;
  /** ISO UTC */
  readonly now: () => string;
}

/** One table for the process: wherever contents of a data directory are read or written, its bucket is known. */
const buckets = new Map<string, ContentBucket>();
/** By the connection that writes: whoever stores a page knows of no directory. */
const bucketsOfDatabases = new WeakMap<Knex, ContentBucket>();

/**
 * @param directory the data directory
 * @param bucket undefined: it has none any more
 * @param database whose payloads may be there
 */
export function useBucket(
  directory: string,
  bucket: ContentBucket | undefined,
  database?: Pick<Database, 'writer'>,
): void {
  if (bucket) buckets.set(directory, bucket);
  else buckets.delete(directory);
  if (!database) return;
  if (bucket) bucketsOfDatabases.set(database.writer, bucket);
  else bucketsOfDatabases.delete(database.writer);
}

export function bucketOf(directory: string): ContentBucket | undefined {
  return buckets.get(directory);
}

export function bucketOfDatabase({ writer }: Pick<Database, 'writer'>): ContentBucket | undefined {
  return bucketsOfDatabases.get(writer);
}

const crcBytes = 4;
const ownBytes = 8;
const lengthBytes = 6;

/** As `data` of a row: the CRC-32, and what makes the name its own. */
export function objectData(crc: number): Buffer {
  const data = randomBytes(crcBytes + ownBytes);
  data.writeUInt32BE(crc);
  return data;
}

/** The same of one that lies there deflated. @param packedLength its octets there */
export function packedObjectData(crc: number, packedLength: number): Buffer {
  const length = Buffer.alloc(lengthBytes);
  length.writeUIntBE(packedLength, 0, lengthBytes);
  return Buffer.concat([objectData(crc), length]);
}

/** Octets of a payload as it lies deflated in the object storage; undefined for what is there as it is, or elsewhere. */
export function packedLengthOf({ coding, data }: Pick<ApartRow, 'coding' | 'data'>): number | undefined {
  const isPacked = coding === 'object' && data.byteLength === crcBytes + ownBytes + lengthBytes;
  return isPacked ? Buffer.from(data).readUIntBE(crcBytes + ownBytes, lengthBytes) : undefined;
}

/** Of a content that is a file or an object; undefined where there is none. */
export function crcOf(row: Pick<ApartRow, 'coding' | 'data'>): number | undefined {
  const length = row.coding === 'object' ? crcBytes + ownBytes : crcBytes;
  const isWhole = row.data.byteLength === length || packedLengthOf(row) !== undefined;
  return isWhole ? Buffer.from(row.data).readUInt32BE() : undefined;
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
  throw noBucket();
}

export function noBucket(): BridgeError {
  return new BridgeError(
    'objects-refused',
    'contents are in an object storage, and the configuration has none any more',
  );
}

/** A file on the disk, as it is sent. */
export function fileContent(file: string, length: number, hash: string): ObjectContent {
  return {
    length,
    sha256: hash.replace('sha-256:', ''),
    open: (start, end) => piecesOf(file, start, end),
  };
}

/** Of a file as far as it goes; each piece is good until the next is asked for. */
export async function* piecesOf(file: string, start: number, end: number): AsyncGenerator<Uint8Array> {
  if (end <= start) return;
  const handle = await open(file);
  try {
    yield* filePieces(handle, { start, end, reused: true });
  } finally {
    await handle.close();
  }
}
