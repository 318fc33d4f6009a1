import type { Knex } from 'knex';
import { BridgeError, isBridgeError } from '../../core/errors.ts';
import { deflatePayload } from '../../core/payloads/deflated.ts';
import { inflateRaw } from '../../core/payloads/inflated.ts';
import { sha256 } from '../../core/payloads/sha-256.ts';
import { isHash, listedHashes, listedSha, shaList } from '../drivers/sqlite-hashes.ts';
import { isPostgres, whereAnyOf } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { questionByKey } from '../engine/question.ts';
import { applyDelta, makeDelta } from './deltas.ts';

/**
 * Payloads live under the hash of their bytes (`sha-256:…`): small ones in the database, compressed or as the
 * difference from another (`deltas.ts`), large ones as files (`content-files.ts`) or objects (`content-objects.ts`).
 */
export interface BlobRow {
  readonly hash: string;
  /** Octets of the bytes themselves. */
  readonly length: number;
  readonly coding: 'deflate-raw' | 'identity' | 'delta' | 'file' | 'object';
  /**
   * Of a file: its CRC-32, 4 bytes, most significant first; of an object, also what its name has of its own, and, if it is
   * deflated there, its octets there.
   */
  readonly data: Uint8Array;
  /** Of a delta: the hash of the payload it tells the difference from, which is no delta itself; else null. */
  readonly base: string | null;
}

/** By their hashes. */
export type BlobRows = ReadonlyMap<string, BlobRow>;

/** A payload that is kept as it is, for others to be told as differences from it. */
export interface Keyframe {
  readonly hash: string;
  readonly content: Uint8Array;
  /** Octets it takes as it is kept. */
  readonly packedLength: number;
}

/** @param deflated the content, where that was done already */
export function packBlob(hash: string, content: Uint8Array, deflated = deflatePayload(content)): BlobRow {
  const smaller = deflated.byteLength < content.byteLength;
  return {
    hash,
    length: content.byteLength,
    coding: smaller ? 'deflate-raw' : 'identity',
    data: smaller ? deflated : content,
    base: null,
  };
}

/** Larger ones would need as much memory again for what they are a difference from. */
const longestDelta = 8_388_608;

/**
 * As a difference from the keyframe, or whole where that is not clearly smaller: then it is the next keyframe.
 * Everything that grows with each edit since the keyframe is bounded so, and no delta needs another one.
 * @param longest the difference may have so many octets
 */
export function packAgainst(
  hash: string,
  content: Uint8Array,
  keyframe: Keyframe,
  longest = Number.POSITIVE_INFINITY,
): BlobRow {
  const { byteLength: length } = content;
  const suits = keyframe.hash !== hash && isComparable(length, keyframe.content.byteLength);
  if (!suits) return packBlob(hash, content);
  // Compressing it to see what that would give costs as much as making the delta.
  const whole = (keyframe.packedLength * length) / Math.max(1, keyframe.content.byteLength);
  const most = Math.min(longest, Math.floor(whole / 2) - keyframe.hash.length);
  const data = makeDelta(keyframe.content, content, most);
  return data ? { hash, length, coding: 'delta', data, base: keyframe.hash } : packBlob(hash, content);
}

/** Whoever reads contents of `length` octets has room for bases of about as many, but not of any number. */
export function isComparable(length: number, baseLength: number): boolean {
  return length <= longestDelta && baseLength <= 4 * length + 4096;
}

/**
 * The bytes of a row that is there, where the database answers at once; undefined: it does not, or they are elsewhere.
 * @throws BridgeError `content-damaged`
 */
export function unpackAtOnce(db: Queryable, row: BlobRow): Uint8Array | undefined {
  if (isApart(row)) return undefined;
  if (row.coding !== 'delta') return unpackBlob(row);
  const rows = blobRow.atOnce(db, row.hash);
  return rows && unpackBlob(row, byHash(rows));
}

/** The same of PostgreSQL. */
export async function unpackInRows(db: Queryable, row: BlobRow): Promise<Uint8Array | undefined> {
  if (isApart(row)) return undefined;
  return unpackBlob(row, row.coding === 'delta' ? byHash(await blobRow(db, row.hash)) : undefined);
}

const columns = ['hash', 'length', 'coding', 'data', 'base'] as const;
const anyOf = (listed: string) =>
  `hash in (${listed} union select base from blob where base is not null and hash in (${listed}))`;
const anyOfSqlite = anyOf(listedHashes);
/** Where all of them are SHA-256, SQLite does not have to look what each is: half of what a page of records costs it. */
const anyOfShaSqlite = anyOf(listedSha);

