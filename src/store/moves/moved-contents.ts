import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { BridgeError, isBridgeError } from '../../core/errors.ts';
import { isPostgres, whereAnyOf } from '../engine/bulk.ts';
import type { Database } from '../engine/database.ts';
import { announceObjects, doomObjects, keepObjects } from '../objects/doomed-objects.ts';
import {
  bucketOf,
  type ContentBucket,
  crcOf,
  objectKey,
  packedLengthOf,
} from '../objects/object-contents.ts';
import { asObject, lockRows, upload } from '../payloads/adopted-contents.ts';
import type { BlobRow } from '../payloads/blobs.ts';
import { adoptContentFiles, contentFile, type ReadyContent } from '../payloads/content-files.ts';
import { readContents } from '../payloads/contents.ts';

/** Mirrored files on the disk become objects, or the other way round, one by one and while they are served. */
export interface Move {
  readonly database: Database;
  /** The data directory. */
  readonly directory: string;
  readonly to: 'disk' | 's3';
  readonly signal: AbortSignal;
  /** @param bytes of what was moved now */
  readonly onMoved?: ((bytes: number) => void) | undefined;
}

export interface Moved {
  readonly contents: number;
  readonly bytes: number;
  /** Those that are not what their hash says: they stay where they are. */
  readonly damaged: readonly string[];
}

const rowsAtATime = 64;

/**
 * Each is read and compared with its hash before, and the database says where it is now only when it is whole there. What was
 * moved is not looked at again: whoever stops goes on where it was. The former copies stay.
 */
export async function moveContents(move: Move): Promise<Moved> {
  const { database, directory, to, signal } = move;
  const bucket = bucketOf(directory);
  if (!bucket) throw new BridgeError('objects-refused', 'there is no object storage in the configuration');
  const total = { contents: 0, bytes: 0, damaged: [] as string[] };
  for (let after = ''; ; ) {
    signal.throwIfAborted();
    const rows: BlobRow[] = await database
      .reader('blob')
      .where('coding', to === 's3' ? 'file' : 'object')
      .where('hash', '>', after)
      .orderBy('hash')
      .limit(rowsAtATime)
      .select('hash', 'length', 'coding', 'data', 'base');
    const files = rows.filter((row) => packedLengthOf(row) === undefined);
    const sound: BlobRow[] = [];
    for (const row of files) {
      if (await isSoundContent(move, row)) sound.push(row);
      else total.damaged.push(row.hash);
    }
    const moved =
      to === 's3' ? await toObjects(move, bucket, sound) : await toFiles(move, bucket, sound, total.damaged);
    for (const { length } of moved) {
      total.contents += 1;
      total.bytes += Number(length);
      move.onMoved?.(Number(length));
    }
    const last = rows.at(-1);
    if (!last || rows.length < rowsAtATime) return total;
    after = last.hash;
  }
}

async function isSoundContent({ database, directory, to, signal }: Move, row: BlobRow): Promise<boolean> {
  // What comes from there is compared with its hash on its way.
  if (to === 'disk') return true;
  try {
    for await (const { content } of readContents(
      database.reader,
      directory,
      [{ path: row.hash, hash: row.hash }],
      { signal },
    )) {
      if (content.coding === 'file') for await (const _ of content.chunks);
    }
    return true;
  } catch (error) {
    if (isBridgeError(error, 'content-damaged')) return false;
    throw error;
  }
}

