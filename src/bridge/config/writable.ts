import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from '../../core/config/config.ts';
import { BridgeError } from '../../core/errors.ts';

const { R_OK, W_OK, X_OK } = constants;

/**
 * @throws Error of the system, naming the path, where this user may not put files into a directory, BridgeError
 * `storage` where there is a file in its place, or nothing can be
 */
export function makeWritableDirectory(directory: string): void {
  makeDirectory(directory);
  if (!statSync(directory).isDirectory())
    throw new BridgeError('storage', `${directory} is a file, not a directory`);
  accessSync(directory, R_OK | W_OK | X_OK);
}

/** Step by step: where no directory can be made at all (`/proc`), `recursive` never ends. */
function makeDirectory(directory: string): void {
  if (existsSync(directory)) return;
  if (dirname(directory) !== directory) makeDirectory(dirname(directory));
  try {
    mkdirSync(directory);
  } catch (error) {
    const { code } = error as { code?: unknown };
    // So says a file system of the kernel (`/proc`), where the directory above is there.
    if (code === 'ENOENT') throw new BridgeError('storage', `no directory can be made at ${directory}`);
    // Another process may have made it at the same time.
    if (code !== 'EEXIST') throw error;
  }
}

/** Said at once, rather than by the first thing that is to be written hours later. */
export function checkPlaces({ directory, database }: Config): void {
  makeWritableDirectory(directory);
  for (const name of ['publication', 'blobs']) {
    if (existsSync(join(directory, name))) makeWritableDirectory(join(directory, name));
  }
  if (database.client !== 'sqlite') return;
  makeWritableDirectory(dirname(database.file));
  for (const file of [database.file, `${database.file}-wal`, `${database.file}-shm`]) {
    if (existsSync(file)) accessSync(file, R_OK | W_OK);
  }
}

/** A file that may not be there yet. */
export function checkWritableFile(file: string): void {
  if (existsSync(file)) accessSync(file, W_OK);
  else makeWritableDirectory(dirname(file));
}
