import type { Queryable } from '../../../src/store/engine/database.ts';
import { readBlobRows, unpackBlob } from '../../../src/store/payloads/blobs.ts';

/**
 * @returns the bytes in the database, or undefined when none are kept under this hash
 * @throws BridgeError `content-damaged` when they no longer fit it
 */
export async function readBlob(db: Queryable, hash: string): Promise<Uint8Array | undefined> {
  return (await readBlobs(db, [hash]))(hash);
}

/** The same of many, which are read at once. */
export async function readBlobs(
  db: Queryable,
  hashes: readonly string[],
): Promise<(hash: string) => Uint8Array | undefined> {
  const rows = await readBlobRows(db, hashes);
  return (hash) => {
    const row = rows.get(hash);
    return row && unpackBlob(row, rows);
  };
}
