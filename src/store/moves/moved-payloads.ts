import { setImmediate } from 'node:timers/promises';
import { BridgeError, isBridgeError } from '../../core/errors.ts';
import { batchBytes, batches } from '../engine/batches.ts';
import type { Database } from '../engine/database.ts';
import { doomObjects, keepObjects } from '../objects/doomed-objects.ts';
import { bucketOf, type ContentBucket, objectKey, packedLengthOf } from '../objects/object-contents.ts';
import { type BlobRow, type BlobRows, packBlob, readBlobRows, unpackBlob } from '../payloads/blobs.ts';
import { fetchPayloads, goesThere, sendPayloads } from '../payloads/content-objects.ts';

/** Payloads of metadata go to the object storage, or come back to the database, some at a time and while they are served. */
export interface PayloadMove {
  readonly database: Database;
  /** The data directory. */
  readonly directory: string;
  readonly signal: AbortSignal;
  /** @param bytes of what was moved now */
  readonly onMoved?: ((bytes: number) => void) | undefined;
}

export interface MovedPayloads {
  readonly payloads: number;
  readonly bytes: number;
  /** Those that are not what their hash says: they stay where they are. */
  readonly damaged: readonly string[];
}

interface Facts extends Pick<BlobRow, 'hash' | 'length' | 'coding'> {
  /** Of the row's data. */
  readonly size: number;
  /** The same, of what is an object. */
  readonly data: Uint8Array | null;
}

const rowsAtATime = 1000;

/**
 * Each is compared with its hash before its row says where it is now. What was moved is not looked at again: whoever
 * stops goes on where it was. Objects that came back stay for whoever is reading them.
 */
export async function movePayloads(move: PayloadMove): Promise<MovedPayloads> {
  const { database, directory, signal } = move;
  const bucket = bucketOf(directory);
  if (!bucket) throw new BridgeError('objects-refused', 'there is no object storage in the configuration');
  const total = { payloads: 0, bytes: 0, damaged: [] as string[] };
  for (let after = ''; ; ) {
    const page: Facts[] = await database
      .reader('blob')
      .select('hash', 'length', 'coding', database.reader.raw('length(data) as size'))
      .select(database.reader.raw("case when coding = 'object' then data end as data"))
      .where('hash', '>', after)
      .orderBy('hash')
      .limit(rowsAtATime);
    const toMove = page.filter((row) => goesThere(bucket, row) || comesBack(bucket, row));
    for (const batch of batches(toMove, batchBytes, ({ length, size }) => Number(length) + Number(size))) {
      signal.throwIfAborted();
      const { moved, damaged } = await moveBatch(move, bucket, batch);
      total.damaged.push(...damaged);
      for (const { length } of moved) {
        total.payloads += 1;
        total.bytes += Number(length);
        move.onMoved?.(Number(length));
      }
    }
    const last = page.at(-1);
    if (!last || page.length < rowsAtATime) return total;
    after = last.hash;
    await setImmediate();
  }
}

function comesBack({ payloadsAbove }: ContentBucket, { coding, length, data }: Facts): boolean {
  if (packedLengthOf({ coding, data: data ?? new Uint8Array() }) === undefined) return false;
  return payloadsAbove === undefined || Number(length) <= payloadsAbove;
}

async function moveBatch(
  move: PayloadMove,
  bucket: ContentBucket,
  batch: readonly Facts[],
): Promise<{ readonly moved: readonly BlobRow[]; readonly damaged: readonly string[] }> {
  const { database } = move;
  const stored = await readBlobRows(
    database.reader,
    batch.map(({ hash }) => hash),
  );
  const rows = await fetchPayloads(bucket, stored);
  const up: Upload[] = [];
  const [down, damaged]: [BlobRow[], string[]] = [[], []];
  for (const { hash } of batch) {
    const row = rows.get(hash);
    const content = row && contentIn(row, rows);
    if (!row) continue;
    if (!content) damaged.push(hash);
    else if (stored.get(hash)?.coding === 'object') down.push(row);
    else up.push({ coding: row.coding, whole: row.coding === 'delta' ? packBlob(hash, content) : row });
  }
  const moved = [...(await toObjects(move, bucket, up)), ...(await toDatabase(move, bucket, down, stored))];
  return { moved, damaged };
}

function contentIn(row: BlobRow, rows: BlobRows): Uint8Array | undefined {
  try {
    return unpackBlob(row, rows);
  } catch (error) {
    if (isBridgeError(error, 'content-damaged')) return undefined;
    throw error;
  }
}

interface Upload {
  /** As it is in the database. */
  readonly coding: BlobRow['coding'];
  readonly whole: BlobRow;
}

async function toObjects(
  { database, signal }: PayloadMove,
  bucket: ContentBucket,
  uploads: readonly Upload[],
): Promise<readonly BlobRow[]> {
  if (uploads.length === 0) return [];
  const rows = uploads.map(({ whole }) => whole);
  const objects = await sendPayloads(database, bucket, rows, signal);
  return database.transaction(async (trx) => {
    await keepObjects(trx, [...objects.values()].map(objectKey));
    const moved: BlobRow[] = [];
    for (const { coding, whole } of uploads) {
      const { hash } = whole;
      const object = objects.get(hash);
      if (!object) continue;
      const place = { coding: object.coding, data: object.data, base: null };
      if ((await trx('blob').where({ hash, coding }).update(place)) > 0) moved.push(whole);
      // Nothing needs it any more, or somebody moved it before us.
      else await doomObjects(trx, [objectKey(object)], bucket.now());
    }
    return moved;
  });
}

async function toDatabase(
  { database }: PayloadMove,
  bucket: ContentBucket,
  rows: readonly BlobRow[],
  stored: BlobRows,
): Promise<readonly BlobRow[]> {
  if (rows.length === 0) return [];
  return database.transaction(async (trx) => {
    const moved: BlobRow[] = [];
    for (const { hash, coding, data, length } of rows) {
      const object = stored.get(hash);
      if (!object) continue;
      // Its name is part of it: another object of the same bytes stays.
      const here = { hash, coding: 'object', data: object.data };
      if ((await trx('blob').where(here).update({ coding, data, base: null })) === 0) continue;
      await doomObjects(trx, [objectKey(object)], bucket.now());
      moved.push({ hash, coding, data, length, base: null });
    }
    return moved;
  });
}
