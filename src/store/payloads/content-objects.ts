import { createHash } from 'node:crypto';
import { pipeline, Readable } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import { deflatePayload } from '../../core/payloads/deflated.ts';
import { contentOf } from '../../core/payloads/object-store.ts';
import { sha256 } from '../../core/payloads/sha-256.ts';
import type { Database } from '../engine/database.ts';
import { giveWay } from '../engine/time-slice.ts';
import { announceObjects } from '../objects/doomed-objects.ts';
import {
  bucketOfDatabase,
  type ContentBucket,
  noBucket,
  objectKey,
  packedLengthOf,
  packedObjectData,
  storeFor,
} from '../objects/object-contents.ts';
import { forgetPacked, readPacked } from '../objects/packed-objects.ts';
import { getPatiently } from '../objects/patient-get.ts';
import { type BlobRow, type BlobRows, isSound, readBlobRows, unpackBlob } from './blobs.ts';
import { type ContentOwner, damaged } from './content-owner.ts';
import { isNoted, noteObject } from './damaged-contents.ts';

/**
 * Contents in the object storage: mirrored files as they are, and payloads of metadata as they would be in their rows.
 */
const requestsAtATime = 8;

/**
 * Whether a payload goes there that is in the database. One that is told as a difference from another does so where the
 * difference itself is as long.
 * @param size octets of the row's data
 */
export function goesThere(
  { payloadsAbove }: ContentBucket,
  { coding, length, size }: Pick<BlobRow, 'coding' | 'length'> & { readonly size: number },
): boolean {
  if (payloadsAbove === undefined || coding === 'file' || coding === 'object') return false;
  return Number(coding === 'delta' ? size : length) > payloadsAbove;
}

/**
 * Rows of payloads as if they were in the database. What is not in the object storage either, or is longer than
 * `longest` and nothing is told as a difference from it, stays as it is.
 * @throws BridgeError `objects-unavailable`, `objects-refused`: nothing is known of them then
 */
export async function fetchPayloads(
  bucket: ContentBucket | undefined,
  rows: BlobRows,
  longest = Number.POSITIVE_INFINITY,
): Promise<BlobRows> {
  const packed = [...rows.values()].filter((row) => packedLengthOf(row) !== undefined);
  if (packed.length === 0) return rows;
  const bases = new Set([...rows.values()].flatMap(({ base }) => base ?? []));
  const waiting = packed.filter(({ hash, length }) => Number(length) <= longest || bases.has(hash));
  if (waiting.length === 0) return rows;
  if (!bucket) throw noBucket();
  const fetched = new Map(rows);
  const fetchSome = async () => {
    for (let row = waiting.shift(); row; row = waiting.shift()) {
      const data = await readPacked(bucket.store, row);
      if (data) fetched.set(row.hash, { ...row, coding: 'deflate-raw', data });
    }
  };
  await Promise.all(Array.from({ length: requestsAtATime }, fetchSome));
  return fetched;
}

/** What is kept under these hashes, for whoever stores a page: wherever it is, as if it was in the database. */
export async function readPayloadRows(
  database: Pick<Database, 'writer'>,
  hashes: readonly string[],
): Promise<BlobRows> {
  return fetchPayloads(bucketOfDatabase(database), await readBlobRows(database.writer, hashes));
}

/** Of payloads, by their hashes, those that are missing or no longer fit. */
export async function readUnsound(
  database: Pick<Database, 'writer'>,
  hashes: readonly string[],
): Promise<ReadonlySet<string>> {
  if (hashes.length === 0) return new Set();
  const rows = await readPayloadRows(database, hashes);
  const isWhole = (row: BlobRow | undefined) =>
    // What is still to be fetched is not where it should be.
    row !== undefined && packedLengthOf(row) === undefined && isSound(row, rows);
  return new Set(hashes.filter((hash) => !isWhole(rows.get(hash))));
}

/**
 * Payloads that were in the database, or are about to be, are sent, under names that are known before, and are deleted some
 * day where nothing refers to them.
 * @param rows as they would be in the database, and no differences
 * @returns by hash: rows that say where each is, for `keepObjects` and whoever stores them
 * @throws BridgeError `objects-unavailable`, `objects-refused`
 */
