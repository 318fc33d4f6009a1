import {
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { createGunzip, createGzip, gzipSync } from 'node:zlib';
import type { ReceivedContent } from '../sinks/received-content.ts';
import { type CdxjEntry, cdxjLine } from './cdxj.ts';

/** How far the file that is written to has come: what lies behind that was never told to anybody. */
export interface WarcState {
  /** Its name when it is done. */
  readonly name: string;
  readonly octets: number;
  readonly indexOctets: number;
  readonly records: number;
}

/** Of the name of a file that is still written to. */
const open = '.open';

/**
 * A file of records, each a member of gzip of its own, and its index beside. It has another name until it is done, and
 * then the index is sorted.
 */
export class WarcFile {
  readonly name: string;
  octets: number;
  records: number;
  #indexOctets: number;
  readonly #archive: string;
  readonly #indexes: string;
  readonly #file: number;
  readonly #index: number;

  /** @param before of a run that was killed: what came after it is cut off */
  constructor(directory: string, name: string, before?: WarcState) {
    this.name = name;
    this.#archive = join(directory, 'archive');
    this.#indexes = join(directory, 'indexes');
    for (const folder of [this.#archive, this.#indexes]) mkdirSync(folder, { recursive: true });
    this.octets = before?.octets ?? 0;
    this.records = before?.records ?? 0;
    this.#indexOctets = before?.indexOctets ?? 0;
    this.#file = openSync(this.#openPath, 'a');
    this.#index = openSync(this.#openIndex, 'a');
    truncateSync(this.#openPath, this.octets);
    truncateSync(this.#openIndex, this.#indexOctets);
  }

  get state(): WarcState {
    const { name, octets, records } = this;
    return { name, octets, records, indexOctets: this.#indexOctets };
  }

  /** @returns where the record lies */
  async append(
    head: Buffer,
    { bytes, file }: Pick<ReceivedContent, 'bytes' | 'file'>,
    end: Buffer,
  ): Promise<{ readonly offset: number; readonly length: number }> {
    const offset = this.octets;
    if (file === undefined) this.#write(gzipSync(Buffer.concat([head, bytes ?? Buffer.alloc(0), end])));
    else await this.#writeLarge(head, file, end);
    this.records += 1;
    return { offset, length: this.octets - offset };
  }

  index(entry: Omit<CdxjEntry, 'fileName'>): void {
    const line = Buffer.from(cdxjLine({ ...entry, fileName: this.name }));
    writeSync(this.#index, line);
    this.#indexOctets += line.length;
  }

  /** It gets its name. */
  finish(): void {
    for (const descriptor of [this.#file, this.#index]) {
      fsyncSync(descriptor);
      closeSync(descriptor);
    }
    const lines = readFileSync(this.#openIndex, 'utf8').split('\n').filter(Boolean);
    const sorted = lines.map((line) => `${line}\n`).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
    writeFileSync(join(this.#indexes, `${this.name.replace(/\.warc\.gz$/, '')}.cdxj`), sorted.join(''));
    renameSync(this.#openPath, join(this.#archive, this.name));
    rmSync(this.#openIndex);
  }

  /** Without being done. */
  close(): void {
    closeSync(this.#file);
    closeSync(this.#index);
  }

  get #openPath(): string {
    return join(this.#archive, this.name + open);
  }

  get #openIndex(): string {
    return join(this.#indexes, `${this.name}.cdxj${open}`);
  }

  async #writeLarge(head: Buffer, file: string, end: Buffer): Promise<void> {
    const gzip = createGzip();
    const feed = async () => {
      const give = async (chunk: Uint8Array) => {
        if (!gzip.write(chunk)) await new Promise((resolve) => gzip.once('drain', resolve));
      };
      await give(head);
      for await (const chunk of createReadStream(file) as AsyncIterable<Uint8Array>) await give(chunk);
      await give(end);
      gzip.end();
    };
    const feeding = feed().catch((error: unknown) => gzip.destroy(error as Error));
    for await (const chunk of gzip as AsyncIterable<Uint8Array>) this.#write(chunk);
    await feeding;
  }

  #write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
    this.octets += bytes.length;
  }
}

/** A record as it was written, uncompressed; undefined where it is not there, or has more than so many octets. */
export async function readRecord(
  directory: string,
  name: string,
  { offset, length }: { readonly offset: number; readonly length: number },
  maximumOctets: number,
): Promise<Buffer | undefined> {
  const done = join(directory, 'archive', name);
  const path = existsSync(done) ? done : done + open;
  if (length > maximumOctets || !existsSync(path)) return undefined;
  const compressed = Buffer.alloc(length);
  const descriptor = openSync(path, 'r');
  try {
    if (readSync(descriptor, compressed, 0, length, offset) !== length) return undefined;
  } finally {
    closeSync(descriptor);
  }
  const chunks: Uint8Array[] = [];
  let octets = 0;
  const gunzip = createGunzip();
  gunzip.end(compressed);
  for await (const chunk of gunzip as AsyncIterable<Uint8Array>) {
    octets += chunk.length;
    if (octets > maximumOctets) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Whether it is still written to. */
export function isOpen(directory: string, name: string): boolean {
  return existsSync(join(directory, 'archive', name + open));
}

/** Whether the file of a record is there, done or not. */
export function hasFile(directory: string, name: string): boolean {
  const done = join(directory, 'archive', name);
  return existsSync(done) || existsSync(done + open);
}
