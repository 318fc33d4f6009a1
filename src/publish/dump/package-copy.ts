import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { toUri } from '../../core/uris.ts';
import { lendPublishedFile } from '../bucket/published-files.ts';
import type { StoredDocument } from '../disk/pointer.ts';
import { slicePieces } from '../disk/slices.ts';
import { listTail } from '../documents/entry-writer.ts';
import { escapeUri } from '../documents/xml-text.ts';
import { memberName } from './dump-paths.ts';
import { manifestName, PackageWriter, type WrittenDumpPackage } from './package-writer.ts';
import { deflatedMethod } from './zip-format.ts';

export interface CopySettings {
  /** Of the set: where its documents are. */
  readonly directory: string;
  readonly baseUrl: string;
  /** Of the new files, for people. */
  readonly name: string;
  /** Those of these paths of resources whose bytes are not to be in the copy. */
  readonly without: (paths: readonly string[]) => Promise<ReadonlySet<string>>;
  /** The same of some of what they were: by their hashes. */
  readonly withoutFormer: (paths: readonly string[]) => Promise<ReadonlyMap<string, ReadonlySet<string>>>;
  readonly meanwhile: () => Promise<void>;
  readonly signal?: AbortSignal | undefined;
}

/** What is left of a package. */
export interface PackageCopy {
  /** Undefined: nothing had to go, and the package stays as it is. */
  readonly written?: WrittenDumpPackage;
  readonly dropped: number;
  readonly left: number;
}

const linesAtATime = 500;
const yieldBytes = 33_554_432;

/**
 * Copies a package of ours without what may not be handed out any more. Members are copied as they lie in the old one:
 * what they were once may have been given up by the store since. A deletion has no bytes, and stays (RS-CDM-09).
 */
export async function copyPackage(
  zip: StoredDocument,
  manifest: StoredDocument,
  settings: CopySettings,
): Promise<PackageCopy> {
  const { dropped } = await selectEntries(manifest, settings);
  if (dropped.entries === 0) return { dropped: 0, left: zip.entries };
  const { directory, name } = settings;
  const { head } = dropped;
  const writer = await PackageWriter.create(directory, name, head);
  try {
    const { members } = (await selectEntries(manifest, settings, writer)).dropped;
    await copyMembers(zip, members, settings, writer);
    settings.signal?.throwIfAborted();
    const written = await writer.finish();
    return { written, dropped: zip.entries - written.entries, left: written.entries };
  } catch (error) {
    await writer.discard();
    throw error;
  }
}

interface Selection {
  readonly dropped: { head: string; entries: number; readonly members: Set<string> };
}

/** Reads a manifest, whose entries are a line each, and writes those that stay. */
async function selectEntries(
  manifest: StoredDocument,
  settings: CopySettings,
  writer?: PackageWriter,
): Promise<Selection> {
  const { directory, baseUrl, without, withoutFormer, meanwhile, signal } = settings;
  const base = escapeUri(toUri(baseUrl, '-')).slice(0, -1);
  const dropped = { head: '', entries: 0, members: new Set<string>() };
  let lines: string[] = [];
  const decide = async () => {
    const paths = lines.map((line) => pathOf(line, base));
    const named = [...new Set(paths.filter((path) => path !== undefined))];
    const gone = await without(named);
    const former = await withoutFormer(named);
    const isGone = (path: string, line: string) =>
      gone.has(path) || hashesIn(line).some((hash) => former.get(path)?.has(hash));
    for (const [index, line] of lines.entries()) {
      const path = paths[index];
      if (path !== undefined && isGone(path, line)) {
        dropped.entries += 1;
        for (const [, member = ''] of line.matchAll(/ path="([^"]*)"/g))
          dropped.members.add(memberName(member));
      } else await writer?.addEntry(line);
    }
    lines = [];
    signal?.throwIfAborted();
    await meanwhile();
  };
  for await (const line of linesOf(directory, manifest)) {
    if (line.startsWith('<url>')) lines.push(line);
    else if (line !== listTail) dropped.head += line;
    if (lines.length >= linesAtATime) await decide();
  }
  await decide();
  return { dropped };
}

/** Of the resource of an entry; undefined for a deletion. */
function pathOf(line: string, base: string): string | undefined {
  const loc = /^<url><loc>([^<]*)<\/loc>/.exec(line)?.[1];
  if (loc === undefined || / change="deleted"/.test(line)) return undefined;
  const plain = loc.startsWith(base) ? loc.slice(base.length) : loc;
  return plain.replaceAll('&amp;', '&');
}

/** Of the resource of an entry, as the database has it. */
function hashesIn(line: string): readonly string[] {
  const stated = /<rs:md [^>]*\bhash="([^"]*)"/.exec(line)?.[1] ?? '';
  return stated.split(' ');
}

async function* linesOf(directory: string, { plain: { slices } }: StoredDocument): AsyncGenerator<string> {
  let rest = '';
  // All of it is ASCII but names, and a line feed is no part of another character.
  for await (const piece of slicePieces(directory, slices)) {
    rest += piece.toString('latin1');
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield Buffer.from(`${line}\n`, 'latin1').toString('utf8');
  }
  if (rest !== '') yield Buffer.from(rest, 'latin1').toString('utf8');
}

async function copyMembers(
  { plain: { slices } }: StoredDocument,
  dropped: ReadonlySet<string>,
  { directory, meanwhile, signal }: CopySettings,
  writer: PackageWriter,
): Promise<void> {
  const [slice] = slices;
  if (!slice || !('file' in slice)) throw new Error('a package is not one file');
  const lent = await lendPublishedFile(directory, slice.file);
  try {
    await copyFrom(lent.path, dropped, { meanwhile, signal }, writer);
  } finally {
    await lent.giveBack();
  }
}

async function copyFrom(
  path: string,
  dropped: ReadonlySet<string>,
  { meanwhile, signal }: Pick<CopySettings, 'meanwhile' | 'signal'>,
  writer: PackageWriter,
): Promise<void> {
  const zip = await openPromise(path, { autoClose: false });
  try {
    let copied = 0;
    for await (const entry of zip.eachEntry()) {
      const { fileName, compressedSize } = entry;
      if (fileName === manifestName || dropped.has(fileName)) continue;
      await writer.copy(fileName, factsOf(entry), await openRaw(zip, entry));
      copied += compressedSize;
      if (copied < yieldBytes) continue;
      copied = 0;
      signal?.throwIfAborted();
      await meanwhile();
    }
  } finally {
    zip.close();
  }
}

function factsOf({ compressionMethod, crc32, uncompressedSize, compressedSize }: Entry) {
  const coding = compressionMethod === deflatedMethod ? 'deflated' : 'stored';
  return { coding, crc: crc32, length: uncompressedSize, size: compressedSize } as const;
}

async function openRaw(zip: ZipFile, entry: Entry): Promise<AsyncIterable<Uint8Array>> {
  return zip.openReadStreamPromise(entry, { decodeFileData: false });
}
