import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isBridgeError } from '../../core/errors.ts';
import { filePieces } from '../../store/objects/file-pieces.ts';
import { getPublished } from './bucket-cache.ts';
import { bucketAt, type SetBucket } from './published-bucket.ts';

/** A published file, wherever its bytes are. */
export interface PublishedFile {
  /**
   * Bytes from `start` up to, not including, `end`.
   * @param reused whether each piece may lie in the same memory, and be good until the next is asked for
   */
  bytes(start: number, end: number, reused?: boolean): AsyncIterable<Buffer>;
  close(): Promise<void>;
}

/**
 * @param directory of the set
 * @param length what of it is published at least
 * @throws `ENOENT` when it is neither on the disk nor in the bucket
 */
export async function openPublishedFile(
  directory: string,
  file: string,
  length: number,
): Promise<PublishedFile> {
  const bucket = bucketAt(directory);
  try {
    return onDisk(await open(join(directory, file), 'r'), file);
  } catch (error) {
    if (!bucket || !isAbsent(error)) throw error;
    return openInBucket(bucket, file, length);
  }
}

export async function readPublishedText(directory: string, file: string): Promise<string> {
  const opened = await openPublishedFile(directory, file, 0);
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of opened.bytes(0, Number.POSITIVE_INFINITY)) chunks.push(chunk);
    return Buffer.concat(chunks).toString('utf8');
  } finally {
    await opened.close();
  }
}

/** A published file on the disk: as it is there, or a copy that is given back. */
export async function lendPublishedFile(
  directory: string,
  file: string,
): Promise<{ readonly path: string; giveBack(): Promise<void> }> {
  const path = join(directory, file);
  const bucket = bucketAt(directory);
  if (!bucket || (await isOnDisk(directory, file))) return { path, giveBack: () => Promise.resolve() };
  const copy = `${path}.${randomUUID().slice(0, 8)}.tmp`;
  await copyTo(copy, bucket, file);
  return { path: copy, giveBack: () => rm(copy, { force: true }) };
}

/** Brings a file of the bucket back to the disk. */
export async function fetchPublishedFile(bucket: SetBucket, file: string): Promise<void> {
  const path = join(bucket.directory, file);
  const copy = `${path}.${randomUUID().slice(0, 8)}.tmp`;
  await copyTo(copy, bucket, file);
  await rename(copy, path);
}

async function copyTo(path: string, bucket: SetBucket, file: string): Promise<void> {
  const handle = await open(path, 'wx');
  try {
    const { body } = await getPublished(bucket.store, bucket.key(file));
    await writeFile(handle, body);
    await handle.sync();
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

export function isOnDisk(directory: string, file: string): Promise<boolean> {
  return stat(join(directory, file)).then(
    () => true,
    () => false,
  );
}

export function isAbsent(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return code === 'ENOENT' || code === 'ENOTDIR';
}

async function openInBucket(bucket: SetBucket, file: string, length: number): Promise<PublishedFile> {
  const { cache } = bucket.bucket;
  const key = bucket.key(file);
  if (!cache.holds(length)) return inBucket(bucket, key);
  const known = await cache.find(key, length);
  if (known) return onDisk(known, file);
  try {
    await cache.fill(key);
  } catch (error) {
    const isOfBucket = isAbsent(error) || isBridgeError(error);
    if (isOfBucket) throw error;
    // There is no room for a copy: it is read all the same.
    return inBucket(bucket, key);
  }
  const copy = await cache.find(key, length);
  return copy ? onDisk(copy, file) : inBucket(bucket, key);
}

function inBucket({ store }: SetBucket, key: string): PublishedFile {
  return {
    bytes: async function* (start, end) {
      const range = { start, ...(Number.isFinite(end) ? { end } : {}) };
      const { body } = await getPublished(store, key, range);
      for await (const chunk of body) yield chunk as Buffer;
    },
    close: () => Promise.resolve(),
  };
}

function onDisk(handle: FileHandle, file: string): PublishedFile {
  return {
    bytes: (start, end, reused = false) =>
      filePieces(handle, {
        ...{ start, end, reused },
        ...(Number.isFinite(end) && { tooShort: `${file} is shorter than what was published of it` }),
      }),
    close: () => handle.close(),
  };
}
