import { rm } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import type { Knex } from 'knex';
import { addSeconds, endOfUtcDay } from '../../core/datetime.ts';
import { isBridgeError } from '../../core/errors.ts';
import { patchRelation } from '../../core/resource.ts';
import { batches } from '../engine/batches.ts';
import { isPostgres, whereAnyOf } from '../engine/bulk.ts';
import type { Database, Queryable } from '../engine/database.ts';
import { deleteDoomed, doomObjects } from '../objects/doomed-objects.ts';
import { bucketOf, objectKey } from '../objects/object-contents.ts';
import { sameSource } from '../rows/one-source.ts';
import { parseLinks } from '../rows/representation-columns.ts';
import { type BlobRow, isApart, packBlob, unpackBlob } from './blobs.ts';
import { contentFile, isContentHash } from './content-files.ts';
import { readPayloadRows } from './content-objects.ts';
import { findKept } from './contents.ts';
import { removeAside } from './damaged-contents.ts';
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
const changesAtATime = 2000;

/** Of a hundred changes that were ever made; so much of what there is may be due before all is read for it. */
const percentWaiting = 2;
/** So long what is due waits at most for more of its kind. */
const patienceSeconds = 30 * 86_400;

/**
 * Removes the bytes of versions that were given up some days ago, where nothing refers to them any more. No index leads
 * from bytes to what refers to them: it would cost every version more than it saves. Instead, what is due waits until it is
 * worth it (`isWorthIt`), so that each version given up costs the reading of some fifty others, however many there are.
 * Then every table that does is read once, in pieces; then each payload is removed under the lock of the rows in `released` that name
 * it, if they are still due. That is what makes it right:
 * - a reference that was there when its table was read postpones all rows of its payload;
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
  if (!(await isWorthIt(database.reader, due, urgent))) return total;
  await storeWhole(settings);
  for (const reference of references) await postponeNeeded(settings, reference);
  await postponeSharedPatches(settings);
  for await (const hashes of dueHashes(database.reader, due)) {
    signal?.throwIfAborted();
    const removed = await removeRows(settings, hashes);
    total.contents += removed.contents;
    total.bytes += removed.bytes;
    await removeFiles(settings, hashes);
    await setImmediate();
  }
  return total;
}

/** Whether enough is due, or something has been for long; what was given up for good waits for nothing. */
async function isWorthIt(db: Queryable, due: string, urgent: boolean): Promise<boolean> {
  const first: { due_at: string } | undefined = await db('released')
    .where('due_at', '<=', due)
    .orderBy('due_at')
    .first('due_at');
  if (!first || urgent || first.due_at <= addSeconds(due, -patienceSeconds)) return first !== undefined;
  const [all] = await db('source').sum({ changes: 'journal_seq' });
  const enough = Math.max(1, Math.floor((Number(all?.changes ?? 0) * percentWaiting) / 100));
  const last = await db('released')
    .where('due_at', '<=', due)
    .orderBy('due_at')
    .offset(enough - 1)
    .first('id');
  return last !== undefined;
}

/** What is due in the object storage, also of earlier days. */
async function removeObjects({ database, directory, now, signal }: RemovalSettings): Promise<void> {
  const bucket = bucketOf(directory);
  if (bucket) await deleteDoomed(database, bucket.store, now, signal);
}

function dueBefore({ now, urgent = false }: RemovalSettings): string {
  return urgent ? urgentlyDue : now;
}

interface Reference {
  readonly table: string;
  readonly column: string;
  readonly condition?: string;
  /** What the rows are in the order of; default: in which they were written. */
  readonly order?: string;
  /** They are so in each source. */
  readonly bySource?: boolean;
  /** As many steps of that order are read in some milliseconds. */
  readonly rows: number;
}

const references: readonly Reference[] = [
  // A version that comes meanwhile has claimed its payload (`claimPayloads`).
  {
    table: 'version',
    column: 'hash',
    condition: 'dropped_at is null',
    order: 'resource_id',
    bySource: true,
    rows: 2000,
  },
  { table: 'resource', column: 'hash', rows: 10_000 },
  { table: 'prior_representation', column: 'hash', rows: 10_000 },
  { table: 'remote_file', column: 'content_hash', rows: 10_000 },
  // Its rows are long, and the column is the last of them.
  { table: 'blob', column: 'base', condition: 'base is not null', rows: 2000 },
];

