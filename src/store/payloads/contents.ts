import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { deflatePayload } from '../../core/payloads/deflated.ts';
import { batchBytes, batches } from '../engine/batches.ts';
import type { Queryable } from '../engine/database.ts';
import { bucketOf, crcOf } from '../objects/object-contents.ts';
import { type BlobRow, type BlobRows, readBlobRows, unpackBlob } from './blobs.ts';
import { contentFile, type ReadBuffers, readContentFile } from './content-files.ts';
import { checkedObject, fetchPayloads, noteFetched, openObject } from './content-objects.ts';
import { type ContentOwner, damaged } from './content-owner.ts';
import { setAside } from './damaged-contents.ts';

/** A content as it is kept. What is read of it has been checked against its hash. */
export type Content = PackedContent | FileContent;

export interface PackedContent {
  readonly coding: 'deflate-raw' | 'identity';
  readonly length: number;
  readonly crc: number;
  /** In this coding; what is stored as a difference is packed when it is asked for. */
  readonly packed: Uint8Array;
  readonly bytes: Uint8Array;
}

export interface FileContent {
  readonly coding: 'file';
  readonly length: number;
  readonly crc: number;
  /** To be read once; damage is known at its end, which then throws. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Of what is in the object storage: bytes from `start` up to, not including, `end`, unchecked. */
  open?(start: number, end: number): Promise<Readable>;
  /** Of the same: of its row. */
  readonly data?: Uint8Array;
}

export interface ReadOptions {
  readonly signal?: AbortSignal | undefined;
  /** If given, one content is to be read after the other, and a chunk is only good until the next one. */
  readonly buffers?: ReadBuffers | undefined;
}

/** Payloads that are longer are read as files are, where they are not in the database. */
const longestInMemory = 1_048_576;

/**
 * The content of each owner, in the order given.
 * @throws BridgeError `content-damaged` naming the owner whose content is missing or not what its hash says;
 * `objects-unavailable`, `objects-refused`: nothing is known of it then
 */
export async function* readContents<Owner extends ContentOwner>(
  db: Queryable,
  directory: string,
  owners: readonly Owner[],
  options: ReadOptions = {},
): AsyncGenerator<{ readonly owner: Owner; readonly content: Content }> {
  for (const batch of batches(owners, batchBytes, ({ length = 0 }) => length)) {
    options.signal?.throwIfAborted();
    const stored = await readBlobRows(db, [...new Set(batch.flatMap(({ hash }) => hash ?? []))]);
    const rows = await fetchPayloads(bucketOf(directory), stored, longestInMemory);
    for (const owner of batch) {
      let content: Content;
      try {
        content = toContent(directory, owner, rows, options);
      } catch (error) {
        if (rows !== stored) await noteFetched(directory, owner.hash ?? '', stored, rows);
        throw error;
      }
      yield { owner, content };
    }
  }
}

function toContent(directory: string, owner: ContentOwner, rows: BlobRows, options: ReadOptions): Content {
  const row = rows.get(owner.hash ?? '');
  if (!row) throw damaged(owner, 'is missing');
  const { length, coding, data } = row;
  if (owner.length !== undefined && owner.length !== length) {
    throw damaged(owner, `has ${length} octets, not ${owner.length}`);
  }
  if (coding === 'file' || coding === 'object') {
    const crc = crcOf(row);
    if (crc === undefined) throw damaged(owner, 'has no checksum');
    const isObject = coding === 'object';
    const chunks = isObject
      ? checkedObject(directory, owner, row, crc, options.signal)
      : checkedChunks(directory, owner, row, crc, options);
    const open: FileContent['open'] = (start, end) => openObject(directory, owner, row, start, end);
    return { coding: 'file', length, crc, chunks, ...(isObject ? { open, data } : {}) };
  }
  try {
    const bytes = unpackBlob(row, rows);
    if (coding === 'delta') return new RestoredContent(bytes);
    return {
      ...{ coding, length, packed: data, bytes },
      // Who serves them does not ask.
      get crc() {
        return crc32(bytes);
      },
    };
  } catch (cause) {
    throw damaged(owner, 'is damaged', cause);
  }
}

/** What is stored as a difference: servers want its bytes, dumps what they would find if it was stored whole. */
class RestoredContent implements PackedContent {
  readonly coding = 'deflate-raw';
  readonly length: number;
  readonly crc: number;
  readonly bytes: Uint8Array;
  #packed: Uint8Array | undefined;

  constructor(bytes: Uint8Array) {
    this.length = bytes.byteLength;
    this.crc = crc32(bytes);
    this.bytes = bytes;
  }

  get packed(): Uint8Array {
    this.#packed ??= deflatePayload(this.bytes);
    return this.#packed;
  }
}

async function* checkedChunks(
  directory: string,
  owner: ContentOwner,
  row: BlobRow,
  crc: number,
  { signal, buffers }: ReadOptions,
): AsyncGenerator<Uint8Array> {
  const file = contentFile(directory, row.hash);
  const ino = (await stat(file).catch(() => undefined))?.ino;
  const sha = createHash('sha256');
  let length = 0;
  let sum = 0;
  try {
    for await (const chunk of readContentFile(file, buffers)) {
      signal?.throwIfAborted();
      length += chunk.byteLength;
      if (length > row.length) break;
      sha.update(chunk);
      sum = crc32(chunk, sum);
      yield chunk;
    }
  } catch (error) {
    const how = unreadable.get(String((error as { code?: unknown } | undefined)?.code));
    if (how === undefined) throw error;
    await setAside(directory, row.hash, ino);
    throw damaged(owner, how, error);
  }
  if (length !== row.length || `sha-256:${sha.digest('hex')}` !== row.hash || sum !== crc) {
    await setAside(directory, row.hash, ino);
    throw damaged(owner, 'is damaged');
  }
}

/** What the system says of a file that is there no more, or not as a file that can be read. */
const unreadable: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'is missing'],
  ['ENOTDIR', 'is missing'],
  ['EISDIR', 'is missing: there is a directory in its place'],
  ['ELOOP', 'is missing'],
  ['EACCES', 'may not be read by this user'],
  ['EPERM', 'may not be read by this user'],
  ['EIO', 'cannot be read: the disk fails'],
]);
