import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeAll } from '../disk/document-file.ts';
import { grown } from '../disk/text-chunks.ts';

/** Where the bytes of a ZIP go. What is handed over may be overwritten as soon as `write` has resolved. */
export interface ByteSink {
  /** @returns a promise only when there is something to wait for */
  write(bytes: Uint8Array): Promise<void> | undefined;
}

export interface WrittenPackage {
  readonly file: string;
  readonly length: number;
  /** SHA-256 of the bytes, hexadecimal. */
  readonly digest: string;
}

const bufferBytes = 1_048_576;

/**
 * A large file written from beginning to end: to a temporary name, synced, renamed, and hashed on the way. One
 * buffer is filled and hashed while the other one is written; what is short takes no more than it needs.
 */
export class PackageFile implements ByteSink {
  readonly #directory: string;
  readonly #name: string;
  readonly #handle: FileHandle;
  readonly #hash = createHash('sha256');
  #filling = Buffer.alloc(0);
  #spare = Buffer.alloc(0);
  #filled = 0;
  #length = 0;
  #writing: Promise<void> = Promise.resolve();

  /** @param name to be recognised by people; the rest makes it unique */
  static async create(directory: string, name: string): Promise<PackageFile> {
    const unique = `${name}.${randomUUID().slice(0, 8)}.zip`;
    return new PackageFile(directory, unique, await open(join(directory, `${unique}.tmp`), 'wx'));
  }

  private constructor(directory: string, name: string, handle: FileHandle) {
    this.#directory = directory;
    this.#name = name;
    this.#handle = handle;
  }

  write(bytes: Uint8Array): Promise<void> | undefined {
    if (bytes.byteLength > bufferBytes - this.#filled) return this.#writeAcross(bytes);
    this.#makeRoom(this.#filled + bytes.byteLength);
    this.#filling.set(bytes, this.#filled);
    this.#filled += bytes.byteLength;
    return undefined;
  }

  async finish(): Promise<WrittenPackage> {
    try {
      await this.#flush();
      await this.#writing;
      await this.#handle.sync();
      await this.#handle.close();
      await rename(join(this.#directory, `${this.#name}.tmp`), join(this.#directory, this.#name));
    } catch (error) {
      await this.discard();
      throw error;
    }
    return { file: this.#name, length: this.#length, digest: this.#hash.digest('hex') };
  }

  async discard(): Promise<void> {
    await this.#writing.catch(() => undefined);
    await this.#handle.close().catch(() => undefined);
    await rm(join(this.#directory, `${this.#name}.tmp`), { force: true });
  }

  #makeRoom(wanted: number): void {
    if (wanted <= this.#filling.length) return;
    this.#filling = grown(this.#filling, this.#filled, wanted, bufferBytes);
  }

  async #writeAcross(bytes: Uint8Array): Promise<void> {
    for (let start = 0; start < bytes.byteLength; ) {
      this.#makeRoom(bufferBytes);
      const part = bytes.subarray(start, start + bufferBytes - this.#filled);
      this.#filling.set(part, this.#filled);
      this.#filled += part.byteLength;
      start += part.byteLength;
      if (this.#filled === bufferBytes) await this.#flush();
    }
  }

  async #flush(): Promise<void> {
    const bytes = this.#filling.subarray(0, this.#filled);
    this.#hash.update(bytes);
    this.#length += bytes.byteLength;
    await this.#writing;
    this.#writing = writeAll(this.#handle, bytes);
    // It is awaited later; until then a failure is not unhandled.
    this.#writing.catch(() => undefined);
    [this.#filling, this.#spare] = [this.#spare, this.#filling];
    this.#filled = 0;
  }
}
