import { createHash } from 'node:crypto';
import {
  copyFileSync,
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { toMilliseconds } from '../../core/datetime.ts';
import { NewFiles } from './new-files.ts';
import type { ReceivedContent } from './received-content.ts';

/** Of one copy, on one file system. */
export interface CopyFolders {
  readonly directory: string;
  /** For the files of a copy that is made as a whole. */
  readonly aside: string;
  /** For files on their way. */
  readonly parts: string;
}

/**
 * A copy as a tree of files. A file appears with all its bytes or not at all, and has the time of its resource. What is
 * replaced or deleted goes to the backup, where there is one.
 */
export class DirectorySink {
  readonly #home: string;
  readonly #aside: string;
  readonly #parts: string;
  readonly #backup: string | undefined;
  readonly #new: NewFiles;
  #isAside = false;

  /** @param backup undefined: what is replaced is gone */
  constructor({ directory, aside, parts }: CopyFolders, backup: string | undefined) {
    this.#home = directory;
    this.#aside = aside;
    this.#parts = parts;
    this.#backup = backup;
    this.#new = new NewFiles(parts);
  }

  /** Where files are now. */
  get root(): string {
    return this.#isAside ? this.#aside : this.#home;
  }

  get isAside(): boolean {
    return this.#isAside;
  }

  /** For a copy that has nothing yet: until `show` its files lie where nobody looks. */
  hide(): void {
    mkdirSync(this.#aside, { recursive: true });
    this.#isAside = true;
  }

  /** @returns false: nothing was hidden, by this run or by one that was killed */
  show(): boolean {
    this.#isAside = false;
    if (!existsSync(this.#aside)) return false;
    mergeFolder(this.#aside, this.#home);
    this.#new.forgetFolders();
    return true;
  }

  /** @param modifiedAt ISO UTC */
  put(path: string, { bytes, file }: ReceivedContent, modifiedAt: string | undefined): void {
    const modifiedMs = modifiedAt === undefined ? undefined : toMilliseconds(modifiedAt);
    const source = file ?? this.#new.prepare(bytes ?? new Uint8Array(), modifiedMs);
    if (file !== undefined && modifiedMs !== undefined)
      utimesSync(file, modifiedMs / 1000, modifiedMs / 1000);
    if (this.#backup !== undefined) this.#putAside(path);
    this.#new.move(source, join(this.root, path));
  }

  remove(path: string): void {
    if (this.#backup !== undefined) this.#putAside(path);
    // Where a file has the place of its folder, it is not there.
    if (this.isAnything(path, false)) rmSync(join(this.root, path), { force: true });
    this.#removeEmptyFolders(dirname(path));
  }

  /** Within the copy: a file makes room for a folder of its own name. */
  move(from: string, to: string): void {
    const temporary = join(this.#parts, `moved-${process.pid}`);
    // Before a crash it may have been moved; then a folder is there already.
    if (!this.isFile(from)) return;
    renameSync(join(this.root, from), temporary);
    this.#new.forgetFolders();
    this.#new.move(temporary, join(this.root, to));
  }

  /** Whether anything lies there, a folder too. @param hidden the answer where something else has the place of a folder of it */
  isAnything(path: string, hidden = true): boolean {
    try {
      return statSync(join(this.root, path), { throwIfNoEntry: false }) !== undefined;
    } catch {
      return hidden;
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
      this.#new.forgetFolders();
    }
  }
}

/** What both have is merged, and a file takes the place of a file. */
function mergeFolder(from: string, into: string): void {
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(into, entry.name)];
    if (entry.isDirectory() && existsSync(target)) mergeFolder(source, target);
    else renameSync(source, target);
  }
  rmdirSync(from);
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
