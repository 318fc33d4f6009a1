import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { crc32, createDeflateRaw } from 'node:zlib';
import { filePieces } from '../../store/objects/file-pieces.ts';
import type { OpenFile } from '../disk/change-state.ts';
import { deflateLevel, writeAll } from '../disk/document-file.ts';
import { deflatedAtOnce, deflatePiece, pieceOptions } from '../disk/gzip-pieces.ts';
import { TextChunks } from '../disk/text-chunks.ts';

const readBytes = 262_144;

/**
 * The file of an open Change List: head and entries without the closing tag. It only grows, and what lies
 * beyond the published length is nobody's: after a crash it is cut off.
 */
export class OpenListFile {
  readonly #directory: string;
  readonly #published: OpenFile;
  readonly #handle: FileHandle;
  readonly #chunks = new TextChunks();
  #length: number;

  static async create(directory: string, name: string, head: string): Promise<OpenListFile> {
    const plain = `${name}.${randomUUID().slice(0, 8)}.open.xml`;
    const handle = await open(join(directory, plain), 'wx+');
    const headLength = Buffer.byteLength(head);
    const twin = { deflated: `${plain}.deflate`, deflatedLength: 0, crc: 0 };
    const none = { plain, length: 0, headLength, ...twin, digest: '' };
    const file = new OpenListFile(directory, none, handle, 0);
    await file.append(head);
    return file;
  }

  static async resume(directory: string, published: OpenFile): Promise<OpenListFile> {
    const handle = await open(join(directory, published.plain), 'r+');
    await handle.truncate(published.length);
    return new OpenListFile(directory, published, handle, published.length);
  }

  private constructor(directory: string, published: OpenFile, handle: FileHandle, length: number) {
    this.#directory = directory;
    this.#published = published;
    this.#handle = handle;
    this.#length = length;
  }

  async append(text: string): Promise<void> {
    const chunk = this.#chunks.add(text);
    if (chunk) await this.#write(chunk);
  }

  async appendBytes(bytes: Buffer): Promise<void> {
    await this.#flush();
    await this.#write(bytes);
  }

  /** Entries from byte `start` to `end`, counted behind the head. */
  async *entries(start: number, end = Number.POSITIVE_INFINITY): AsyncGenerator<Buffer> {
    await this.#flush();
    const { headLength } = this.#published;
    yield* this.#bytes(headLength + start, Math.min(headLength + end, this.#length));
  }

  /** Makes what was appended durable, and adds it to the compressed twin as a piece of its own. */
  async seal(): Promise<OpenFile> {
    await this.#flush();
    const { length, deflated, deflatedLength } = this.#published;
    if (this.#length === length) return this.#published;
    await this.#handle.sync();
    const digest = createHash('sha256').update(this.#published.digest);
    let { crc } = this.#published;
    const bytes = observed(this.#bytes(length, this.#length), (chunk) => {
      crc = crc32(chunk, crc);
    });
    const twin = await open(join(this.#directory, deflated), deflatedLength === 0 ? 'wx' : 'r+');
    try {
      await twin.truncate(deflatedLength);
      let size = deflatedLength;
      const write = async (pieces: AsyncIterable<Buffer> | readonly Buffer[]) => {
        for await (const piece of pieces) {
          // As of a whole document: what deflates to the same is the same.
          digest.update(piece);
          await writeAll(twin, piece, size);
          size += piece.length;
        }
      };
      if (this.#length - length <= deflatedAtOnce)
        await write([deflatePiece(await buffer(bytes), deflateLevel)]);
      else await pipeline(bytes, createDeflateRaw({ level: deflateLevel, ...pieceOptions }), write);
      await twin.sync();
      return {
        ...this.#published,
        length: this.#length,
        deflatedLength: size,
        crc,
        digest: digest.digest('base64url'),
      };
    } finally {
      await twin.close();
    }
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  /** Removes it, unless it has been published: then it stays for its readers. */
  async drop(): Promise<void> {
    await this.close();
    if (this.#published.length === 0) await rm(join(this.#directory, this.#published.plain), { force: true });
  }

  #bytes(start: number, end: number): AsyncGenerator<Buffer> {
    const tooShort = `${this.#published.plain} is shorter than what was written to it`;
    return filePieces(this.#handle, { start, end, pieceBytes: readBytes, tooShort });
  }

  async #flush(): Promise<void> {
    await this.#write(this.#chunks.take());
  }

  async #write(bytes: Buffer): Promise<void> {
    await writeAll(this.#handle, bytes, this.#length);
    this.#length += bytes.length;
  }
}

async function* observed(
  chunks: AsyncIterable<Buffer>,
  observe: (chunk: Buffer) => void,
): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    observe(chunk);
    yield chunk;
  }
}
