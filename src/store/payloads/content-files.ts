import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Knex } from 'knex';
import { BridgeError } from '../../core/errors.ts';
import { insertRows } from '../engine/bulk.ts';
import type { Database } from '../engine/database.ts';
import { translate } from '../engine/storage-error.ts';
import { crcOf } from '../objects/object-contents.ts';
import { type BlobRow, type BlobRows, isApart, isSound, readBlobRows } from './blobs.ts';
import { claimPayloads } from './released.ts';

/**
 * Large contents as files named by their hash: `<directory>/blobs/<first 2 hex>/<hex>`. A row in `blob` says
 * that one is complete; a file without a row is what a crash left, and the next storing takes it over.
 */
export interface StoredContent {
  /** `sha-256:…` */
  readonly hash: string;
  readonly length: number;
}

const contentHash = /^sha-256:([0-9a-f]{64})$/;

/** Whether a content can be kept under it. */
export function isContentHash(hash: string): boolean {
  return contentHash.test(hash);
}

/** @throws RangeError for anything but one of our hashes: it becomes part of a path */
export function contentFile(directory: string, hash: string): string {
  const hex = contentHash.exec(hash)?.[1];
  if (hex === undefined) throw new RangeError(`${hash} is no hash that a content is kept under`);
  return join(directory, 'blobs', hex.slice(0, 2), hex);
}

/** A complete content that lies as a file on the disk of the content store. */
export interface ReadyContent extends StoredContent {
  readonly file: string;
  readonly crc: number;
}

/**
 * Keeps contents that are complete files already, without copying them: each is renamed to its place, before one
 * transaction says that they are there.
 * @param contents whose bytes are synced: then a power cut, too, leaves no content that is said to be there and is not
 * @param lost those that are needed, though the database says that they are there
 * @param also done in the transaction that says that they are here
 * @throws BridgeError `disk-full`
 */
export async function adoptContentFiles(
  database: Database,
  directory: string,
  contents: readonly ReadyContent[],
  lost: ReadonlySet<string> = new Set(),
  also: (trx: Knex.Transaction) => Promise<void> = async () => undefined,
): Promise<void> {
  try {
    // Former files of these bytes may be about to be removed.
    await claimPayloads(
      database.writer,
      contents.map(({ hash }) => hash),
    );
    const moves = contents.map(({ file, hash }) => ({ file, target: contentFile(directory, hash) }));
    const places = new Set(moves.map(({ target }) => dirname(target)));
    await Promise.all(moves.map(({ file, target }) => moveInto(file, target)));
    await Promise.all([...places, join(directory, 'blobs')].map(syncDirectory));
    const rows = contents.map(({ hash, length, crc }) => fileRow({ hash, length }, crc));
    for (const hash of await register(database, rows, lost, also))
      await rm(contentFile(directory, hash), { force: true });
  } catch (error) {
    throw storingError(error);
  }
}

async function moveInto(file: string, target: string): Promise<void> {
  try {
    await rename(file, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    // One of the 256 directories that is not there yet.
    await mkdir(dirname(target), { recursive: true });
    await rename(file, target);
  }
}

function fileRow({ hash, length }: StoredContent, crc: number): BlobRow {
  const data = Buffer.alloc(4);
  data.writeUInt32BE(crc);
  return { hash, length, coding: 'file', data, base: null };
}

/**
 * What the database says of them already stays if it is right; else it is mended.
 * @returns the hashes of those that are not needed as files: small ones may be in the database already
 */
async function register(
  database: Database,
  rows: readonly BlobRow[],
  lost: ReadonlySet<string>,
  also: (trx: Knex.Transaction) => Promise<void>,
): Promise<readonly string[]> {
  const distinct = new Map(rows.map((row) => [row.hash, { ...row }]));
  return database.transaction(async (trx) => {
    await insertRows(trx, 'blob', [...distinct.values()], { conflict: { columns: ['hash'], update: [] } });
    const kept = await readBlobRows(trx, [...distinct.keys()]);
    const wrong = [...distinct.values()].filter((row) => lost.has(row.hash) || !isRight(row, kept));
    await insertRows(trx, 'blob', wrong, replacing);
    await also(trx);
    const replaced = new Set(wrong.map(({ hash }) => hash));
    return [...distinct.keys()].filter((hash) => !replaced.has(hash) && kept.get(hash)?.coding !== 'file');
  });
}

export const replacing = {
  conflict: { columns: ['hash'], update: ['length', 'coding', 'data', 'base'] },
} as const;

export function isRight({ hash, length, data }: BlobRow, kept: BlobRows): boolean {
  const row = kept.get(hash);
  if (row === undefined || !isApart(row)) return row !== undefined && isSound(row, kept);
  return Number(row.length) === length && crcOf(row) === Buffer.from(data).readUInt32BE();
}

const chunkBytes = 1_048_576;

/** Memory for reading one file after another: fresh megabytes for each cost a third of a large dump's time. */
export type ReadBuffers = readonly [Buffer, Buffer];

export function allocateReadBuffers(): ReadBuffers {
  return [Buffer.allocUnsafeSlow(chunkBytes), Buffer.allocUnsafeSlow(chunkBytes)];
}

/**
 * The bytes of a file as they are on disk; the next chunk is read while one is worked on.
 * @param buffers if given, a chunk is only good until the next one is asked for
 */
export function readContentFile(file: string, buffers?: ReadBuffers): AsyncIterable<Uint8Array> {
  return buffers ? readInto(file, buffers) : createReadStream(file, { highWaterMark: chunkBytes });
}

async function* readInto(file: string, [one, other]: ReadBuffers): AsyncGenerator<Uint8Array> {
  const handle = await open(file, 'r');
  const read = (buffer: Buffer) => handle.read(buffer, 0, buffer.length).then(({ bytesRead }) => bytesRead);
  let [reading, free] = [one, other];
  let pending = read(reading);
  try {
    for (;;) {
      const bytesRead = await pending;
      if (bytesRead === 0) return;
      const chunk = reading.subarray(0, bytesRead);
      [reading, free] = [free, reading];
      pending = read(reading);
      // It is awaited later; until then a failure is not unhandled.
      pending.catch(() => undefined);
      yield chunk;
    }
  } finally {
    await pending.catch(() => undefined);
    await handle.close();
  }
}

/** A disk that is full says so in a way that a person can do something about. */
export function storingError(error: unknown): unknown {
  const code = (error as { code?: unknown } | undefined)?.code;
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return translate(error);
  return new BridgeError('disk-full', 'there is no space left to keep a content', {
    cause: error,
    retryable: true,
  });
}

async function syncDirectory(directory: string): Promise<void> {
  // Windows cannot sync a directory, and needs not.
  const handle = await open(directory, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
