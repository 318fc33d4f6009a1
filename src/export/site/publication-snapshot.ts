import { join } from 'node:path';
import { Catalogs } from '../../publish/disk/catalogs.ts';
import {
  type Pointer,
  readPointer,
  type Snapshot,
  type StoredDocument,
  type StoredVariant,
} from '../../publish/disk/pointer.ts';
import { slicePieces, totalLength } from '../../publish/disk/slices.ts';
import { makingOf } from '../../publish/dump/dump-paths.ts';
import { archivedListAt } from '../../publish/published/archived-lists.ts';
import { type NamedSources, type Packed, publicationRoot } from '../../publish/published/publication.ts';
import type { FileContent } from '../tree/tree.ts';

/** What was published at one moment: the documents of each set all by the same pointer. */
export interface PublicationSnapshot {
  readonly sets: readonly SnapshotSet[];
  readonly sources: ReadonlyMap<string, PublishedSource>;
  readonly documents: ReadonlyMap<string, SnapshotDocument>;
}

export interface PublishedSource {
  /** `JournalState.id` */
  readonly journal: string;
  /** The Change Lists tell everything up to here. */
  readonly seq: number;
}

export interface SnapshotSet {
  readonly path: string;
  /** When, and at which sequence of the journal, its newest Resource List and Resource Dump were taken. */
  readonly resourceList?: Snapshot | undefined;
  readonly resourceDump?: Snapshot | undefined;
  /** In the Resource List. */
  readonly entries: number;
}

export interface SnapshotDocument {
  readonly path: string;
  readonly capability: string;
  readonly immutable: boolean;
  readonly etag: string;
  readonly plain: FileContent;
  readonly gzip?: FileContent | undefined;
}

/** What of it is asked for; default: all. */
export interface SnapshotChoice {
  /** Sets by their paths, those across sources by what they may name, too; the others are as if they were not published. */
  readonly isChosen?: ((set: string, joint?: NamedSources) => boolean) | undefined;
  /** Asked for each package: what is being taken out of one is not exported either. */
  readonly mayHandOut?: (packed: Packed) => Promise<boolean>;
  /** Asked for each Resource List that only an archive keeps, by the path of its set and the moment that it is of. */
  readonly mayShow?: (set: string, at: string) => Promise<boolean>;
}

/** @returns undefined when nothing is published */
export async function readPublicationSnapshot(
  directory: string,
  baseUrl: string,
  choice: SnapshotChoice = {},
): Promise<PublicationSnapshot | undefined> {
  const { isChosen = () => true } = choice;
  const root = publicationRoot(directory);
  const site = await readPointer(root);
  const documents = new Map<string, SnapshotDocument>();
  const sources = new Map<string, PublishedSource>();
  const sets: SnapshotSet[] = [];
  for (const set of site?.sets ?? []) {
    const place = join(root, ...set.split('/'));
    const pointer = await readPointer(place);
    if (pointer?.baseUrl !== baseUrl || pointer.changes === undefined) continue;
    if (!isChosen(set, pointer.isJoint ? { members: pointer.members } : undefined)) continue;
    for (const part of [pointer.documents, ...(await new Catalogs(place).of(pointer))]) {
      addDocuments(documents, place, await withoutWithheld(part, set, pointer, choice));
    }
    sets.push({
      path: set,
      resourceList: pointer.snapshots[0],
      resourceDump: pointer.dumps?.[0],
      entries: pointer.documents[`${set}/resourcelist.xml`]?.entries ?? 0,
    });
    // What is in it is exported with its sources.
    if (pointer.isJoint) continue;
    const [source = set] = set.split('/', 1);
    const known = sources.get(source);
    // Where the sets of a source stand apart, a resource is rather newer than a list than older.
    const seq = Math.max(known?.seq ?? 0, pointer.changes.seq);
    sources.set(source, { journal: known?.journal ?? pointer.journal ?? '', seq });
  }
  if (sources.size === 0 || !site) return undefined;
  addDocuments(documents, root, site.documents);
  return { sets, sources, documents };
}

async function withoutWithheld(
  part: Readonly<Record<string, StoredDocument>>,
  set: string,
  pointer: Pointer,
  { mayHandOut, mayShow }: SnapshotChoice,
): Promise<Readonly<Record<string, StoredDocument>>> {
  const { packageCheck: check, changes, isJoint = false, journal } = pointer;
  const open: Record<string, StoredDocument> = {};
  for (const [path, document] of Object.entries(part)) {
    const holds = document.holds ?? { afterSeq: 0, seq: changes?.seq ?? 0 };
    if (mayHandOut && makingOf(path) !== undefined)
      if (!(await mayHandOut({ set, holds, check, isJoint, journal }))) continue;
    const at = mayShow && archivedListAt(path, pointer);
    if (at === undefined || (await mayShow?.(set, at))) open[path] = document;
  }
  return open;
}

/** Whether a later snapshot shows nothing else. */
export function isSame(a: PublicationSnapshot, b: PublicationSnapshot): boolean {
  return (
    a.documents.size === b.documents.size &&
    [...a.documents].every(([path, { etag }]) => b.documents.get(path)?.etag === etag) &&
    [...a.sources].every(([name, { journal, seq }]) => {
      const other = b.sources.get(name);
      return other?.journal === journal && other.seq === seq;
    })
  );
}

/** @param directory where the files of their slices are */
export function addDocuments(
  documents: Map<string, SnapshotDocument>,
  directory: string,
  part: Readonly<Record<string, StoredDocument>>,
): void {
  for (const [path, document] of Object.entries(part)) {
    if (documents.has(path)) continue;
    const { capability, immutable, lastModified, plain, gzip } = document;
    const content = ({ slices }: StoredVariant): FileContent => {
      const length = totalLength(slices);
      return { length, lastModified, chunks: () => slicePieces(directory, slices) };
    };
    documents.set(path, {
      path,
      capability,
      immutable,
      etag: plain.etag,
      plain: content(plain),
      gzip: gzip && content(gzip),
    });
  }
}
