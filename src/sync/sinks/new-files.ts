import { closeSync, futimesSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { threadId } from 'node:worker_threads';

/** Folders that are remembered to be there. */
const remembered = 10_000;

/** Puts files where they belong: each appears with all its bytes or not at all, and in the time of its resource. */
export class NewFiles {
  /** Behind it a number. */
  readonly #source: string;
  readonly #folders = new Set<string>();
  #written = 0;

  /** @param parts a folder on the same file system */
  constructor(parts: string) {
    this.#source = join(parts, `new-${process.pid}-${threadId}-`);
  }

  /**
   * @param modifiedMs undefined: now
   * @returns a file that is to be moved
   */
  prepare(bytes: Uint8Array, modifiedMs: number | undefined): string {
    this.#written += 1;
    const source = this.#source + this.#written;
    writeNew(source, bytes, modifiedMs);
    return source;
  }

  /** Where nobody looks yet, and nothing lies: to move it there costs as much as to write it. */
  make(target: string, bytes: Uint8Array, modifiedMs: number | undefined): void {
    this.#makeFolder(dirname(target));
    try {
      writeNew(target, bytes, modifiedMs);
    } catch (error) {
      rmSync(target, { force: true });
      throw error;
    }
  }

  move(source: string, target: string): void {
    const folder = dirname(target);
    this.#makeFolder(folder);
    try {
      renameSync(source, target);
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'ENOENT') throw error;
      // Somebody took the folder away.
      this.forgetFolders();
      this.#makeFolder(folder);
      renameSync(source, target);
    }
  }

  /** To be called after a folder was removed. */
  forgetFolders(): void {
    this.#folders.clear();
  }

  #makeFolder(folder: string): void {
    if (this.#folders.has(folder)) return;
    try {
      // Nearly always that is all there is to do, and quicker.
      mkdirSync(folder);
    } catch {
      mkdirSync(folder, { recursive: true });
    }
    if (this.#folders.size >= remembered) this.#folders.clear();
    this.#folders.add(folder);
  }
}

function writeNew(file: string, bytes: Uint8Array, modifiedMs: number | undefined): void {
  const descriptor = openSync(file, 'w');
  try {
    for (let done = 0; done < bytes.byteLength; ) done += writeSync(descriptor, bytes, done);
    if (modifiedMs !== undefined) futimesSync(descriptor, modifiedMs / 1000, modifiedMs / 1000);
  } finally {
    closeSync(descriptor);
  }
}
