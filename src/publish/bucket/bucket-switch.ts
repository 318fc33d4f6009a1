import { createHash } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { addSeconds } from '../../core/datetime.ts';
import { BridgeError } from '../../core/errors.ts';
import { contentOf, type ObjectContent } from '../../core/payloads/object-store.ts';
import { fileContent, piecesOf } from '../../store/objects/object-contents.ts';
import {
  announceAgain,
  type DoomedObject,
  type PointerRow,
  switchedMeanwhile,
  switchPointerRow,
} from '../../store/objects/published-pointers.ts';
import { getPublished } from './bucket-cache.ts';
import type { SetBucket } from './published-bucket.ts';
import { noteSwitch } from './switches.ts';

const uploadsAtOnce = 4;
/** Whoever has looked a document up has read it by then. */
const readSeconds = 3600;
/** The longest download. */
const downloadSeconds = 2 * 86_400;

export interface BucketSwitch {
  /** The pointer, and what its file is called. */
  readonly text: string;
  readonly pointerFile: string;
  readonly row: PointerRow | undefined;
  /** Files on this disk that are to be in the bucket. */
  readonly uploads: readonly string[];
  /** Files that were written to the bucket as soon as they were made. */
  readonly shipped: readonly string[];
  /** Files that are not published any more. */
  readonly dropped: readonly string[];
}

/**
 * Writes what is new to the bucket, and then publishes it: what cannot be stored is not switched to. The row of the database
 * says what is published; the copy of the pointer in the bucket is replaced only where it is the one that we know, so that
 * whoever was thought to be dead does not get that far.
 * @returns the row that is published now
 * @throws BridgeError `objects-unavailable`, `objects-refused`, `publication-busy`: nothing is switched
 */
export async function switchInBucket(bucket: SetBucket, asked: BucketSwitch): Promise<PointerRow> {
  const { text, pointerFile, row, uploads, shipped, dropped } = asked;
  await uploadFiles(bucket, uploads);
  const etag = await replacePointerCopy(bucket, bucket.key(pointerFile), text, row);
  const keeps = [...new Set([...uploads, ...shipped])].map((file) => bucket.key(file));
  const dooms = doomedNow(bucket, dropped);
  const { database } = bucket.bucket.settings;
  await switchPointerRow(database, {
    path: bucket.set,
    before: row?.number,
    pointer: text,
    etag,
    keeps,
    dooms,
  });
  noteSwitch();
  await adopt(bucket, uploads);
  await rm(join(bucket.directory, pointerFile), { force: true });
  return { number: (row?.number ?? 0) + 1, pointer: text, etag: etag ?? null };
}

export function doomedNow(bucket: SetBucket, files: readonly string[]): readonly DoomedObject[] {
  const now = bucket.bucket.settings.now();
  const dueAt = (file: string) => addSeconds(now, file.endsWith('.zip') ? downloadSeconds : readSeconds);
  return files.map((file) => ({ key: bucket.key(file), dueAt: dueAt(file) }));
}

/** Writes a package to the bucket as soon as it is made, where packages go there: a disk need not have room for all. */
export async function shipPackage(
  bucket: SetBucket | undefined,
  file: string,
  digest: string,
): Promise<void> {
  if (!bucket?.takes(file)) return;
  const { database, now } = bucket.bucket.settings;
  await announceAgain(database, [bucket.key(file)], now());
  await put(bucket, file, digest);
  await rm(join(bucket.directory, file), { force: true });
}

async function uploadFiles(bucket: SetBucket, files: readonly string[]): Promise<void> {
  if (files.length === 0) return;
  const { database, now } = bucket.bucket.settings;
  await announceAgain(
    database,
    files.map((file) => bucket.key(file)),
    now(),
  );
  const left = [...files];
  const work = async () => {
    for (let file = left.pop(); file !== undefined; file = left.pop()) await put(bucket, file);
  };
  const done = await Promise.allSettled(Array.from({ length: uploadsAtOnce }, work));
  for (const outcome of done) if (outcome.status === 'rejected') throw outcome.reason;
}

async function put(bucket: SetBucket, file: string, digest?: string): Promise<void> {
  const { store, directory } = bucket;
  const key = bucket.key(file);
  const path = join(directory, file);
  const { size } = await stat(path);
  const hash = digest ?? (await hashOf(piecesOf(path, 0, size)));
  const content: ObjectContent = fileContent(path, size, hash);
  const outcome = await store.put(key, content, { ifAbsent: true });
  if (outcome.kind === 'stored') return;
  // We wrote it before, and could not go on.
  const { body, length } = await getPublished(store, key);
  if (length === size && (await hashOf(body)) === hash) return;
  body.destroy();
  const message = `${key} in ${store.place} has other bytes: two installations may share this bucket; give each a prefix of its own`;
  throw new BridgeError('objects-refused', message);
}

async function hashOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const sha = createHash('sha256');
  for await (const chunk of bytes) sha.update(chunk);
  return sha.digest('hex');
}

/** @throws BridgeError `publication-busy` when another process has switched */
async function replacePointerCopy(
  bucket: SetBucket,
  key: string,
  text: string,
  row: PointerRow | undefined,
): Promise<string | undefined> {
  const { store } = bucket;
  const content = contentOf(Buffer.from(text, 'utf8'));
  let known = row?.etag ?? undefined;
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    const condition = known === undefined ? { ifAbsent: true } : { ifMatch: known };
    const outcome = await store.put(key, content, { mediaType: 'application/json', ...condition });
    if (outcome.kind === 'stored') return outcome.etag ?? (await store.head(key))?.etag;
    // Somebody wrote it and did not come to the switch; or did, and then it is not ours.
    if ((await bucket.row())?.number !== row?.number) throw switchedMeanwhile(bucket.set);
    known = (await store.head(key))?.etag;
  }
  throw switchedMeanwhile(bucket.set);
}

async function adopt(bucket: SetBucket, files: readonly string[]): Promise<void> {
  for (const file of files) {
    // It is published; that its copy could not be kept is no harm.
    await bucket.bucket.cache.adopt(bucket.key(file), join(bucket.directory, file)).catch(() => undefined);
  }
}
