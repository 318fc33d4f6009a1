import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  type Entry,
  fromBufferPromise,
  fromRandomAccessReaderPromise,
  RandomAccessReader,
  type ZipFile,
} from 'yauzl';
import type { MemorySink } from './memory-sink.ts';

/** A reader that is not ours. */
export async function readZip(bytes: Buffer): Promise<ReadonlyMap<string, Buffer>> {
  const zip = await fromBufferPromise(bytes, { lazyEntries: true, strictFileNames: true });
  const members = new Map<string, Buffer>();
  for (const entry of await entriesOf(zip)) {
    if (members.has(entry.fileName)) throw new Error(`${entry.fileName} is there twice`);
    members.set(entry.fileName, await contentOf(zip, entry));
  }
  return members;
}

export async function contentOf(zip: ZipFile, entry: Entry): Promise<Buffer> {
  return buffer(await zip.openReadStreamPromise(entry));
}

export function entriesOf(zip: ZipFile): Promise<readonly Entry[]> {
  return new Promise((resolve, reject) => {
    const entries: Entry[] = [];
    zip.on('entry', (entry: Entry) => {
      entries.push(entry);
      zip.readEntry();
    });
    zip.on('end', () => resolve(entries));
    zip.on('error', reject);
    zip.readEntry();
  });
}

class SinkReader extends RandomAccessReader {
  readonly #sink: MemorySink;

  constructor(sink: MemorySink) {
    super();
    this.#sink = sink;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from([this.#sink.read(start, end)]);
  }

  /** Without a stream for each of a hundred thousand reads. */
  override read(
    into: Buffer,
    offset: number,
    length: number,
    position: number,
    done: (error: Error | null) => void,
  ): void {
    this.#sink.read(position, position + length).copy(into, offset);
    process.nextTick(done, null);
  }
}

export function openSink(sink: MemorySink): Promise<ZipFile> {
  return fromRandomAccessReaderPromise(new SinkReader(sink), sink.length, {
    lazyEntries: true,
    autoClose: false,
  });
}
