import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Content } from '../../store/payloads/contents.ts';
import { shipPackage } from '../bucket/bucket-switch.ts';
import { bucketAt } from '../bucket/published-bucket.ts';
import { DocumentFile, type WrittenFile, type WrittenTwins } from '../disk/document-file.ts';
import { lastBlock } from '../disk/gzip-pieces.ts';
import type { StoredDocument } from '../disk/pointer.ts';
import { type DocumentFacts, storeDocument } from '../disk/stored-document.ts';
import { TextChunks } from '../disk/text-chunks.ts';
import { listTail } from '../documents/entry-writer.ts';
import { isCompressible } from './media-compression.ts';
import { PackageFile, type WrittenPackage } from './package-file.ts';
import { type KnownMember, ZipFile } from './zip-file.ts';

/** RS-RDM-02, RS-CDM-01 */
export const manifestName = 'manifest.xml';

/** RS-RD-13, RS-CD-10 */
export const packageMediaType = 'application/zip';

export interface WrittenDumpPackage {
  readonly entries: number;
  readonly zip: WrittenPackage;
  readonly manifest: WrittenTwins;
}

/** How full a package is. */
export interface PackageFill {
  readonly entries: number;
  /** Of the manifest, uncompressed. */
  readonly manifestBytes: number;
  /** Of the whole package, with an estimate of its manifest. */
  readonly bytes: number;
}

/**
 * One package: members, and the manifest, which is written beside the ZIP as its published copy and becomes
 * the last member in the end. It lies there as it was deflated for the copy's gzip variant.
 */
export class PackageWriter {
  readonly #directory: string;
  readonly #file: PackageFile;
  readonly #zip: ZipFile;
  readonly #manifest: DocumentFile;
  readonly #chunks = new TextChunks();
  #entries = 0;
  #manifestBytes = 0;

  /**
   * @param name of both files, for people
   * @param head of the manifest
   */
  static async create(directory: string, name: string, head: string): Promise<PackageWriter> {
    const manifest = new DocumentFile(directory, `${name}-manifest`);
    return new PackageWriter(directory, await PackageFile.create(directory, name), manifest, head);
  }

  private constructor(directory: string, file: PackageFile, manifest: DocumentFile, head: string) {
    this.#directory = directory;
    this.#file = file;
    this.#zip = new ZipFile(file);
    this.#manifest = manifest;
    this.#manifestBytes = Buffer.byteLength(head + listTail);
    this.#chunks.add(head);
  }

  get fill(): PackageFill {
    // Half: what is left of such XML is mostly the hexadecimal digits in it.
    const bytes = this.#zip.length + ZipFile.overhead(manifestName) + Math.ceil(this.#manifestBytes / 2);
    return { entries: this.#entries, manifestBytes: this.#manifestBytes, bytes };
  }

  /**
   * A member; its entry is added apart.
   * @param name in the ZIP, without a slash at the beginning
   * @returns a promise only when there is something to wait for
   */
  add(name: string, content: Content, mediaType: string | undefined): Promise<void> | undefined {
    const { crc, length } = content;
    if (content.coding === 'file') {
      return isCompressible(mediaType)
        ? this.#zip.addDeflating(name, { crc, length }, content.chunks)
        : this.#zip.addChunks(name, { coding: 'stored', crc, length, size: length }, content.chunks);
    }
    const coding = content.coding === 'identity' ? 'stored' : 'deflated';
    return this.#zip.add(name, { coding, crc, length }, content.packed);
  }

  /** A member as it lies in another package. */
  async copy(name: string, facts: KnownMember, chunks: AsyncIterable<Uint8Array>): Promise<void> {
    await this.#zip.addChunks(name, facts, chunks);
  }

  /** @param text a manifest's `<url>` */
  addEntry(text: string): Promise<void> | undefined {
    this.#entries += 1;
    this.#manifestBytes += Buffer.byteLength(text);
    const chunk = this.#chunks.add(text);
    return chunk && this.#manifest.append(chunk);
  }

  async finish(): Promise<WrittenDumpPackage> {
    let manifest: WrittenTwins | undefined;
    try {
      this.#chunks.add(listTail);
      await this.#manifest.append(this.#chunks.take());
      manifest = await this.#manifest.finish();
      await this.#addManifest(manifest);
      await this.#zip.finish();
      const zip = await this.#file.finish();
      await shipPackage(bucketAt(this.#directory), zip.file, zip.digest);
      return { entries: this.#entries, zip, manifest };
    } catch (error) {
      if (manifest) await removeFiles(this.#directory, [manifest.plain.file, manifest.deflated.file]);
      await this.discard();
      throw error;
    }
  }

  async discard(): Promise<void> {
    await Promise.all([this.#file.discard(), this.#manifest.discard()]);
  }

  async #addManifest({ plain, deflated, crc }: WrittenTwins): Promise<void> {
    const handle = await open(join(this.#directory, deflated.file), 'r');
    try {
      const size = deflated.length + lastBlock.length;
      const facts = { coding: 'deflated', crc, length: plain.length, size } as const;
      await this.#zip.addChunks(manifestName, facts, followed(handle, deflated));
    } finally {
      await handle.close();
    }
  }
}

/** Octets that a member may add to its package. */
export function memberCost(name: string, content: Content): number {
  const data = content.coding === 'file' ? deflateBound(content.length) : content.packed.byteLength;
  return ZipFile.overhead(name) + data;
}

/** What cannot be compressed grows by five octets for every block. */
function deflateBound(length: number): number {
  return length + Math.ceil(length / 2048) + 64;
}

/** The ZIP's validator is its SHA-256, so that `packageHash` finds it again. */
export function storePackage(facts: DocumentFacts, { zip }: WrittenDumpPackage): StoredDocument {
  const slices = [{ file: zip.file, start: 0, end: zip.length }];
  return { ...facts, mediaType: packageMediaType, plain: { etag: `"${zip.digest}"`, slices } };
}

export function storeManifest(facts: DocumentFacts, { manifest }: WrittenDumpPackage): StoredDocument {
  return storeDocument({ ...facts, capability: `${facts.capability}-manifest` }, manifest);
}

/** `sha-256:…` of a package that `storePackage` made. */
export function packageHash({ plain }: StoredDocument): string {
  return `sha-256:${plain.etag.slice(1, -1)}`;
}

export function filesOfDocument({ plain, gzip }: StoredDocument): readonly string[] {
  const slices = [...plain.slices, ...(gzip?.slices ?? [])];
  return slices.flatMap((slice) => ('file' in slice ? [slice.file] : []));
}

export async function removeFiles(directory: string, files: readonly string[]): Promise<void> {
  for (const file of files) await rm(join(directory, file), { force: true });
}

const chunkBytes = 262_144;

/** A piece, and the block that makes it a whole. */
async function* followed(handle: FileHandle, { start, length }: WrittenFile): AsyncGenerator<Uint8Array> {
  for (let position = 0; position < length; position += chunkBytes) {
    yield await readAt(handle, start + position, Math.min(chunkBytes, length - position));
  }
  yield lastBlock;
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  for (let done = 0; done < length; ) {
    const { bytesRead } = await handle.read(bytes, done, length - done, position + done);
    if (bytesRead === 0) throw new RangeError('a manifest is shorter than it was when it was written');
    done += bytesRead;
  }
  return bytes;
}
