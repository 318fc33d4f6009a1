import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isBridgeError } from '../../core/errors.ts';
import type { SetBucket } from '../bucket/published-bucket.ts';
import { isAbsent } from '../bucket/published-files.ts';
import type { OpenFile } from './change-state.ts';
import { restoreOpenFile } from './list-segments.ts';

/** What a pointer needs and is neither on this disk nor in the bucket. */
export async function missingFiles(
  directory: string,
  bucket: SetBucket | undefined,
  files: ReadonlySet<string>,
): Promise<readonly string[]> {
  const local = new Set(await namesIn(directory));
  const missing = new Set([...files].filter((file) => !local.has(file)));
  if (missing.size === 0 || !bucket) return [...missing];
  const keys = new Map([...missing].map((file) => [bucket.key(file), file]));
  for (const prefix of bucket.prefixes()) {
    if (![...keys.keys()].some((key) => key.startsWith(prefix))) continue;
    for await (const { key } of bucket.store.list(prefix)) keys.delete(key);
  }
  return [...keys.values()];
}

/**
 * Whether an open list can be continued. One in segments is made again of them where it may not be the one that was
 * published last: another machine may have gone on with it.
 */
export async function hasOpenFile(directory: string, file: OpenFile, isOurs: boolean): Promise<boolean> {
  if (file.segments && !(isOurs && (await isLongEnough(directory, file))))
    await restoreOpenFile(directory, file);
  return isLongEnough(directory, file);
}

/** @throws what says nothing about what is there */
export function isMissing(error: unknown): false {
  if (isAbsent(error) || !(isBridgeError(error) || isOfSystem(error))) return false;
  throw error;
}

function isOfSystem(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return ['EMFILE', 'ENFILE', 'ENOSPC', 'EDQUOT'].includes(String(code));
}

export async function namesIn(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch((error: unknown) => {
    if (isAbsent(error)) return [];
    throw error;
  });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

async function isLongEnough(directory: string, file: OpenFile): Promise<boolean> {
  const length = async (name: string) =>
    stat(join(directory, name)).then(
      ({ size }) => size,
      () => -1,
    );
  const [plain, deflated] = await Promise.all([length(file.plain), length(file.deflated)]);
  return plain >= file.length && deflated >= file.deflatedLength;
}
