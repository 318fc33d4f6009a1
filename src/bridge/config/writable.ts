import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from '../../core/config/config.ts';

const { R_OK, W_OK, X_OK } = constants;

/** @throws Error of the system, naming the path, where this user may not put files into a directory */
export function makeWritableDirectory(directory: string): void {
  mkdirSync(directory, { recursive: true });
  accessSync(directory, R_OK | W_OK | X_OK);
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