async function postponeNeeded(settings: RemovalSettings, reference: Reference): Promise<void> {
  const { database, signal } = settings;
  for await (const hashes of findNeeded(database.reader, reference, dueBefore(settings))) {
    signal?.throwIfAborted();
    await postponeHashes(settings, hashes);
    await setImmediate();
  }
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
async function storeWhole({ database, signal }: RemovalSettings): Promise<void> {
  if (!(await database.reader('released').where('due_at', '<=', urgentlyDue).first('id'))) return;
  const rows: { hash: string; base: string }[] = await database
    .reader('blob')
    .whereIn('base', database.reader('released').where('due_at', '<=', urgentlyDue).select('hash'))
    .select('hash', 'base');
  for (const { hash, base } of rows) {
    signal?.throwIfAborted();
    const whole = await wholeOf(database, hash, base);
    if (!whole) continue;
    const { coding, data } = whole;
    await database.writer('blob').where({ hash, base }).update({ coding, data, base: null });
  }
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

/** Patches are named by links, which are read only where a patch is to go. */
async function postponeSharedPatches(settings: RemovalSettings): Promise<void> {
  const { database, signal } = settings;
  const { reader } = database;
  const due = () =>
    reader('released').where('due_at', '<=', dueBefore(settings)).where('resource_id', '<', 0);
  const hashes = new Set(hashesOf(await due().distinct('hash')));
  if (hashes.size === 0) return;
  const sources: { id: number }[] = await reader('source').select('id');
  for (const { id } of sources) {
    for (let after = 0; ; ) {
      signal?.throwIfAborted();
      const rows: { seq: number; links: string; withdrawn_at: string | null }[] = await reader('change')
        .join('resource', 'resource.id', 'change.resource_id')
        .modify(sameSource, 'resource', 'change')
        .where('change.source_id', id)
        .where('change.seq', '>', after)
        .orderBy('change.seq')
        .limit(changesAtATime)
        .select('change.seq', 'change.links', 'resource.withdrawn_at');
      const needed = rows
        .filter(({ links, withdrawn_at }) => withdrawn_at === null && links.includes(patchRelation))
        .flatMap(({ links }) => parseLinks(links).flatMap(({ hash }) => hash ?? []))
        .filter((hash) => hashes.has(hash));
      if (needed.length > 0) await postponeHashes(settings, needed);
      const last = rows.at(-1);
      if (!last || rows.length < changesAtATime) break;
      after = last.seq;
      await setImmediate();
    }
  }
}

/** Those that a table refers to, of those that are due. */
async function* findNeeded(
  db: Queryable,
  { table, column, condition = 'true', order = 'rowid', bySource = false, rows }: Reference,
  now: string,
): AsyncGenerator<readonly string[]> {
  const due = 'select 1 from released where released.hash = ??.?? and released.due_at <= ?';
  const needed = () =>
    db(table)
      .distinct({ hash: column })
      .whereRaw(condition)
      .whereRaw(`exists (${due})`, [table, column, now]);
  // A statement of PostgreSQL keeps nobody waiting; one of SQLite keeps the whole process.
  if (isPostgres(db)) {
    yield hashesOf(await needed());
    return;
  }
  const sources: { source_id: number }[] = bySource ? await db('source').select({ source_id: 'id' }) : [];
  for (const own of bySource ? sources : [{}]) {
    for (let after = 0; ; after += rows) {
      // Anew each time: a row that was written again meanwhile is at the end.
      const [end] = await db(table).where(own).max({ last: order });
      if (after >= Number(end?.last ?? 0)) break;
      const range = [table, order, after, table, order, after + rows] as const;
      yield hashesOf(await needed().where(own).whereRaw('??.?? > ? and ??.?? <= ?', range));
    }
  }
}

function hashesOf(rows: readonly { readonly hash: string }[]): readonly string[] {
  return rows.map(({ hash }) => hash);
}

async function* dueHashes(db: Queryable, now: string): AsyncGenerator<readonly string[]> {
  for (let after: string | undefined; ; ) {
    const rows: { hash: string }[] = await db('released')
      .distinct('hash')
      .where('due_at', '<=', now)
      .modify((query) => {
        if (after !== undefined) query.where('hash', '>', after);
      })
      .orderBy('hash')
      .limit(hashesAtATime);
    if (rows.length === 0) return;
    yield hashesOf(rows);
    after = rows.at(-1)?.hash;
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
