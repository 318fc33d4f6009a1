import type { Knex } from 'knex';
import { insertRows, isPostgres, type Row, whereAnyOf } from '../engine/bulk.ts';
import type { Database } from '../engine/database.ts';
import { doomObjects, keepObjects } from '../objects/doomed-objects.ts';
import { bucketOfDatabase, type ContentBucket, objectKey } from '../objects/object-contents.ts';
import type { BlobRow } from '../payloads/blobs.ts';
import { sendPayloads } from '../payloads/content-objects.ts';
import { claimPayloads } from '../payloads/released.ts';

/** What a page brings to be kept. */
export interface PageBlobs {
  readonly rows: readonly BlobRow[];
  /** Those that are to be whole whatever is there: others are told as differences from them. */
  readonly keyframes: ReadonlySet<string>;
  /** Those that take the place of what is there: that is damaged. */
  readonly mended: readonly BlobRow[];
}

/** The same, as it is stored: large ones are in the object storage, and their rows say where. */
export interface ReadyBlobs extends PageBlobs {
  readonly bucket: ContentBucket | undefined;
  /** By hash: rows of what was sent there for this page. */
  readonly sent: ReadonlyMap<string, BlobRow>;
}

/**
 * Sends large payloads to the object storage, where they go there, before the transaction that refers to them: nothing is locked
 * meanwhile, and a storage that fails leaves the page as it was, to be read again.
 * @throws BridgeError `objects-unavailable`, `objects-refused`
 */
export async function sendLarge(database: Database, page: PageBlobs): Promise<ReadyBlobs> {
  const bucket = bucketOfDatabase(database);
  const none = { ...page, bucket, sent: new Map() };
  const above = bucket?.payloadsAbove;
  if (!bucket || above === undefined) return none;
  const isLarge = ({ coding, length }: BlobRow) => coding !== 'delta' && length > above;
  const [large, mended] = [page.rows.filter(isLarge), page.mended.filter(isLarge)];
  if (large.length + mended.length === 0) return none;
  const hashes = [...large, ...mended].map(({ hash }) => hash);
  // Given up as they may be, they stay as they are until the transaction.
  await claimPayloads(database.writer, hashes);
  const present = await codingsOf(database, hashes);
  const isWanted = ({ hash }: BlobRow) =>
    !present.has(hash) || (present.get(hash) === 'delta' && page.keyframes.has(hash));
  const sent = await sendPayloads(database, bucket, [...large.filter(isWanted), ...mended]);
  // What is whole already needs no other copy.
  const isWhole = (hash: string) => present.has(hash) && !sent.has(hash);
  const keyframes = new Set([...page.keyframes].filter((hash) => !isWhole(hash)));
  return { ...page, keyframes, bucket, sent };
}

async function codingsOf(
  database: Database,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, BlobRow['coding']>> {
  const rows: Pick<BlobRow, 'hash' | 'coding'>[] = await database
    .writer('blob')
    .modify((query) => whereAnyOf(query, 'hash', hashes))
    .select('hash', 'coding');
  return new Map(rows.map(({ hash, coding }) => [hash, coding]));
}

/**
 * In the transaction that refers to them.
 * @throws BridgeError `objects-unavailable` where one was sent so long ago that it may have been deleted
 */
export async function storeBlobs(trx: Knex.Transaction, ready: ReadyBlobs): Promise<void> {
  const { bucket, sent, keyframes, mended } = ready;
  const isMended = new Set(mended.map(({ hash }) => hash));
  // In one order: two sources may be storing the same.
  const rows = [...ready.rows, ...mended].sort((a, b) => (a.hash < b.hash ? -1 : 1));
  await claimPayloads(
    trx,
    rows.flatMap(({ hash, base }) => (base === null ? hash : [hash, base])),
  );
  await keepObjects(trx, [...sent.values()].map(objectKey));
  const replaces = ({ hash }: BlobRow) => keyframes.has(hash) || isMended.has(hash);
  const toRow = (row: BlobRow): Row => ({ ...(sent.get(row.hash) ?? row) });
  const replacing = rows.filter(replaces);
  const former = bucket ? await lockedObjects(trx, replacing) : [];
  await insertRows(trx, 'blob', replacing.map(toRow), replacingBlobs);
  const others = rows.filter((row) => !replaces(row));
  await insertRows(trx, 'blob', others.map(toRow), keepingBlobs);
  if (bucket) await doomObjects(trx, [...former, ...(await spareOf(trx, sent))], bucket.now());
}

const keepingBlobs = { conflict: { columns: ['hash'], update: [] } } as const;
const replacingBlobs = {
  conflict: { columns: ['hash'], update: ['length', 'coding', 'data', 'base'] },
} as const;

/** Names of what rows are about to refer to no more. */
async function lockedObjects(trx: Knex.Transaction, rows: readonly BlobRow[]): Promise<readonly string[]> {
  if (rows.length === 0) return [];
  return objectsOf(
    trx,
    rows.map(({ hash }) => hash),
    (query) => {
      if (isPostgres(trx)) query.orderBy('hash').forUpdate();
    },
  );
}

/** Names of what was sent in vain: somebody else was faster. */
async function spareOf(
  trx: Knex.Transaction,
  sent: ReadonlyMap<string, BlobRow>,
): Promise<readonly string[]> {
  if (sent.size === 0) return [];
  const kept = new Set(await objectsOf(trx, [...sent.keys()]));
  return [...sent.values()].map(objectKey).filter((key) => !kept.has(key));
}

async function objectsOf(
  trx: Knex.Transaction,
  hashes: readonly string[],
  modify: (query: Knex.QueryBuilder) => void = () => undefined,
): Promise<readonly string[]> {
  const rows: Pick<BlobRow, 'hash' | 'data'>[] = await trx('blob')
    .where({ coding: 'object' })
    .modify((query) => whereAnyOf(query, 'hash', hashes))
    .modify(modify)
    .select('hash', 'data');
  return rows.map(objectKey);
}
