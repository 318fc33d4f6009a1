import type { Dirent } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { toIso } from '../../core/datetime.ts';
import { publicationRoot } from '../../publish/published/publication.ts';
import { type FilePlace, type FilesMeasures, filePlaces } from '../../server/measures.ts';
import { batches } from '../../store/engine/batches.ts';
import type { StoredBridge } from '../stored-bridge.ts';

/** Of more files nobody waits to hear: it takes a minute or so on a slow disk. */
const mostFiles = 500_000;
const shownSources = 50;
const atOnce = 32;

/** Below the data directory. */
const places: Readonly<Record<string, FilePlace>> = {
  blobs: 'contents',
  'lists-in-time': 'past',
  'published-cache': 'copies',
};

/** SQLite keeps these files, which are told of by themselves. */
const databaseEndings = ['', '-wal', '-shm', '-journal'];

interface Tally {
  files: number;
  bytes: number;
}

/**
 * Counts the files of the data directory, one directory after the other beside other work, and all of them only up to so many.
 * What goes while it looks is not counted.
 */
export async function measureFiles(
  { config, clock }: Pick<StoredBridge, 'config' | 'clock'>,
  signal: AbortSignal,
  most = mostFiles,
): Promise<FilesMeasures> {
  const { directory, database, sources } = config;
  const at = toIso(clock.now());
  const byPlace = new Map<FilePlace, Tally>(filePlaces.map((place) => [place, { files: 0, bytes: 0 }]));
  const bySource = new Map<string, Tally>();
  const published = basename(publicationRoot(directory));
  const file = database.client === 'sqlite' ? basename(database.file) : undefined;
  const ofDatabase = file === undefined ? [] : databaseEndings.map((ending) => `${file}${ending}`);
  let left = most;
  let complete = true;
  for await (const { path, bytes } of filesBelow(directory, signal)) {
    if (left === 0) complete = false;
    if (!complete) break;
    const [top = '', source = '', ...below] = path;
    if (path.length === 1 && ofDatabase.includes(top)) continue;
    left -= 1;
    const isPackage = path.at(-1)?.endsWith('.zip') === true;
    const place = top === published ? (isPackage ? 'packages' : 'documents') : (places[top] ?? 'other');
    count(byPlace, place, bytes);
    if (top === published && below.length > 0 && Object.hasOwn(sources, source))
      count(bySource, source, bytes);
  }
  const largest = [...bySource].sort(([, a], [, b]) => b.bytes - a.bytes).slice(0, shownSources);
  return {
    at,
    complete,
    places: [...byPlace].map(([place, tally]) => ({ place, ...tally })),
    sources: largest.map(([name, tally]) => ({ name, ...tally })),
  };
}

function count<Key>(tallies: Map<Key, Tally>, key: Key, bytes: number): void {
  const tally = tallies.get(key) ?? { files: 0, bytes: 0 };
  tallies.set(key, { files: tally.files + 1, bytes: tally.bytes + bytes });
}

interface FoundFile {
  /** From the root on. */
  readonly path: readonly string[];
  readonly bytes: number;
}

async function* filesBelow(
  root: string,
  signal: AbortSignal,
  path: readonly string[] = [],
): AsyncGenerator<FoundFile> {
  const folders: string[] = [];
  const files: string[] = [];
  for await (const entry of entriesOf(join(root, ...path))) {
    signal.throwIfAborted();
    if (entry.isDirectory()) folders.push(entry.name);
    else if (entry.isFile()) files.push(entry.name);
  }
  for (const some of batches(files, atOnce)) {
    signal.throwIfAborted();
    const sizes = await Promise.all(some.map((name) => sizeOf(join(root, ...path, name))));
    for (const [index, bytes] of sizes.entries())
      if (bytes !== undefined) yield { path: [...path, some[index] ?? ''], bytes };
  }
  for (const folder of folders) yield* filesBelow(root, signal, [...path, folder]);
}

/** Of a directory that is gone, or that we may not read, none. */
async function* entriesOf(path: string): AsyncGenerator<Dirent> {
  try {
    yield* await opendir(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await lstat(path)).size;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES' || code === 'EPERM';
}
