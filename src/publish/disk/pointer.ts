import { createHash, randomUUID } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { PackedRange } from '../../store/reading/withheld.ts';
import { bucketAt } from '../bucket/published-bucket.ts';
import { readPublishedText } from '../bucket/published-files.ts';
import { noteSwitch } from '../bucket/switches.ts';
import type { ChangesState } from './change-state.ts';
import type { Slice } from './slices.ts';

/** Raised when documents of an earlier release have to be rendered anew. */
export const formatVersion = 2;

export interface StoredVariant {
  readonly etag: string;
  readonly slices: readonly Slice[];
}

export interface StoredDocument {
  readonly capability: string;
  /** Of a Resource List Index: the resources in all its lists. */
  readonly entries: number;
  readonly lastModified: string;
  readonly immutable: boolean;
  /** It changed more than once within the second of `lastModified`, which therefore proves nothing. */
  readonly unsettled?: boolean | undefined;
  readonly at?: string | undefined;
  readonly completed?: string | undefined;
  readonly from?: string | undefined;
  readonly until?: string | undefined;
  /** Default: `application/xml`. */
  readonly mediaType?: string | undefined;
  /** Of a package and of its manifest: what it has the bytes of; undefined in those of earlier releases. */
  readonly holds?: PackedRange | undefined;
  readonly plain: StoredVariant;
  /** Of XML; packages are compressed inside. */
  readonly gzip?: StoredVariant | undefined;
}

/** Documents by path, in the order in which they are shown. */
export type Documents = Readonly<Record<string, StoredDocument>>;

/** What one set publishes now. A switch of this file is the only way in which anything becomes visible. */
export interface Pointer {
  readonly version: number;
  readonly baseUrl: string;
  /** The journal that it was rendered from (`JournalState.id`); of a set's pointer only. */
  readonly journal?: string | undefined;
  readonly documents: Documents;
  /**
   * Immutable files with more documents: those that only grow in number (closed Change Lists, parts of
   * Resource Lists), so that the pointer, which is written with every change, stays small.
   */
  readonly catalogs: readonly string[];
  /** Which resources the set has (`definitionOf`); of a set's pointer only. */
  readonly definition?: string | undefined;
  /** It is one across sources: its path does not begin with the name of a source. */
  readonly isJoint?: boolean | undefined;
  /** Of one across sources, and of the site: those that its documents may name; undefined where an earlier release wrote it. */
  readonly members?: readonly string[] | undefined;
  readonly changes?: ChangesState | undefined;
  /** The sequence of the journal behind which the set, as it is defined, begins; undefined: all of it. */
  readonly beganAfter?: number | undefined;
  /** What kept the dumps from following, the last time that was tried; of a set's pointer only. */
  readonly trouble?: Trouble | undefined;
  /** Resource Lists whose parts are served, newest first. */
  readonly snapshots: readonly Snapshot[];
  /** Resource Dumps whose packages are served, newest first. */
  readonly dumps?: readonly Snapshot[] | undefined;
  readonly changeDump?: ChangeDumpState | undefined;
  /** Up to where no package that is published has what may not be handed out. */
  readonly packageCheck?: PackageCheck | undefined;
  /** Packages that were published and are no more, though others of their kind are: the last making of each. */
  readonly formerPackages?: Readonly<Record<string, number>> | undefined;
  readonly archive?: ArchiveState | undefined;
  /** A catalog of what some documents were before (`documents/former-documents.ts`); of a set's pointer only. */
  readonly former?: string | undefined;
  /** Files no longer published, and since when; a reader may still be about to open them. */
  readonly retired: Readonly<Record<string, string>>;
  /** Of the site's pointer only: the paths of all sets that have been published. */
  readonly sets?: readonly string[] | undefined;
  /** Likewise: those that were published when their source left the configuration. They are served again if the source is removed. */
  readonly left?: readonly string[] | undefined;
}

export interface Snapshot {
  readonly at: string;
  /** The journal's sequence that it shows. */
  readonly seq: number;
  readonly catalog?: string | undefined;
  /** Of a Resource Dump: when it was (RS-TIME-07). */
  readonly completed?: string | undefined;
}

