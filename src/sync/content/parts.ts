import { createHash } from 'node:crypto';
import {
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename, join } from 'node:path';

/** What tells whether the rest at the server still belongs to what lies here. */
export interface PartNote {
  readonly loc: string;
  readonly etag?: string | undefined;
  /** As the server wrote it. */
  readonly lastModified?: string | undefined;
}

/**
 * Downloads on their way: a file each, on the file system of the copy, so that they are moved into it at once. With a
 * note beside it, a later one goes on where this one ended.
 */
export class Parts {
  readonly folder: string;
  /** Names of notes that there may be: to look for each would cost more than to know. */
  readonly #notes: Set<string>;

  constructor(folder: string) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
    const names = readdirSync(folder);
    this.#notes = new Set(names.filter((name) => name.endsWith('.json')));
    // What has no note is of no use to anybody.
    for (const name of names) {
      if (!name.endsWith('.json') && !this.#notes.has(`${name}.json`))
        rmSync(join(folder, name), { recursive: true, force: true });
    }
  }

  fileOf(loc: string): string {
    return join(this.folder, nameOf(loc));
  }

  /** What can be gone on with: its octets, and what the rest has to belong to. */
  unfinished(loc: string): { readonly length: number; readonly note: PartNote } | undefined {
    if (this.#notes.size === 0) return undefined;
    const name = `${nameOf(loc)}.json`;
    if (!this.#notes.has(name)) return undefined;
    const file = this.fileOf(loc);
    try {
      const note = JSON.parse(readFileSync(join(this.folder, name), 'utf8')) as PartNote;
      const length = existsSync(file) ? statSync(file).size : 0;
      if (note.loc === loc && length > 0) return { length, note };
    } catch {
      // Half a note is none.
    }
    this.remove(loc);
    return undefined;
  }

  /** @param note undefined: it cannot be gone on with */
  async begin(loc: string, isContinued: boolean, note: PartNote | undefined): Promise<FileHandle> {
    const name = `${nameOf(loc)}.json`;
    if (note !== undefined && !isContinued) {
      writeFileSync(join(this.folder, name), JSON.stringify(note));
      this.#notes.add(name);
    }
    return open(this.fileOf(loc), isContinued ? 'a' : 'w');
  }

  /** The bytes that lie here. */
  read(loc: string): AsyncIterable<Uint8Array> {
    return createReadStream(this.fileOf(loc));
  }

  /** Its file was moved away, or is to go. */
  remove(loc: string): void {
    this.#forget(nameOf(loc));
  }

  /** The same of a file, whichever address it came from. */
  removeFile(file: string): void {
    this.#forget(basename(file));
  }

  #forget(name: string): void {
    rmSync(join(this.folder, name), { force: true });
    if (this.#notes.delete(`${name}.json`)) rmSync(join(this.folder, `${name}.json`), { force: true });
  }
}

function nameOf(loc: string): string {
  return createHash('sha256').update(loc).digest('hex');
}
