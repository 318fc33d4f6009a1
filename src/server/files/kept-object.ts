import { pipeline, Readable } from 'node:stream';
import { bucketOf, objectKey, packedLengthOf } from '../../store/objects/object-contents.ts';
import type { BlobRow } from '../../store/payloads/blobs.ts';
import type { FileContent } from '../../store/payloads/contents.ts';
import { noteObject } from '../../store/payloads/damaged-contents.ts';
import type { ServerDeps } from '../deps.ts';
import { createCheck } from './kept-file.ts';

export interface KeptObject extends FileContent {
  readonly path: string;
  readonly hash: string;
  readonly open: NonNullable<FileContent['open']>;
}

/**
 * Bytes of a content in the object storage, from `start` up to, not including, `end`. The whole is checked on its way,
 * as that of a file is.
 * @throws BridgeError `content-damaged` when it is missing or has another length
 */
export async function openKeptObject(
  directory: string,
  { path, hash, length, crc, data = new Uint8Array(), open }: KeptObject,
  start: number,
  end: number,
): Promise<Readable> {
  if (end <= start) {
    // Whether it is there is asked all the same.
    (await open(0, Math.min(1, length))).destroy();
    return Readable.from([]);
  }
  const bytes = await open(start, end);
  if (start > 0 || end < length) return bytes;
  const onDamage = () => void noteObject(directory, { hash, length, coding: 'object', data, base: null });
  // Whoever reads it is told of its end by the stream itself.
  return pipeline(bytes, createCheck({ path, length, crc, onDamage }), () => undefined);
}

/** Where whoever asks for a file is sent, if that is configured and it is there. */
export async function addressInBucket(
  { database, directory }: Pick<ServerDeps, 'database' | 'directory'>,
  hash: string | undefined,
  mediaType: string,
): Promise<string | undefined> {
  const bucket = bucketOf(directory);
  if (hash === undefined || !bucket || bucket.redirectSeconds === 0) return undefined;
  const row: Pick<BlobRow, 'hash' | 'coding' | 'data'> | undefined = await database
    .reader('blob')
    .where({ hash, coding: 'object' })
    .first('hash', 'coding', 'data');
  // What lies there deflated is nothing that a reader could use.
  if (!row || packedLengthOf(row) !== undefined) return undefined;
  return bucket.store.presigned(objectKey(row), { seconds: bucket.redirectSeconds, mediaType });
}
