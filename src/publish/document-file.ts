import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip, type Gzip, gzipSync } from 'node:zlib';

/** Level 1 takes a third of the time of level 6 and leaves lists a few per cent larger. */
export const gzipLevel = 1;

export interface WrittenFile {
  readonly file: string;
  readonly length: number;
  /** SHA-256 of the bytes. */
  readonly digest: string;
}

/**
 * One document, or one piece of it, written plain and as a gzip member side by side: to temporary names,
 * synced, renamed. zlib works in the thread pool while the next chunk is rendered.
 */
export class DocumentFile {
  readonly #directory: string;
  readonly #name: string;
  readonly #plain: FileHandle;
  readonly #compressed: FileHandle;
  readonly #gzip: Gzip;
  readonly #gzipDone: Promise<void>;
  readonly #plainHash = createHash('sha256');
  readonly #gzipHash = createHash('sha256');
  #length = 0;
  #gzipLength = 0;
  #writing: Promise<unknown> = Promise.resolve();

  /** @param name to be recognised by people; the rest makes it unique */
  static async create(directory: string, name: string): Promise<DocumentFile> {
    const unique = `${name}.${randomUUID().slice(0, 8)}.xml`;
    const plain = await open(join(directory, `${unique}.tmp`), 'wx');
    try {
      return new DocumentFile(
        directory,
        unique,
        plain,
        await open(join(directory, `${unique}.gz.tmp`), 'wx'),
      );
    } catch (error) {
      await plain.close();
      throw error;
    }
  }

  private constructor(directory: string, name: string, plain: FileHandle, compressed: FileHandle) {
    this.#directory = directory;
    this.#name = name;
    this.#plain = plain;
    this.#compressed = compressed;
    // Rendering runs ahead of zlib by a few chunks, so that neither waits for the other.
    const ahead = { writableHighWaterMark: 1_048_576 };
    this.#gzip = createGzip({ level: gzipLevel, chunkSize: 65_536, ...ahead });
    this.#gzipDone = pipeline(this.#gzip, async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) {
        this.#gzipLength += chunk.length;
        this.#gzipHash.update(chunk);
        await writeAll(compressed, chunk);
      }
    });
    // It is awaited later; until then a failure is not unhandled.
    this.#gzipDone.catch(() => undefined);
  }

  get length(): number {
    return this.#length;
  }

  /** The bytes belong to this file from now on. Resolves when there is room for more. */
  async append(bytes: Buffer): Promise<void> {
    this.#length += bytes.length;
    this.#plainHash.update(bytes);
    await this.#writing;
    this.#writing = writeAll(this.#plain, bytes);
    this.#writing.catch(() => undefined);
    if (!this.#gzip.write(bytes)) await Promise.race([once(this.#gzip, 'drain'), this.#gzipDone]);
  }

  async finish(): Promise<{ readonly plain: WrittenFile; readonly gzip: WrittenFile }> {
    try {
      this.#gzip.end();
      await Promise.all([this.#writing, this.#gzipDone]);
      await Promise.all([this.#plain.sync(), this.#compressed.sync()]);
    } catch (error) {
      await this.discard();
      throw error;
    }
    await this.#close();
    const names = [this.#name, `${this.#name}.gz`] as const;
    for (const name of names) await rename(join(this.#directory, `${name}.tmp`), join(this.#directory, name));
    return {
      plain: { file: names[0], length: this.#length, digest: this.#plainHash.digest('base64url') },
      gzip: { file: names[1], length: this.#gzipLength, digest: this.#gzipHash.digest('base64url') },
    };
  }

  async discard(): Promise<void> {
    this.#gzip.destroy();
    await Promise.allSettled([this.#writing, this.#gzipDone]);
    await this.#close();
    for (const suffix of ['.tmp', '.gz.tmp']) {
      await rm(join(this.#directory, `${this.#name}${suffix}`), { force: true });
    }
  }

  async #close(): Promise<void> {
    await Promise.allSettled([this.#plain.close(), this.#compressed.close()]);
  }
}

export async function writeAll(handle: FileHandle, bytes: Uint8Array, position?: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const at = position === undefined ? null : position + done;
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, at);
    done += bytesWritten;
  }
}

/** A small piece of a document as a gzip member of its own: members one after another are one gzip file. */
export function gzipMember(bytes: Uint8Array): Buffer {
  return gzipSync(bytes, { level: 9 });
}