/** What is kept under these hashes, and what their deltas are deltas of, as it is at one moment. */
export async function readBlobRows(db: Queryable, hashes: readonly string[]): Promise<BlobRows> {
  if (hashes.length === 0) return new Map();
  if (hashes.length === 1) return byHash(await blobRow(db, hashes[0] ?? ''));
  if (isPostgres(db)) return byHash(await blobRowsOfPostgres(db, hashes));
  const isSha = hashes.every(isHash);
  const list = isSha ? shaList(hashes) : JSON.stringify(hashes);
  const rows: BlobRow[] = await db('blob')
    .select(columns)
    .whereRaw(isSha ? anyOfShaSqlite : anyOfSqlite, [list, list]);
  return byHash(rows);
}

/** Whether a content is kept under this hash, in the database or as a file. */
export async function isKept(db: Queryable, hash: string): Promise<boolean> {
  return (await db('blob').where({ hash }).first('hash')) !== undefined;
}

/** Those of the hashes under which a content is kept. */
export async function findKept(db: Queryable, hashes: readonly string[]): Promise<ReadonlySet<string>> {
  const some = [...new Set(hashes)];
  const rows: readonly { hash: string }[] = isPostgres(db)
    ? await keptOfPostgres(db, some)
    : await db('blob')
        .select('hash')
        .modify((query) => whereAnyOf(query, 'hash', some));
  return new Set(rows.map(({ hash }) => hash));
}

/** Of a list PostgreSQL looks for each in all partitions; of one after the other in the one that it is in. */
const eachOf = (wanted: string, told: readonly string[] = columns) =>
  `select kept.* from (${wanted}) as wanted
    cross join lateral (select ${told.join(', ')} from blob where blob.hash = wanted.hash offset 0) as kept`;
const keptOfPostgres = questionByKey<{ hash: string }, [hashes: readonly string[]]>(1, (db, hashes) =>
  db.raw(eachOf('select unnest(?::bytea[]) as hash', ['hash']), [hashes as unknown as Knex.Value]),
);
const blobRowsOfPostgres = questionByKey<BlobRow, [hashes: readonly string[]]>(1, (db, hashes) =>
  db.raw(
    `with found as materialized (${eachOf('select unnest(?::bytea[]) as hash')})
      select * from found union all ${eachOf('select distinct base as hash from found where base is not null')}`,
    [hashes as unknown as Knex.Value],
  ),
);

const blobRow = questionByKey<BlobRow, [hash: string]>(1, (db, hash) =>
  db('blob').select(columns).where({ hash }).orWhere('hash', db('blob').select('base').where({ hash })),
);

function byHash(rows: readonly BlobRow[]): BlobRows {
  return new Map(rows.map((row) => [row.hash, row]));
}

/**
 * @param rows where what a delta is a delta of is found
 * @throws BridgeError `content-damaged`, also for one that is kept as a file: `contents.ts` reads those
 */
export function unpackBlob(row: BlobRow, rows: BlobRows = new Map()): Uint8Array {
  if (isApart(row)) {
    throw new BridgeError('content-damaged', `the stored payload ${row.hash} is kept as a file`);
  }
  const base = row.coding === 'delta' ? baseOf(row, rows) : undefined;
  let failure: { readonly cause?: unknown } = {};
  try {
    const content = base ? applyDelta(unpackWhole(base), row.data, row.length) : unpackWhole(row);
    if (content.byteLength === row.length && sha256(content) === row.hash) return content;
  } catch (cause) {
    failure = { cause };
  }
  if (base && !isSound(base)) throw damagedBase(row, 'is damaged');
  const how = 'cause' in failure ? 'cannot be unpacked' : 'no longer fits its hash';
  throw new BridgeError('content-damaged', `the stored payload ${row.hash} ${how}`, failure);
}

/** Whether it is what its hash says; of files that is not known. */
export function isSound(row: BlobRow, rows?: BlobRows): boolean {
  try {
    return isApart(row) || unpackBlob(row, rows) !== undefined;
  } catch (error) {
    if (isBridgeError(error, 'content-damaged')) return false;
    throw error;
  }
}

/** Whether its bytes are elsewhere than in the row. */
export function isApart({ coding }: Pick<BlobRow, 'coding'>): boolean {
  return coding === 'file' || coding === 'object';
}

function baseOf(row: BlobRow, rows: BlobRows): BlobRow {
  const base = rows.get(row.base ?? '');
  if (!base) throw damagedBase(row, 'is missing');
  // `fetchPayloads` did not find it there.
  if (base.coding === 'object') throw damagedBase(row, 'is missing');
  if (base.coding === 'delta' || base.coding === 'file') throw damagedBase(row, 'is not kept as it is');
  return base;
}

function damagedBase({ hash, base }: BlobRow, how: string): BridgeError {
  const message = `the stored payload ${hash} is a difference from ${base}, which ${how}`;
  return new BridgeError('content-damaged', message);
}

function unpackWhole(row: BlobRow): Uint8Array {
  return row.coding === 'identity' ? row.data : inflateRaw(row.data, row.length);
}
