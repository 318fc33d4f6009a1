import { isBridgeError } from '../../core/errors.ts';
import { batchBytes, batches } from '../engine/batches.ts';
import type { Queryable } from '../engine/database.ts';
import { bucketOf, type ContentBucket, packedLengthOf } from '../objects/object-contents.ts';
import { type BlobRow, isApart, readBlobRows, unpackBlob } from './blobs.ts';
import { fetchPayloads, goesThere } from './content-objects.ts';
import { readContents } from './contents.ts';

/** A payload that cannot be handed out any more. */
export interface Damage {
  readonly hash: string;
  /** What is wrong, for people. */
  readonly message: string;
  readonly isFile: boolean;
}

export interface AuditedPayloads {
  readonly payloads: number;
  /** Octets of the contents themselves. */
  readonly bytes: number;
  /** Octets they take in the database; files are what they are. */
  readonly stored: number;
  readonly deltas: number;
  readonly files: number;
  /** Payloads of metadata in the object storage. */
  readonly objects: number;
  /** Those that are in the database, and would go to the object storage now. */
  readonly toMove: number;
}

type Facts = Pick<BlobRow, 'hash' | 'length' | 'coding'> & {
  readonly size: number;
  /** Where the bytes are elsewhere. */
  readonly data: Uint8Array | null;
};

const rowsAtATime = 1000;

/**
 * Reads everything that is kept, in the order of the hashes, and compares it with them: in flat memory, and without
 * a transaction that would be as long.
 * @param directory of the content store
 * @param onProgress is told how many octets were read, and how many there are
 * @returns in the end: what was read
 */
export async function* auditPayloads(
  db: Queryable,
  directory: string,
  signal?: AbortSignal,
  onProgress?: OctetsRead,
): AsyncGenerator<Damage, AuditedPayloads> {
  const count = onProgress ? await counter(db, onProgress) : () => undefined;
  const total = { payloads: 0, bytes: 0, stored: 0, deltas: 0, files: 0, objects: 0, toMove: 0 };
  const bucket = bucketOf(directory);
  for (let after = ''; ; ) {
    const page: Facts[] = await db('blob')
      .select('hash', 'length', 'coding', db.raw('length(data) as size'))
      .select(db.raw("case when coding in ('file', 'object') then data end as data"))
      .where('hash', '>', after)
      .orderBy('hash')
      .limit(rowsAtATime);
    for (const row of page) {
      total.payloads += 1;
      total.bytes += Number(row.length);
      total.stored += isApart(row) ? 0 : Number(row.size);
      if (row.coding === 'delta') total.deltas += 1;
      if (isPayloadObject(row)) total.objects += 1;
      else if (isApart(row)) total.files += 1;
      if (bucket && goesThere(bucket, row)) total.toMove += 1;
    }
    const inRows = page.filter((row) => !isApart(row));
    for (const batch of batches(inRows, batchBytes, sizeInRow)) {
      signal?.throwIfAborted();
      yield* auditRows(
        db,
        bucket,
        batch.map(({ hash }) => hash),
      );
      count(batch.reduce((sum, { length }) => sum + Number(length), 0));
    }
    for (const row of page.filter(isApart)) {
      const { hash } = row;
      const message = await auditFile(db, directory, hash, signal, count);
      if (message !== undefined) yield { hash, message, isFile: !isPayloadObject(row) };
    }
    const last = page.at(-1);
    if (!last || page.length < rowsAtATime) return total;
    after = last.hash;
  }
}

async function counter(db: Queryable, onProgress: OctetsRead): Promise<(octets: number) => void> {
  const [row] = await db('blob').sum({ octets: 'length' });
  return countOctets(Number(row?.octets ?? 0), onProgress);
}

function isPayloadObject({ coding, data }: Facts): boolean {
  return packedLengthOf({ coding, data: data ?? new Uint8Array() }) !== undefined;
}

/** The content and what it is stored as. */
function sizeInRow({ length, size }: Facts): number {
  return Number(length) + Number(size);
}

async function* auditRows(
  db: Queryable,
  bucket: ContentBucket | undefined,
  hashes: readonly string[],
): AsyncGenerator<Damage> {
  const rows = await fetchPayloads(bucket, await readBlobRows(db, hashes));
  for (const hash of hashes) {
    const row = rows.get(hash);
    // Retention may have been here meanwhile.
    if (!row) continue;
    try {
      unpackBlob(row, rows);
    } catch (error) {
      if (!isBridgeError(error, 'content-damaged')) throw error;
      yield { hash, message: error.message, isFile: false };
    }
  }
}

async function auditFile(
  db: Queryable,
  directory: string,
  hash: string,
  signal: AbortSignal | undefined,
  count: (octets: number) => void,
): Promise<string | undefined> {
  try {
    for await (const { content } of readContents(db, directory, [{ path: hash, hash }], { signal })) {
      if (content.coding !== 'file') count(content.length);
      else for await (const { length } of content.chunks) count(length);
    }
    return undefined;
  } catch (error) {
    if (!isBridgeError(error, 'content-damaged')) throw error;
    const isKept = (await db('blob').where({ hash }).first('hash')) !== undefined;
    return isKept ? error.message : undefined;
  }
}

/** Told how many octets were read so far, and how many there are. */
export type OctetsRead = (done: number, total: number) => void;

/** Adds up what is read, and says so each time; the first time at once. */
export function countOctets(total: number, onProgress: OctetsRead): (octets: number) => void {
  let done = 0;
  onProgress(done, total);
  return (octets) => {
    done += octets;
    onProgress(done, total);
  };
}
