import { rm } from 'node:fs/promises';
import type { Knex } from 'knex';
import { insertRows, isPostgres, whereAnyOf } from '../engine/bulk.ts';
import type { Database } from '../engine/database.ts';
import { announceObjects, doomObjects, keepObjects } from '../objects/doomed-objects.ts';
import {
  bucketOf,
  type ContentBucket,
  fileContent,
  objectData,
  objectKey,
} from '../objects/object-contents.ts';
import { type BlobRow, type BlobRows, readBlobRows } from './blobs.ts';
import { adoptContentFiles, contentFile, isRight, type ReadyContent, replacing } from './content-files.ts';
import { isThere } from './damaged-contents.ts';
import { claimPayloads } from './released.ts';

/** Side by side; each has a chunk of its file in memory. */
const uploadsAtATime = 4;

/**
 * Keeps contents that are complete files: in their place on the disk, or in the object storage where new ones go there.
 * @throws BridgeError `disk-full`, `objects-unavailable`, `objects-refused`
 */
export async function adoptContents(
  database: Database,
  directory: string,
  contents: readonly ReadyContent[],
): Promise<void> {
  const hashes = [...new Set(contents.map(({ hash }) => hash))];
  const known = await readBlobRows(database.reader, hashes);
  const bucket = bucketOf(directory);
  const lost = await lostOf(directory, hashes, known);
  if (!bucket?.takesNew) {
    const former = keysOf(known, lost);
    await adoptContentFiles(database, directory, contents, lost, async (trx) => {
      if (bucket) await doomObjects(trx, former, bucket.now());
    });
    return;
  }
  await claimPayloads(database.writer, hashes);
  const byHash = new Map(contents.map((content) => [content.hash, content]));
  const wanted = [...byHash.values()].filter(
    (content) => lost.has(content.hash) || !isRight(asFile(content), known),
  );
  await adoptObjects(database, directory, bucket, wanted, known, lost);
  // Their bytes are there, or were before.
  await Promise.all(contents.map(({ file }) => rm(file, { force: true })));
}

/** Those of which the database says that they are there, and they are not. */
async function lostOf(
  directory: string,
  hashes: readonly string[],
  known: BlobRows,
): Promise<ReadonlySet<string>> {
  const lost = new Set<string>();
  for (const hash of hashes) {
    const row = known.get(hash);
    if (row && (row.coding === 'object' || row.coding === 'file') && !(await isThere(directory, row, known)))
      lost.add(hash);
  }
  return lost;
}

async function adoptObjects(
  database: Database,
  directory: string,
  bucket: ContentBucket,
  contents: readonly ReadyContent[],
  known: BlobRows,
  lost: ReadonlySet<string>,
): Promise<void> {
  if (contents.length === 0) return;
  const rows = new Map(contents.map((content) => [content.hash, asObject(content)]));
  const all = [...rows.values()].map((row) => ({ ...row }));
  const keys = all.map(objectKey);
  await announceObjects(database, keys, bucket.now());
  await upload(bucket, contents, rows);
  const inTheWay = await database.transaction(async (trx) => {
    await keepObjects(trx, keys);
    // Somebody else may have been faster: whoever comes second sees the row of the first.
    await insertRows(trx, 'blob', all, { conflict: { columns: ['hash'], update: [] } });
    if (isPostgres(trx)) await lockRows(trx, [...rows.keys()]);
    const present = await readBlobRows(trx, [...rows.keys()]);
    const isOurs = (row: BlobRow) => isSame(row, present.get(row.hash));
    const isWrong = (row: BlobRow) =>
      !isOurs(row) &&
      (!isRight(row, present) || (lost.has(row.hash) && isSame(known.get(row.hash), present.get(row.hash))));
    const replaced = all.filter(isWrong);
    await insertRows(trx, 'blob', replaced, replacing);
    const former = replaced.flatMap(({ hash }) => present.get(hash) ?? []);
    const spare = all.filter((row) => !isOurs(row) && !isWrong(row));
    const gone = [...spare, ...former.filter(({ coding }) => coding === 'object')];
    await doomObjects(trx, gone.map(objectKey), bucket.now());
    return former.filter(({ coding }) => coding === 'file');
  });
  for (const { hash } of inTheWay) await rm(contentFile(directory, hash), { force: true });
}

/** @param rows that say under which names */
export async function upload(
  { store }: ContentBucket,
  contents: readonly ReadyContent[],
  rows: ReadonlyMap<string, BlobRow>,
  signal?: AbortSignal,
): Promise<void> {
  const waiting = [...contents];
  const uploadSome = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const row = rows.get(next.hash);
      if (row) await store.put(objectKey(row), fileContent(next.file, next.length, next.hash), { signal });
    }
  };
  await Promise.all(Array.from({ length: uploadsAtATime }, uploadSome));
}

/** Names of what is kept in the object storage, of these hashes. */
export function keysOf(rows: BlobRows, hashes: Iterable<string>): readonly string[] {
  return [...hashes].flatMap((hash) => {
    const row = rows.get(hash);
    return row?.coding === 'object' ? [objectKey(row)] : [];
  });
}

export async function lockRows(trx: Knex.Transaction, hashes: readonly string[]): Promise<void> {
  await trx('blob')
    .modify((query) => whereAnyOf(query, 'hash', hashes))
    .orderBy('hash')
    .forUpdate()
    .select('hash');
}

function isSame(one: BlobRow | undefined, other: BlobRow | undefined): boolean {
  return one?.coding === other?.coding && Buffer.from(one?.data ?? []).equals(other?.data ?? Buffer.alloc(0));
}

export function asObject({ hash, length, crc }: ReadyContent): BlobRow {
  return { hash, length, coding: 'object', data: objectData(crc), base: null };
}

function asFile({ hash, length, crc }: ReadyContent): BlobRow {
  const data = Buffer.alloc(4);
  data.writeUInt32BE(crc);
  return { hash, length, coding: 'file', data, base: null };
}
