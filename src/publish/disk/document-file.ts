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
  /** Where it begins there. */
  readonly start: number;
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
 * One document, or one piece of it, plain and deflated: written to temporary names, synced, renamed. What is short is one
 * file in the end, its twin behind it: most documents of a small set are, and what they cost is files. What is long is two, side by
 * side, and zlib works in the thread pool while the next chunk is rendered.
 */
export class DocumentFile {
  readonly #directory: string;
  readonly #name: string;
  /** All of what is short, so far. */
  #held: Buffer[] = [];
  #long: LongDocument | undefined;
  readonly #handles: FileHandle[] = [];
  /** Tells plain bytes apart as well: what deflates to the same is the same, and is a tenth of the octets to hash. */
  readonly #deflatedHash = createHash('sha256');
  #length = 0;
  #crc = 0;
  #deflatedLength = 0;
  #writing: Promise<unknown> = Promise.resolve();

  /** @param name to be recognised by people; the rest makes it unique */
  constructor(directory: string, name: string) {
    this.#directory = directory;
    this.#name = `${name}.${randomUUID().slice(0, 8)}.xml`;
  }

  get length(): number {
    return this.#length;
  }

  /** The bytes belong to this file from now on. Resolves when there is room for more. */
  async append(bytes: Buffer): Promise<void> {
    this.#length += bytes.length;
    this.#crc = crc32(bytes, this.#crc);
    if (!this.#long && this.#length <= deflatedAtOnce) {
      this.#held.push(bytes);
      return;
    }
    const { plain, deflate, done } = await this.#begin();
    await this.#writing;
    this.#writing = writeAll(plain, bytes);
    this.#writing.catch(() => undefined);
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
      const [plain, deflated] = this.#long ? await this.#finishLong(this.#long) : await this.#finishShort();
      await Promise.all(this.#handles.map((handle) => handle.sync()));
      await this.#close();
      for (const name of new Set([plain.file, deflated.file]))
        await rename(join(this.#directory, `${name}.tmp`), join(this.#directory, name));
      const digest = this.#deflatedHash.digest('base64url');
      return { plain: { ...plain, digest }, deflated: { ...deflated, digest }, crc: this.#crc };
    } catch (error) {
      await this.discard();
      throw error;
    }
  }

  async discard(): Promise<void> {
    this.#long?.deflate.destroy();
    await Promise.allSettled([this.#writing, this.#long?.done]);
    await this.#close();
    for (const name of [this.#name, this.#deflatedName]) {
      await rm(join(this.#directory, `${name}.tmp`), { force: true });
    }
  }

  get #deflatedName(): string {
    return `${this.#name}.deflate`;
  }

  async #create(name: string): Promise<FileHandle> {
    const handle = await open(join(this.#directory, `${name}.tmp`), 'wx');
    this.#handles.push(handle);
    return handle;
  }

  /** It is long. */
  async #begin(): Promise<LongDocument> {
    if (this.#long) return this.#long;
    const plain = await this.#create(this.#name);
    const compressed = await this.#create(this.#deflatedName);
    // Rendering runs ahead of zlib by a few chunks, so that neither waits for the other.
    const ahead = { writableHighWaterMark: 1_048_576 };
    const deflate = createDeflateRaw({ level: deflateLevel, chunkSize: 65_536, ...pieceOptions, ...ahead });
    const done = pipeline(deflate, async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) {
        this.#addDeflated(chunk);
        await writeAll(compressed, chunk);
      }
    });
    // It is awaited later; until then a failure is not unhandled.
    done.catch(() => undefined);
    this.#long = { plain, deflate, done };
    for (const bytes of this.#held) deflate.write(bytes);
    await writeAll(plain, Buffer.concat(this.#held));
    this.#held = [];
    return this.#long;
  }

  async #finishLong({ deflate, done }: LongDocument): Promise<readonly [Written, Written]> {
    deflate.end();
    await Promise.all([this.#writing, done]);
    return [
      { file: this.#name, start: 0, length: this.#length },
      { file: this.#deflatedName, start: 0, length: this.#deflatedLength },
    ];
  }

  async #finishShort(): Promise<readonly [Written, Written]> {
    const plain = Buffer.concat(this.#held);
    const deflated = deflatePiece(plain, deflateLevel);
    this.#addDeflated(deflated);
    await writeAll(await this.#create(this.#name), Buffer.concat([plain, deflated]));
    return [
      { file: this.#name, start: 0, length: this.#length },
      { file: this.#name, start: this.#length, length: this.#deflatedLength },
    ];
  }

  #addDeflated(bytes: Buffer): void {
    this.#deflatedLength += bytes.length;
    this.#deflatedHash.update(bytes);
  }

  async #close(): Promise<void> {
    await Promise.allSettled(this.#handles.splice(0).map((handle) => handle.close()));
  }
}

interface LongDocument {
  readonly plain: FileHandle;
  readonly deflate: DeflateRaw;
  readonly done: Promise<void>;
}

type Written = Omit<WrittenFile, 'digest'>;

export async function writeAll(handle: FileHandle, bytes: Uint8Array, position?: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const at = position === undefined ? null : position + done;
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, at);
    done += bytesWritten;
  }
}
