import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { createInflateRaw } from 'node:zlib';
import { Entry, fromRandomAccessReaderPromise, type ZipFile } from 'yauzl';
import type { Attributes, DocumentEntry, DocumentHead } from '../documents/document-model.ts';
import { readDocument } from '../documents/document-reader.ts';
import { FileWindow, WindowReader } from './file-window.ts';
import { readPlainEntries } from './plain-directory.ts';
import { isSmallMember, type MemberPlace, placeOf, SmallMembers } from './small-member.ts';

/** A package on disk: a ZIP as it comes from elsewhere, so nothing of it is believed. */
export interface PackageFile {
  /** By name, exactly as it is written. */
  readonly members: ReadonlyMap<string, MemberPlace>;
  /** Names that occur more than once. */
  readonly repeated: readonly string[];
  /** The bytes of a member, uncompressed; never more than its directory entry says. */
  read(member: MemberPlace): AsyncIterable<Uint8Array>;
  /**
   * The same of a small one at once (`SmallMembers`).
   * @returns undefined where it has to be read as a stream
   * @throws Error where it is not what its directory entry says
   */
  readWhole(member: MemberPlace): Uint8Array | undefined;
  close(): void;
}

const maximumMembers = 200_000;
/** Then others may do something. */
const entriesAtOnce = 500;
const plainEntriesAtOnce = 10_000;
/** What is decompressed comes in such pieces: the usual 16 kB cost more than what is in them, and texts of 128 kB do not die young. */
const pieceOctets = 65_536;

/** @throws Error where it is no ZIP that can be read */
export async function openPackage(path: string): Promise<PackageFile> {
  const descriptor = openSync(path, 'r');
  let zip: ZipFile | undefined;
  const close = () => {
    zip?.close();
    closeSync(descriptor);
  };
  try {
    const window = new FileWindow(descriptor);
    const reader = new WindowReader(path, window);
    // Names are taken as bytes: a wrong one is to be reported, not to end the reading.
    const options = { decodeStrings: false, autoClose: false };
    const opened = await fromRandomAccessReaderPromise(reader, fstatSync(descriptor).size, options);
    zip = opened;
    const small = new SmallMembers(descriptor);
    return {
      ...(await directoryOf(opened, window)),
      read: (member) => contentOf(opened, member),
      readWhole: (member) => (isSmallMember(member) ? small.read(member) : undefined),
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

async function directoryOf(zip: ZipFile, window: FileWindow) {
  if (zip.entryCount > maximumMembers) throw new Error(`it has ${zip.entryCount} members`);
  const members = new Map<string, MemberPlace>();
  const repeated: string[] = [];
  const take = (name: string, place: MemberPlace) => {
    if (members.has(name)) repeated.push(name);
    if (!name.endsWith('/')) members.set(name, place);
  };
  for (let before = -1; zip.entriesRead > before; await setImmediate()) {
    before = zip.entriesRead;
    readPlainEntries(zip, window, plainEntriesAtOnce, take);
  }
  await readEntries(zip, (entry) => take(entry.fileNameRaw.toString('utf8'), placeOf(entry)));
  return { members, repeated };
}

/** They come at once (`WindowReader`): a promise for each would cost as much again. */
function readEntries(zip: ZipFile, take: (entry: Entry) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let came = 0;
    zip.on('entry', (entry: Entry) => {
      came += 1;
      take(entry);
    });
    zip.once('end', resolve);
    zip.once('error', reject);
    const readSome = () => {
      for (const end = came + entriesAtOnce; came < end; ) {
        const before = came;
        zip.readEntry();
        if (came === before) return;
      }
      void setImmediate().then(readSome);
    };
    readSome();
  });
}

async function* contentOf(zip: ZipFile, member: MemberPlace): AsyncGenerator<Uint8Array> {
  const entry = Object.assign(new Entry(), member);
  if (member.compressionMethod === 8 && !entry.isEncrypted())
    yield* inflated(await zip.openReadStreamPromise(entry, asItIs), member.uncompressedSize);
  else yield* (await zip.openReadStreamPromise(entry)) as AsyncIterable<Uint8Array>;
}

const asItIs = { decodeFileData: false };

async function* inflated(packed: Readable, length: number): AsyncGenerator<Uint8Array> {
  const inflate = createInflateRaw({ chunkSize: pieceOctets });
  packed.on('error', (error) => inflate.destroy(error));
  let rest = length;
  try {
    for await (const piece of packed.pipe(inflate) as AsyncIterable<Uint8Array>) {
      rest -= piece.length;
      if (rest < 0) break;
      yield piece;
    }
    if (rest !== 0) throw new Error('a member has another length than is said');
  } finally {
    packed.destroy();
    inflate.destroy();
  }
}

/** RS-RD-13, RS-CD-10: the first bytes of a ZIP, an empty one included. */
export async function isZip(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return ['504b0304', '504b0506'].includes(buffer.toString('hex'));
  } finally {
    await file.close();
  }
}

/**
 * What a document says, whatever its white space, quotes and prefixes: two with the same digest correspond
 * (RS-RD-12, RS-CD-09).
 */
export async function contentDigest(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const hasher = createHash('sha256');
  const add = (value: unknown) => hasher.update(`${JSON.stringify(value)}\n`);
  await readDocument(
    bytes,
    {
      head: ({ root, md, links }: DocumentHead) => add([root, md.map(sorted), links.map(sorted)]),
      entry: ({ locs, lastmods, changefreqs, md, links }: DocumentEntry) =>
        add([locs, lastmods, changefreqs, md.map(sorted), links.map(sorted)]),
    },
    () => undefined,
  );
  return hasher.digest('hex');
}

function sorted(attributes: Attributes): readonly (readonly [string, string])[] {
  return [...attributes].sort(([a], [b]) => (a < b ? -1 : 1));
}