export interface PackageCheck {
  /** Of the journal. */
  readonly seq: number;
  /** By which rule (`mementos.ofDeleted`). */
  readonly ofDeleted: boolean;
  /** Of a set across sources: those of which nothing that was deleted is handed out. */
  readonly strict?: readonly string[] | undefined;
}

export interface Trouble {
  readonly code: string;
  readonly message: string;
  readonly at: string;
}

export interface ChangeDumpState {
  /** Every change of the set up to this sequence of the journal is in a package, or older than the first. */
  readonly seq: number;
  /** The closed Change List that the last package follows. */
  readonly last?: string | undefined;
  /** Packages and manifests. */
  readonly catalog?: string | undefined;
}

/** What the archives have taken in, and up to what. */
export interface ArchiveState {
  /** Everything that is kept for them. */
  readonly catalog?: string | undefined;
  /** `at` of the last Resource List. */
  readonly list?: string | undefined;
  /** Catalogs of the closed Change Lists, and of the packages, as they were. */
  readonly changes?: string | undefined;
  readonly packages?: string | undefined;
  /** `at` of the last Resource Dump. */
  readonly dump?: string | undefined;
  /** When something was withdrawn last: Resource Lists of then and before are in no archive. */
  readonly withdrawn?: string | undefined;
}

export const pointerFile = 'current.json';

/** @returns undefined when there is none, or when it is not readable as one of this format version */
export async function readPointer(directory: string): Promise<Pointer | undefined> {
  const row = await bucketAt(directory)?.servedRow();
  return row ? parsePointer(row.pointer) : readPointerFile(directory);
}

/** The one on the disk of this machine, as `readPointer`. */
export async function readPointerFile(directory: string): Promise<Pointer | undefined> {
  const text = await readPointerText(directory);
  return text === undefined ? undefined : parsePointer(text);
}

/** The same, as it is written; undefined: there is none. */
export async function readPointerText(directory: string): Promise<string | undefined> {
  return readFile(join(directory, pointerFile), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    // That it cannot be read now does not mean that there is none.
    throw error;
  });
}

export function parsePointer(text: string): Pointer | undefined {
  const end = text.lastIndexOf(checksumField);
  try {
    const { checksum, ...pointer } = JSON.parse(text) as Pointer & { checksum: string };
    const intact = pointer.version === formatVersion && checksum === digestOf(`${text.slice(0, end)}}`);
    return intact ? pointer : undefined;
  } catch {
    return undefined;
  }
}

export async function writePointer(directory: string, pointer: Pointer): Promise<void> {
  await syncDirectory(directory);
  await writeWhole(directory, pointerFile, pointerText(pointer));
  noteSwitch();
  await syncDirectory(directory);
}

export function pointerText(pointer: Pointer): string {
  const text = JSON.stringify(pointer);
  return `${text.slice(0, -1)}${checksumField}${digestOf(text)}"}`;
}

/** A catalog's name says its content, so a reader may keep it for ever. */
export async function writeCatalog(directory: string, name: string, documents: Documents): Promise<string> {
  const file = `${name}.${randomUUID().slice(0, 8)}.json`;
  await writeWhole(directory, file, JSON.stringify(documents));
  return file;
}

export function readCatalogText(directory: string, file: string): Promise<string> {
  return readPublishedText(directory, file);
}

export function parseCatalog(text: string): Documents {
  return JSON.parse(text) as Documents;
}

/** Stands last, so that it is compared with the text before it, as it was read. */
const checksumField = ',"checksum":"';

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

async function writeWhole(directory: string, file: string, text: string): Promise<void> {
  const temporary = join(directory, `${file}.${randomUUID().slice(0, 8)}.tmp`);
  try {
    const handle = await open(temporary, 'wx');
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, join(directory, file));
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function syncDirectory(directory: string): Promise<void> {
  // Windows cannot sync a directory, and needs not.
  const handle = await open(directory, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
