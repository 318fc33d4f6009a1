import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, lstat, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { batches } from '../engine/batches.ts';
import { whereAnyOf } from '../engine/bulk.ts';
import type { Database, Queryable } from '../engine/database.ts';
import { objectKey, packedLengthOf, storeFor } from '../objects/object-contents.ts';
import { type BlobRow, isSound, readBlobRows } from './blobs.ts';
import { contentFile } from './content-files.ts';

/**
 * What was found damaged is remembered beside the contents, because any process may find it, also one that may not
 * write to the database: `<directory>/blobs/damaged/<hex>` is what lay there, empty where nothing did. Its place is
 * empty from then on, so that nobody hands it out. Once the files are called for that have it as their content, it is
 * `<hex>.known`, until the content is there again or given up.
 */
const entryName = /^([0-9a-f]{64})(\.known)?$/;
const hashesAtATime = 500;

/**
 * Takes a content out of its place. That it cannot be moved is no error: what is found damaged is so for whoever reads
 * it again.
 * @param ino of the file that was read: its successor may have come meanwhile
 */
export async function setAside(directory: string, hash: string, ino?: number): Promise<void> {
  const file = contentFile(directory, hash);
  const aside = asideOf(directory, hash);
  try {
    const found = await lstat(file).catch(() => undefined);
    if (ino !== undefined && found?.ino !== ino) return;
    // Without the content store, as on a disk that is not mounted, nothing is known of any content.
    await mkdir(damagedIn(directory)).catch(unless('EEXIST'));
    if (found) {
      await rm(aside, { recursive: true, force: true });
      await rename(file, aside);
    } else if (!(await exists(`${aside}.known`))) {
      await writeFile(aside, '', { flag: 'wx' });
    }
  } catch {
    // A directory that this user may not write to; or another process was faster.
  }
}

/** The same of one in the object storage, by its name. It stays where it is: its successor gets another name. */
export async function noteObject(directory: string, row: BlobRow): Promise<void> {
  try {
    await mkdir(damagedIn(directory), { recursive: true });
    if (!(await isNoted(directory, row))) await writeFile(asideOf(directory, row.hash), objectKey(row));
  } catch {
    // As above.
  }
}

/** Whether it was found damaged: what is in the object storage cannot be told so by a look. */
export async function isNoted(directory: string, row: BlobRow): Promise<boolean> {
  const aside = asideOf(directory, row.hash);
  for (const file of [aside, `${aside}.known`]) {
    if ((await readFile(file, 'utf8').catch(() => undefined)) === objectKey(row)) return true;
  }
  return false;
}

/** Whether a content was found damaged since the last call for mending: one look at a directory that is mostly empty. */
export async function hasNewDamage(directory: string): Promise<boolean> {
  return (await listEntries(directory)).some(({ isKnown }) => !isKnown);
}

/**
 * Makes the files due of which the content was found damaged, whatever their source, and forgets what is mended.
 * @param now ISO UTC
 * @returns configured names of the sources whose files were called for
 */
export async function callForMending(
  database: Database,
  directory: string,
  now: string,
): Promise<ReadonlySet<string>> {
  const sources = new Set<string>();
  const entries = await listEntries(directory);
  for (const some of batches(entries, hashesAtATime)) {
    const hashes = some.map(({ hash }) => hash);
    const rows = await readBlobRows(database.reader, hashes);
    const damaged: Entry[] = [];
    for (const entry of some) {
      const row = rows.get(entry.hash);
      const isDamaged =
        row?.coding === 'object'
          ? await isNoted(directory, row)
          : row?.coding === 'file' && !(await isThere(directory, row, rows));
      if (!isDamaged) await rm(join(damagedIn(directory), entry.name), { recursive: true, force: true });
      else if (!entry.isKnown) damaged.push(entry);
    }
    if (damaged.length === 0) continue;
    const found = damaged.map(({ hash }) => hash);
    await makeDue(database, now, 'content_hash', found);
    for (const name of await sourcesOf(database.reader, found)) sources.add(name);
    for (const { name, hash } of damaged) {
      await replace(`${asideOf(directory, hash)}.known`, join(damagedIn(directory), name));
    }
  }
  return sources;
}

async function sourcesOf(db: Queryable, hashes: readonly string[]): Promise<readonly string[]> {
  const rows: { name: string }[] = await db('remote_file')
    .join('source', 'source.id', 'remote_file.source_id')
    .distinct('source.name')
    .modify((query) => whereAnyOf(query, 'content_hash', hashes));
  return rows.map(({ name }) => name);
}

/** Of a content that is given up nothing is left, damaged or not. */
export async function removeAside(directory: string, hash: string): Promise<void> {
  const aside = asideOf(directory, hash);
  for (const name of [aside, `${aside}.known`]) await rm(name, { recursive: true, force: true });
}

/** Whether a content is kept, as far as can be told without reading its file: that has the length it should have. */
export async function isKeptWhole(
  db: Queryable,
  directory: string,
  hash: string,
  length: number | undefined,
): Promise<boolean> {
  const rows = await readBlobRows(db, [hash]);
  const row = rows.get(hash);
  if (!row || (length !== undefined && Number(row.length) !== length)) return false;
  return isThere(directory, row, rows);
}

export async function isThere(
  directory: string,
  row: BlobRow,
  rows: ReadonlyMap<string, BlobRow>,
): Promise<boolean> {
  if (row.coding === 'object') {
    if (await isNoted(directory, row)) return false;
    const length = packedLengthOf(row) ?? Number(row.length);
    return (await storeFor(directory).head(objectKey(row)))?.length === length;
  }
  if (row.coding !== 'file') return isSound(row, rows);
  const file = contentFile(directory, row.hash);
  try {
    const found = await stat(file);
    if (!found.isFile() || found.size !== Number(row.length)) return false;
    await access(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** @param column what the values are of */
export async function makeDue(
  database: Database,
  now: string,
  column: 'id' | 'content_hash',
  values: readonly string[] | readonly number[],
): Promise<void> {
  await database
    .writer('remote_file')
    .whereNotNull('content_hash')
    .modify((query) => whereAnyOf(query, column, values))
    .where((later) => later.whereNull('due_at').orWhere('due_at', '>', now))
    .update({ due_at: now });
}

interface Entry {
  readonly name: string;
  readonly hash: string;
  readonly isKnown: boolean;
}

async function listEntries(directory: string): Promise<readonly Entry[]> {
  const names = await readdir(damagedIn(directory)).catch(unless('ENOENT', 'ENOTDIR', 'EACCES'));
  return (names ?? []).flatMap((name) => {
    const [, hex, known] = entryName.exec(name) ?? [];
    return hex === undefined ? [] : [{ name, hash: `sha-256:${hex}`, isKnown: known !== undefined }];
  });
}

function damagedIn(directory: string): string {
  return join(directory, 'blobs', 'damaged');
}

function asideOf(directory: string, hash: string): string {
  return join(damagedIn(directory), hash.replace('sha-256:', ''));
}

/** Another process may be about to do it, too: whoever gets hold of `by` does, for `former` may be a directory. */
async function replace(former: string, by: string): Promise<void> {
  const own = `${former}.${randomUUID()}`;
  const isOurs = await rename(by, own).then(() => true, unless('ENOENT'));
  if (!isOurs) return;
  await rm(former, { recursive: true, force: true });
  await rename(own, former);
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}

function unless(...codes: readonly string[]): (error: unknown) => undefined {
  return (error) => {
    if (!codes.includes(String((error as NodeJS.ErrnoException).code))) throw error;
    return undefined;
  };
}
