import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../core/adapter.ts';
import { toIso } from '../../core/datetime.ts';
import { isBridgeError } from '../../core/errors.ts';
import { bucketAt } from '../bucket/published-bucket.ts';
import { isAbsent } from '../bucket/published-files.ts';
import { missingFiles, namesIn } from '../disk/bucket-contents.ts';
import { Catalogs } from '../disk/catalogs.ts';
import { readPointer } from '../disk/pointer.ts';
import { lockPublication, type PublicationLock } from '../disk/publication-lock.ts';
import { SetDirectory } from '../disk/set-directory.ts';
import { publicationRoot } from '../published/publication.ts';

export interface MoveOptions {
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** Called after each set, with how many files of it were moved. */
  readonly onMoved?: ((files: number) => void) | undefined;
}

const attempts = 300;
const pauseMs = 200;

/**
 * Moves documents and packages between the disk and the bucket, set by set, to where the configuration wants them. They are
 * served all the while; what is stopped or killed goes on with the next call.
 * @param directory the data directory
 * @returns how many files were moved
 */
export async function movePublication(directory: string, options: MoveOptions): Promise<number> {
  let files = 0;
  for (const place of await placesOf(directory)) {
    options.signal?.throwIfAborted();
    const moved = await moveSet(place, options);
    files += moved;
    options.onMoved?.(moved);
  }
  return files;
}

export interface PublicationFinding {
  /** Files that what is published needs. */
  readonly files: number;
  /** Of these: neither on the disk of this machine nor in the bucket. */
  readonly missing: number;
  /** Of these: on the disk, though they are to be in the bucket. */
  readonly toMove: number;
}

/** Compares what is published with what the disk and the bucket have. */
export async function comparePublication(
  directory: string,
  signal?: AbortSignal,
): Promise<PublicationFinding> {
  let [files, missing, toMove] = [0, 0, 0];
  for (const place of await placesOf(directory)) {
    signal?.throwIfAborted();
    const pointer = await readPointer(place);
    if (!pointer) continue;
    const bucket = bucketAt(place);
    const needed = await new Catalogs(place).filesOf(pointer).catch((error: unknown) => {
      if (isAbsent(error)) return undefined;
      throw error;
    });
    files += needed?.size ?? 1;
    if (!needed) {
      missing += 1;
      continue;
    }
    missing += (await missingFiles(place, bucket, needed)).length;
    const local = (await namesIn(place)).filter((file) => needed.has(file));
    toMove += bucket ? local.filter((file) => bucket.takes(file)).length : 0;
  }
  return { files, missing, toMove };
}

/** Of the site, and of each set. */
async function placesOf(directory: string): Promise<readonly string[]> {
  const root = publicationRoot(directory);
  const { sets = [], left = [] } = (await readPointer(root)) ?? {};
  return [root, ...[...new Set([...sets, ...left])].map((set) => join(root, ...set.split('/')))];
}

async function moveSet(place: string, { clock, signal }: MoveOptions): Promise<number> {
  const baseUrl = (await readPointer(place))?.baseUrl;
  if (baseUrl === undefined) return 0;
  await mkdir(place, { recursive: true });
  const lock = await lockPatiently(place, clock, signal);
  try {
    const directory = new SetDirectory(place);
    if (!(await directory.load(baseUrl))) return 0;
    const moved = await directory.move(toIso(clock.now()));
    await directory.sweep();
    return moved;
  } finally {
    await lock.release();
  }
}

/** Beside `serve` a set is often being published, but seldom for long. */
async function lockPatiently(
  place: string,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<PublicationLock> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await lockPublication(place);
    } catch (error) {
      if (attempt >= attempts || !isBridgeError(error, 'publication-busy')) throw error;
      await clock.sleep(pauseMs, signal);
    }
  }
}