export async function sendPayloads(
  database: Database,
  bucket: ContentBucket,
  rows: readonly BlobRow[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, BlobRow>> {
  const waiting: { readonly bytes: Uint8Array; readonly object: BlobRow }[] = [];
  for (const row of rows) {
    const turn = giveWay();
    if (turn) await turn;
    waiting.push(packed(row));
  }
  const sent = new Map<string, BlobRow>(waiting.map(({ object }) => [object.hash, object]));
  if (sent.size === 0) return sent;
  await announceObjects(database, [...sent.values()].map(objectKey), bucket.now());
  const failed = new AbortController();
  const either = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal;
  const sendSome = async () => {
    for (let next = waiting.shift(); next && !either.aborted; next = waiting.shift()) {
      const { object, bytes } = next;
      const content = contentOf(bytes, sha256(bytes).replace('sha-256:', ''));
      await bucket.store.put(objectKey(object), content, { signal: either });
    }
  };
  // The first error is the one that is told, when nothing is under way any more.
  const workers = Array.from({ length: requestsAtATime }, () =>
    sendSome().catch((error: unknown) => failed.abort(error)),
  );
  await Promise.all(workers);
  either.throwIfAborted();
  return sent;
}

/** What is not made smaller in the database is deflated all the same: what lies there is always read in one way. */
function packed(row: BlobRow): { readonly bytes: Uint8Array; readonly object: BlobRow } {
  const { hash, length, coding, data } = row;
  const bytes = coding === 'deflate-raw' ? data : deflatePayload(data);
  const place = packedObjectData(crc32(unpackBlob(row)), bytes.byteLength);
  return { bytes, object: { hash, length, coding: 'object', data: place, base: null } };
}

/** Remembers which of those that make a payload is damaged, where it came from the object storage. */
export async function noteFetched(
  directory: string,
  hash: string,
  stored: BlobRows,
  fetched: BlobRows,
): Promise<void> {
  for (const one of [hash, stored.get(hash)?.base]) {
    const row = stored.get(one ?? '');
    const came = fetched.get(one ?? '');
    if (!row || !came || packedLengthOf(row) === undefined) continue;
    if (came !== row && isSound(came)) continue;
    forgetPacked(storeFor(directory), row);
    await noteObject(directory, row);
  }
}

/**
 * Bytes of a content from `start` up to, not including, `end`; unchecked.
 * @throws BridgeError `content-damaged` when it is missing or has another length
 */
export async function openObject(
  directory: string,
  owner: ContentOwner,
  row: BlobRow,
  start: number,
  end: number,
  signal?: AbortSignal,
): Promise<Readable> {
  if (await isNoted(directory, row)) throw damaged(owner, 'is damaged');
  const packedLength = packedLengthOf(row);
  const isPart = packedLength === undefined && (start > 0 || end < row.length);
  const store = storeFor(directory);
  const found =
    packedLength === undefined
      ? await store.get(objectKey(row), isPart ? { start, end, signal } : { signal })
      : await getPatiently(store, objectKey(row));
  if (found && found.length === (packedLength ?? row.length)) {
    const { body } = found;
    if (packedLength === undefined) return body;
    const bytes = Readable.from(inflated(directory, owner, row, body, { start, end }), { objectMode: false });
    // Whoever goes may do so before the first of them is asked for.
    return bytes.once('close', () => body.destroy());
  }
  found?.body.destroy();
  await noteObject(directory, row);
  throw damaged(owner, found ? 'is not complete' : 'is missing');
}

/** A part of what lies there deflated is had by reading from its beginning. */
async function* inflated(
  directory: string,
  owner: ContentOwner,
  row: BlobRow,
  packed: Readable,
  { start, end }: { readonly start: number; readonly end: number },
): AsyncGenerator<Uint8Array> {
  const chunks = createInflateRaw();
  // Whoever reads the chunks is told of an error.
  pipeline(packed, chunks, () => undefined);
  let at = 0;
  try {
    for await (const chunk of chunks as AsyncIterable<Buffer>) {
      const from = Math.max(0, start - at);
      const to = Math.min(chunk.byteLength, end - at);
      at += chunk.byteLength;
      if (to > from) yield chunk.subarray(from, to);
      if (at >= end) return;
    }
    throw new RangeError(`it has ${at} octets, not ${row.length}`);
  } catch (cause) {
    // Of what ended because its reader went, or its connection broke, nothing is known.
    if (!isOfBytes(cause, packed.readableEnded)) throw cause;
    await noteObject(directory, row);
    throw damaged(owner, 'is damaged', cause);
  }
}

function isOfBytes(error: unknown, isComplete: boolean): boolean {
  const { code } = error as { code?: unknown };
  return code === 'Z_DATA_ERROR' || (isComplete && (code === 'Z_BUF_ERROR' || error instanceof RangeError));
}

/** All of it, compared with its hash on the way. */
export async function* checkedObject(
  directory: string,
  owner: ContentOwner,
  row: BlobRow,
  crc: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const sha = createHash('sha256');
  let sum = 0;
  for await (const chunk of await openObject(directory, owner, row, 0, row.length, signal)) {
    signal?.throwIfAborted();
    sha.update(chunk);
    sum = crc32(chunk, sum);
    yield chunk;
  }
  if (`sha-256:${sha.digest('hex')}` === row.hash && sum === crc) return;
  await noteObject(directory, row);
  throw damaged(owner, 'is damaged');
}
