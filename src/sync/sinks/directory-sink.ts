import { createHash } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  createReadStream,
  existsSync,
  futimesSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { toMilliseconds } from '../../core/datetime.ts';
import type { ReceivedContent } from './received-content.ts';

/**
 * A copy as a tree of files. A file appears with all its bytes or not at all, and has the time of its resource. What is
 * replaced or deleted goes to the backup, where there is one.
 */
export class DirectorySink {
  readonly root: string;
  readonly #parts: string;
  readonly #backup: string | undefined;
  readonly #folders = new Set<string>();
  #written = 0;

  /**
   * @param parts a folder on the same file system
   * @param backup undefined: what is replaced is gone
   */
  constructor(root: string, parts: string, backup: string | undefined) {
    this.root = root;
    this.#parts = parts;
    this.#backup = backup;
  }

  /** @param modifiedAt ISO UTC */
  put(path: string, { bytes, file }: ReceivedContent, modifiedAt: string | undefined): void {
    const target = join(this.root, path);
    let source = file;
    if (source === undefined) {
      this.#written += 1;
      source = join(this.#parts, `new-${process.pid}-${this.#written}`);
      writeNew(source, bytes ?? new Uint8Array(), modifiedAt);
    } else if (modifiedAt !== undefined) setTime(source, modifiedAt);
    this.#makeFolder(dirname(target));
    if (this.#backup !== undefined) this.#putAside(path);
    renameSync(source, target);
  }

  remove(path: string): void {
    if (this.#backup !== undefined) this.#putAside(path);
    rmSync(join(this.root, path), { force: true });
    this.#removeEmptyFolders(dirname(path));
  }

  /** Within the copy: a file makes room for a folder of its own name. */
  move(from: string, to: string): void {
    const temporary = join(this.#parts, `moved-${process.pid}`);
    // Before a crash it may have been moved; then a folder is there already.
    if (!this.isFile(from)) return;
    renameSync(join(this.root, from), temporary);
    this.#folders.clear();
    this.#makeFolder(dirname(join(this.root, to)));
    renameSync(temporary, join(this.root, to));
  }

  /** Whether anything lies there, a folder too, or a file where it has a folder. */
  isAnything(path: string): boolean {
    try {
      return statSync(join(this.root, path), { throwIfNoEntry: false }) !== undefined;
    } catch {
      return true;
    }
  }

  isFile(path: string): boolean {
    return statSync(join(this.root, path), { throwIfNoEntry: false })?.isFile() === true;
  }

  /** The bytes that lie there; undefined: they are more than that, or not there. */
  async read(path: string, maximumOctets: number): Promise<Uint8Array | undefined> {
    const file = join(this.root, path);
    const found = statSync(file, { throwIfNoEntry: false });
    return found?.isFile() && found.size <= maximumOctets ? readFile(file) : undefined;
  }

  /** Hashes of what lies there. */
  async measure(
    path: string,
  ): Promise<{ readonly sha256: string; readonly length: number; readonly modifiedMs: number }> {
    const file = join(this.root, path);
    const hash = createHash('sha256');
    let length = 0;
    for await (const chunk of createReadStream(file) as AsyncIterable<Uint8Array>) {
      hash.update(chunk);
      length += chunk.byteLength;
    }
    return { sha256: `sha-256:${hash.digest('hex')}`, length, modifiedMs: statSync(file).mtimeMs };
  }

  #makeFolder(folder: string): void {
    if (this.#folders.has(folder)) return;
    mkdirSync(folder, { recursive: true });
    if (this.#folders.size > 10_000) this.#folders.clear();
    this.#folders.add(folder);
  }

  #putAside(path: string): void {
    const file = join(this.root, path);
    if (this.#backup === undefined || !existsSync(file)) return;
    const kept = join(this.#backup, path);
    mkdirSync(dirname(kept), { recursive: true });
    moveFile(file, kept);
  }

  #removeEmptyFolders(folder: string): void {
    for (let current = folder; current !== '.' && current !== ''; current = dirname(current)) {
      try {
        rmdirSync(join(this.root, current));
      } catch {
        // Something else lies there.
        return;
      }
      this.#folders.delete(join(this.root, current));
    }
  }
}

function writeNew(file: string, bytes: Uint8Array, modifiedAt: string | undefined): void {
  const descriptor = openSync(file, 'w');
  try {
    writeFileSync(descriptor, bytes);
    const seconds = modifiedAt === undefined ? undefined : toMilliseconds(modifiedAt) / 1000;
    if (seconds !== undefined) futimesSync(descriptor, seconds, seconds);
  } finally {
    closeSync(descriptor);
  }
}

function setTime(file: string, iso: string): void {
  const seconds = toMilliseconds(iso) / 1000;
  utimesSync(file, seconds, seconds);
}

/** A backup may lie on another disk. */
function moveFile(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EXDEV') throw error;
    copyFileSync(from, to);
    rmSync(from);
  }
}
