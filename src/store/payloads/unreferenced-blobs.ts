import { rm } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import type { Knex } from 'knex';
import { addSeconds, endOfUtcDay } from '../../core/datetime.ts';
import { isBridgeError } from '../../core/errors.ts';
import { batches } from '../engine/batches.ts';
import { isPostgres, whereAnyOf } from '../engine/bulk.ts';
import type { Database, Queryable } from '../engine/database.ts';
import { deleteDoomed, doomObjects } from '../objects/doomed-objects.ts';
import { bucketOf, objectKey } from '../objects/object-contents.ts';
import { type BlobRow, findKept, isApart, packBlob, unpackBlob } from './blobs.ts';
import { contentFile, isContentHash } from './content-files.ts';
import { readPayloadRows } from './content-objects.ts';
import { removeAside } from './damaged-contents.ts';
import { dueUntil, findDifferences, findNeeded, isQuick, listed, type Wanted } from './needed-contents.ts';
import { dueAfterGrace } from './released.ts';
import { urgentlyDue } from './released-for-good.ts';

export interface RemovedBlobs {
  readonly contents: number;
  /** On the disk. */
  readonly bytes: number;
}

export interface RemovalSettings {
  readonly database: Database;
  /** The data directory, where contents are that are files. */
  readonly directory: string;
  /** Up to where whoever reads a source's journal later than it is written has come; by the source's id. */
  readonly followedUpTo: ReadonlyMap<number, number>;
  /** ISO. */
  readonly now: string;
  /** Only what was given up for good (`released-for-good.ts`), and nothing else that is due. */
  readonly urgent?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** So long what something still needs is not looked at again. */
const neededSeconds = 30 * 86_400;
const hashesAtATime = 200;
const releasedAtATime = 1000;

/**
 * Removes the bytes of versions that were given up some days ago, where nothing refers to them any more, some payloads at
 * a time. What does refer to them is looked for first (`needed-contents.ts`); then each payload is removed under the lock of
 * the rows in `released` that name it, if they are still due. That is what makes it right:
 * - a reference that was there when it was looked for postpones all rows of its payload;
 * - a reference that comes later comes with `claimPayloads`, which waits for that lock, or takes these rows out of
 *   what is due, before it looks whether the payload is there;
 * - a version that was current meanwhile, and is given up now, comes with a row that is not due for days.
 *
 * Of a content that is a file the row goes first, in a transaction of its own, the file under the same lock after
 * it: a crash leaves a file without a row, and the row in `released` that tells of it.
 */
export async function removeUnreferenced(settings: RemovalSettings): Promise<RemovedBlobs> {
  const removed = await removePayloads(settings);
  await removeObjects(settings);
  return removed;
}

async function removePayloads(settings: RemovalSettings): Promise<RemovedBlobs> {
  const { database, followedUpTo, now, signal, urgent = false } = settings;
  if (!urgent) await postpone(database, dueAfterGrace(now), (query) => query.whereNull('due_at'));
  for (const [sourceId, seq] of urgent ? [] : followedUpTo) {
    await postpone(database, endOfUtcDay(now), (query) =>
      query.where({ source_id: sourceId }).where('end_seq', '>', seq).where('due_at', '<=', now),
    );
  }
  const total = { contents: 0, bytes: 0 };
  const due = dueBefore(settings);
  if ((await database.reader('released').where('due_at', '<=', due).first('id')) === undefined) return total;
  const areQuick = await isQuick(database.reader);
  if (!areQuick) await keepNeeded(settings, dueUntil(due), dueUntil(urgentlyDue));
  for await (const hashes of dueHashes(database.reader, due)) {
    if (areQuick) await keepNeeded(settings, listed(hashes), listed(await urgentOf(database.reader, hashes)));
    signal?.throwIfAborted();
    const removed = await removeRows(settings, hashes);
    total.contents += removed.contents;
    total.bytes += removed.bytes;
    await removeFiles(settings, hashes);
    await setImmediate();
  }
  return total;
}

/** What is due in the object storage, also of earlier days. */
async function removeObjects({ database, directory, now, signal }: RemovalSettings): Promise<void> {
  const bucket = bucketOf(directory);
  if (bucket) await deleteDoomed(database, bucket.store, now, signal);
}

function dueBefore({ now, urgent = false }: RemovalSettings): string {
  return urgent ? urgentlyDue : now;
}

/**
 * What something else needs is due another time.
 * @param urgent those of them that were given up for good
 */
async function keepNeeded(settings: RemovalSettings, wanted: Wanted, urgent: Wanted): Promise<void> {
  const { reader } = settings.database;
  await storeWhole(settings, urgent);
  await postponeHashes(settings, [...(await findNeeded(reader, wanted))]);
}

async function postponeHashes(settings: RemovalSettings, hashes: readonly string[]): Promise<void> {
  const { database, now } = settings;
  for (const some of batches(hashes, hashesAtATime)) {
    await postpone(database, endOfUtcDay(addSeconds(now, neededSeconds)), (query) =>
      query.where('due_at', '<=', dueBefore(settings)).modify((due) => whereAnyOf(due, 'hash', some)),
    );
  }
}

/** What was given up for good may be what others are told as differences from: those are stored whole before. */
async function storeWhole({ database, signal }: RemovalSettings, urgent: Wanted): Promise<void> {
  for (const { hash, base } of await findDifferences(database.reader, urgent)) {
    signal?.throwIfAborted();
    const whole = await wholeOf(database, hash, base);
    if (!whole) continue;
    const { coding, data } = whole;
    await database.writer('blob').where({ hash, base }).update({ coding, data, base: null });
  }
}

async function urgentOf(db: Queryable, hashes: readonly string[]): Promise<readonly string[]> {
  const rows: { hash: string }[] = await db('released')
    .modify((query) => whereAnyOf(query, 'hash', hashes))
    .where('due_at', '<=', urgentlyDue)
    .distinct('hash');
  return hashesOf(rows);
}

/** @returns undefined where it is no such difference any more, or what it is a difference from is lost */
async function wholeOf(database: Database, hash: string, base: string): Promise<BlobRow | undefined> {
  const found = await readPayloadRows(database, [hash]);
  const row = found.get(hash);
  if (row?.base !== base) return undefined;
  try {
    return packBlob(hash, unpackBlob(row, found));
  } catch (error) {
    if (isBridgeError(error, 'content-damaged')) return undefined;
    throw error;
  }
}

function hashesOf(rows: readonly { readonly hash: string }[]): readonly string[] {
  return rows.map(({ hash }) => hash);
}

/** Day after day: what falls due at one moment is many, and in the order of an index. */
async function* dueHashes(db: Queryable, until: string): AsyncGenerator<readonly string[]> {
  const released = () => db('released').where('due_at', '<=', until);
  for (let day = ''; ; ) {
    const next: { due_at: string } | undefined = await released()
      .where('due_at', '>', day)
      .orderBy('due_at')
      .first('due_at');
    if (!next) return;
    day = next.due_at;
    for (let after: string | undefined; ; ) {
      const rows: { hash: string }[] = await db('released')
        .distinct('hash')
        .where('due_at', day)
        .modify((query) => {
          if (after !== undefined) query.where('hash', '>', after);
        })
        .orderBy('hash')
        .limit(hashesAtATime);
      if (rows.length === 0) break;
      yield hashesOf(rows);
      after = rows.at(-1)?.hash;
    }
  }
}

/** Removes payloads in the database, and of files what says that they are there. */
async function removeRows(settings: RemovalSettings, hashes: readonly string[]): Promise<RemovedBlobs> {
  return settings.database.transaction(async (trx) => {
    const due = await lockDue(trx, hashes, dueBefore(settings));
    const blobs = () => trx('blob').modify((query) => whereAnyOf(query, 'hash', due));
    const rows: (BlobRow & { octets: number })[] = await blobs()
      .select('hash', 'coding', 'length')
      // Of others it may be long.
      .select(trx.raw("case when coding = 'object' then data end as data"))
      .select(trx.raw('length(data) as octets'));
    await blobs().delete();
    const gone = rows.filter(({ coding }) => coding !== 'file').map(({ hash }) => hash);
    await trx('released')
      .modify((query) => whereAnyOf(query, 'hash', gone))
      .delete();
    const keys = rows.filter(({ coding }) => coding === 'object').map(objectKey);
    if (keys.length > 0) await doomObjects(trx, keys, settings.now, settings.urgent);
    const bytes = rows.reduce((sum, row) => sum + Number(isApart(row) ? row.length : row.octets), 0);
    return { contents: rows.length, bytes };
  });
}

/** Removes files of which nothing tells any more but the rows in `released`, which go with them. */
async function removeFiles(settings: RemovalSettings, hashes: readonly string[]): Promise<void> {
  const { database, directory } = settings;
  await database.transaction(async (trx) => {
    const due = await lockDue(trx, hashes, dueBefore(settings));
    const kept = await findKept(trx, due);
    const gone = due.filter((hash) => !kept.has(hash));
    for (const hash of gone.filter(isContentHash)) {
      await rm(contentFile(directory, hash), { force: true });
      await removeAside(directory, hash);
    }
    await trx('released')
      .modify((query) => whereAnyOf(query, 'hash', gone))
      .delete();
  });
}

/** Those hashes of which every row in `released` is due; nobody changes these until the end of the transaction. */
async function lockDue(
  trx: Knex.Transaction,
  hashes: readonly string[],
  now: string,
): Promise<readonly string[]> {
  // Written first: on SQLite this takes the lock.
  await trx('released').where({ id: 0 }).update({ due_at: null });
  const rows = () => trx('released').modify((query) => whereAnyOf(query, 'hash', hashes));
  const locked: { hash: string }[] = await rows()
    .select('hash')
    .where('due_at', '<=', now)
    .modify((query) => {
      // Whoever has them is just storing the same bytes; and a harvest must not be the victim of a deadlock.
      if (isPostgres(trx)) query.forUpdate().skipLocked();
    });
  const all: { hash: string }[] = await rows().select('hash');
  const open = new Map<string, number>();
  for (const { hash } of all) open.set(hash, (open.get(hash) ?? 0) + 1);
  for (const { hash } of locked) open.set(hash, (open.get(hash) ?? 0) - 1);
  return [...open].filter(([, count]) => count === 0).map(([hash]) => hash);
}

/** Changes when rows of `released` are due, in short transactions; afterwards they are not among those meant. */
async function postpone(
  database: Database,
  dueAt: string,
  which: (query: Knex.QueryBuilder) => void,
): Promise<void> {
  for (;;) {
    const rows: { id: number }[] = await database
      .writer('released')
      .select('id')
      .modify(which)
      .limit(releasedAtATime);
    if (rows.length === 0) return;
    const ids = rows.map(({ id }) => id);
    await database
      .writer('released')
      .modify((query) => whereAnyOf(query, 'id', ids))
      .modify(which)
      .update({ due_at: dueAt });
    await setImmediate();
  }
}