async function toObjects(
  { database, directory, signal }: Move,
  bucket: ContentBucket,
  rows: readonly BlobRow[],
): Promise<readonly BlobRow[]> {
  if (rows.length === 0) return rows;
  const contents = rows.map((row) => readyContent(row, contentFile(directory, row.hash)));
  const objects = new Map(contents.map((content) => [content.hash, asObject(content)]));
  const keys = [...objects.values()].map(objectKey);
  await announceObjects(database, keys, bucket.now());
  await upload(bucket, contents, objects, signal);
  return database.transaction(async (trx) => {
    await keepObjects(trx, keys);
    if (isPostgres(trx)) await lockRows(trx, [...objects.keys()]);
    const moved: BlobRow[] = [];
    for (const row of rows) {
      const object = objects.get(row.hash);
      if (!object) continue;
      const { coding, data } = object;
      const here = { hash: row.hash, coding: 'file' };
      if ((await trx('blob').where(here).update({ coding, data })) > 0) moved.push(row);
      // Nothing needs it any more, or somebody moved it before us.
      else await doomObjects(trx, [objectKey(object)], bucket.now());
    }
    return moved;
  });
}

async function toFiles(
  { database, directory, signal }: Move,
  bucket: ContentBucket,
  rows: readonly BlobRow[],
  damaged: string[],
): Promise<readonly BlobRow[]> {
  const moved: BlobRow[] = [];
  const place = join(directory, 'blobs', 'partial');
  await mkdir(place, { recursive: true });
  for (const row of rows) {
    const file = join(place, `${randomUUID()}.tmp`);
    try {
      await download(bucket, row, file, signal);
      const isStill = { hash: row.hash, coding: 'object' };
      if (!(await database.reader('blob').where(isStill).first('hash'))) continue;
      await adoptContentFiles(database, directory, [readyContent(row, file)], new Set([row.hash]), (trx) =>
        doomObjects(trx, [objectKey(row)], bucket.now()),
      );
      moved.push(row);
    } catch (error) {
      if (!isBridgeError(error, 'content-damaged')) throw error;
      damaged.push(row.hash);
    } finally {
      await rm(file, { force: true });
    }
  }
  return moved;
}

async function download(
  { store }: ContentBucket,
  row: BlobRow,
  file: string,
  signal: AbortSignal,
): Promise<void> {
  const key = objectKey(row);
  const found = await store.get(key, { signal });
  const sha = createHash('sha256');
  const check = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sha.update(chunk);
      done(null, chunk);
    },
  });
  await pipeline(found?.body ?? Readable.from([]), check, createWriteStream(file), { signal });
  if (!found || `sha-256:${sha.digest('hex')}` !== row.hash)
    throw new BridgeError('content-damaged', `${key} in ${store.place} is ${found ? 'damaged' : 'missing'}`);
  const handle = await open(file, 'r+');
  await handle.sync().finally(() => handle.close());
}

function readyContent(row: BlobRow, file: string): ReadyContent {
  const { hash, length } = row;
  return { hash, length: Number(length), crc: crcOf(row) ?? 0, file };
}

/**
 * Removes the files of contents that are objects by now. A reader may have been about to open one: whoever moved them waits
 * before.
 * @returns how many
 */
export async function removeFormerFiles({
  database,
  directory,
  signal,
}: Pick<Move, 'database' | 'directory' | 'signal'>): Promise<number> {
  const root = join(directory, 'blobs');
  let removed = 0;
  for (const place of await namesIn(root)) {
    if (!/^[0-9a-f]{2}$/.test(place)) continue;
    const names = (await namesIn(join(root, place))).filter((name) => /^[0-9a-f]{64}$/.test(name));
    for (let at = 0; at < names.length; at += rowsAtATime) {
      signal.throwIfAborted();
      const hashes = names.slice(at, at + rowsAtATime).map((name) => `sha-256:${name}`);
      const rows: { hash: string }[] = await database
        .reader('blob')
        .where({ coding: 'object' })
        .modify((query) => whereAnyOf(query, 'hash', hashes))
        .select('hash');
      for (const { hash } of rows) {
        await rm(contentFile(directory, hash), { force: true });
        removed += 1;
      }
    }
  }
  return removed;
}

async function namesIn(directory: string): Promise<readonly string[]> {
  const found = await stat(directory).catch(() => undefined);
  return found?.isDirectory() ? readdir(directory) : [];
}
