import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { crc32, createDeflateRaw, type DeflateRaw } from 'node:zlib';
import { deflatedAtOnce, deflatePiece, pieceOptions } from './gzip-pieces.ts';
import { wholeChunks } from './text-chunks.ts';

/** Level 1 takes a third of the time of level 6 and leaves lists a few per cent larger. */
export const deflateLevel = 1;

export interface WrittenFile {
  readonly file: string;
  readonly length: number;
  /** Another one for other bytes. */
  readonly digest: string;
}

/** The same content twice. */
export interface WrittenTwins {
  readonly plain: WrittenFile;
  /** As a piece of a gzip member; see `gzip-pieces.ts`. */
  readonly deflated: WrittenFile;
  /** CRC-32 of the plain bytes. */
  readonly crc: number;
}

/**
 * One document, or one piece of it, written plain and deflated side by side: to temporary names,
 * synced, renamed. Of what is long, zlib works in the thread pool while the next chunk is rendered.
 */
export class DocumentFile {
  readonly #directory: string;
  readonly #name: string;
  readonly #plain: FileHandle;
  readonly #compressed: FileHandle;
  /** What is short, so far. */
  #held: Buffer[] = [];
  #long: { readonly deflate: DeflateRaw; readonly done: Promise<void> } | undefined;
  /** Tells plain bytes apart as well: what deflates to the same is the same, and is a tenth of the octets to hash. */
  readonly #deflatedHash = createHash('sha256');
  #length = 0;
  #crc = 0;
  #deflatedLength = 0;
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
        await open(join(directory, `${unique}.deflate.tmp`), 'wx'),
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
  }

  get length(): number {
    return this.#length;
  }

  /** The bytes belong to this file from now on. Resolves when there is room for more. */
  async append(bytes: Buffer): Promise<void> {
    this.#length += bytes.length;
    this.#crc = crc32(bytes, this.#crc);
    await this.#writing;
    this.#writing = writeAll(this.#plain, bytes);
    this.#writing.catch(() => undefined);
    if (!this.#long && this.#length <= deflatedAtOnce) {
      this.#held.push(bytes);
      return;
    }
    const { deflate, done } = this.#begin();
    let hasRoom = true;
    const deflated = new Promise<void>((resolve, reject) => {
      hasRoom = deflate.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
    Promise.all([this.#writing, deflated]).then(
      () => wholeChunks.giveBack(bytes),
      () => undefined,
    );
    if (!hasRoom) await Promise.race([once(deflate, 'drain'), done]);
  }

  async finish(): Promise<WrittenTwins> {
    try {
      await Promise.all([this.#writing, this.#finishDeflated()]);
      await Promise.all([this.#plain.sync(), this.#compressed.sync()]);
    } catch (error) {
      await this.discard();
      throw error;
    }
    await this.#close();
    const names = [this.#name, `${this.#name}.deflate`] as const;
    for (const name of names) await rename(join(this.#directory, `${name}.tmp`), join(this.#directory, name));
    const [plain, deflated] = names;
    const digest = this.#deflatedHash.digest('base64url');
    return {
      plain: { file: plain, length: this.#length, digest },
      deflated: { file: deflated, length: this.#deflatedLength, digest },
      crc: this.#crc,
    };
  }

  async discard(): Promise<void> {
    this.#long?.deflate.destroy();
    await Promise.allSettled([this.#writing, this.#long?.done]);
    await this.#close();
    for (const suffix of ['.tmp', '.deflate.tmp']) {
      await rm(join(this.#directory, `${this.#name}${suffix}`), { force: true });
    }
  }

  /** It is long. */
  #begin(): { readonly deflate: DeflateRaw; readonly done: Promise<void> } {
    if (this.#long) return this.#long;
    // Rendering runs ahead of zlib by a few chunks, so that neither waits for the other.
    const ahead = { writableHighWaterMark: 1_048_576 };
    const deflate = createDeflateRaw({ level: deflateLevel, chunkSize: 65_536, ...pieceOptions, ...ahead });
    const done = pipeline(deflate, async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) await this.#addDeflated(chunk);
    });
    // It is awaited later; until then a failure is not unhandled.
    done.catch(() => undefined);
    for (const bytes of this.#held) deflate.write(bytes);
    this.#held = [];
    this.#long = { deflate, done };
    return this.#long;
  }

  async #finishDeflated(): Promise<void> {
    if (!this.#long) return this.#addDeflated(deflatePiece(Buffer.concat(this.#held), deflateLevel));
    this.#long.deflate.end();
    return this.#long.done;
  }

  async #addDeflated(bytes: Buffer): Promise<void> {
    this.#deflatedLength += bytes.length;
    this.#deflatedHash.update(bytes);
    await writeAll(this.#compressed, bytes);
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
