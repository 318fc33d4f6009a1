import type { Clock } from '../../core/adapter.ts';
import { later, toIso } from '../../core/datetime.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { Limits } from '../../core/sitemap.ts';
import { toUri } from '../../core/uris.ts';
import type { Queryable } from '../../store/engine/database.ts';
import { allocateReadBuffers } from '../../store/payloads/content-files.ts';
import { readContents } from '../../store/payloads/contents.ts';
import type { ResourceEntry } from '../../store/reading/listing.ts';
import type { PackedRange } from '../../store/reading/withheld.ts';
import type { JournalState } from '../../store/sources/journal.ts';
import type { StoredDocument } from '../disk/pointer.ts';
import { publicationError } from '../disk/publication-error.ts';
import { writeDocument } from '../disk/stored-document.ts';
import { type SetPaths, setPaths } from '../documents/document-paths.ts';
import { renderEntry, renderListHead } from '../documents/entry-writer.ts';
import { renderDumpList } from './dump-list.ts';
import { dumpListPath, manifestPath, memberName, pathInPackage } from './dump-paths.ts';
import {
  filesOfDocument,
  memberCost,
  type PackageFill,
  PackageWriter,
  packageMediaType,
  removeFiles,
  storeManifest,
  storePackage,
} from './package-writer.ts';

export interface ResourceDumpSettings {
  /** In the snapshot that the pages come from. */
  readonly db: Queryable;
  /** Of the set: where documents are written. */
  readonly directory: string;
  /** Where contents that are files are kept; see `content-files.ts`. */
  readonly dataDirectory: string;
  readonly baseUrl: string;
  readonly set: ResourceSet;
  /** When the snapshot began (RS-TIME-06). */
  readonly at: string;
  /** Where the journal stood then. */
  readonly seq?: number | undefined;
  /** Of a set across sources: where those of its sources stood then, by their names. */
  readonly journals?: ReadonlyMap<string, Pick<JournalState, 'sourceId' | 'seq'>> | undefined;
  readonly clock: Clock;
  readonly limits: Limits;
  /** A package ends before it would be larger; one resource that is larger has one of its own. */
  readonly packageBytes: number;
  readonly signal?: AbortSignal | undefined;
}

export interface WrittenResourceDump {
  /** `resourcedump.xml`: the dump, or the index of several; `entries` counts the packages. */
  readonly document: StoredDocument;
  /** By path: packages, copies of their manifests, and the dumps below an index. */
  readonly parts: Readonly<Record<string, StoredDocument>>;
}

/**
 * Writes a Resource Dump of the pages of one snapshot: packages, copies of their manifests, and the documents
 * that list them. When it fails, nothing of it stays.
 * @throws BridgeError `content-damaged` naming the resource, `disk-full`, `interrupted`, `publication-failed`
 */
export async function writeResourceDump(
  pages: AsyncIterable<readonly ResourceEntry[]>,
  settings: ResourceDumpSettings,
): Promise<WrittenResourceDump> {
  const dump = new ResourceDumpWriter(settings);
  try {
    return await dump.write(pages);
  } catch (error) {
    await dump.discard();
    throw publicationError(error, `the Resource Dump of ${settings.set.path}`, settings.signal);
  }
}

class ResourceDumpWriter {
  readonly #settings: ResourceDumpSettings;
  readonly #paths: SetPaths;
  readonly #parts: Record<string, StoredDocument> = {};
  #packages = 0;
  /** Of the resources in the package that is being written, by their source in a set across sources. */
  #held = new Map<string, [number, number]>();
  #writer: PackageWriter | undefined;

  constructor(settings: ResourceDumpSettings) {
    this.#settings = settings;
    this.#paths = setPaths(settings.set);
  }

  async write(pages: AsyncIterable<readonly ResourceEntry[]>): Promise<WrittenResourceDump> {
    const { db, dataDirectory, baseUrl, set, signal } = this.#settings;
    const options = { signal, buffers: allocateReadBuffers() };
    let writer = await this.#start();
    for await (const page of pages) {
      for await (const { owner, content } of readContents(db, dataDirectory, page, options)) {
        const packagePath = pathInPackage(owner.path, owner.source);
        const name = memberName(packagePath);
        const text = renderEntry(baseUrl, { ...owner, packagePath }, set);
        if (this.#isFull(writer.fill, memberCost(name, content), Buffer.byteLength(text))) {
          await this.#finish(writer);
          writer = await this.#start();
        }
        await writer.add(name, content, owner.mediaType);
        await writer.addEntry(text);
        this.#note(owner);
      }
    }
    await this.#finish(writer);
    return this.#writeList();
  }

  async discard(): Promise<void> {
    await this.#writer?.discard();
    await removeFiles(this.#settings.directory, Object.values(this.#parts).flatMap(filesOfDocument));
  }

  async #start(): Promise<PackageWriter> {
    const { directory, baseUrl, at } = this.#settings;
    const up = toUri(baseUrl, this.#paths.capabilityList);
    // Without `completed`: one snapshot is always the same bytes.
    const head = renderListHead({ baseUrl, capability: 'resourcedump-manifest', up, at });
    this.#writer = await PackageWriter.create(directory, `resourcedump~${this.#packages + 1}`, head);
    return this.#writer;
  }

  #note({ id, source = '' }: ResourceEntry): void {
    if (id !== undefined) this.#held.set(source, [this.#held.get(source)?.[0] ?? id, id]);
  }

  /** What the package that is being written has. */
  #holds(): PackedRange | undefined {
    const { seq, journals } = this.#settings;
    const held = this.#held;
    this.#held = new Map();
    if (seq === undefined) return undefined;
    if (!journals) return { afterSeq: 0, seq, ids: held.get('') ?? ([0, 0] as const) };
    const parts = [...held].flatMap(([source, ids]) => {
      const journal = journals.get(source);
      return journal ? [{ sourceId: journal.sourceId, seq: journal.seq, ids }] : [];
    });
    return { afterSeq: 0, seq, parts };
  }

  #isFull(fill: PackageFill, memberBytes: number, textBytes: number): boolean {
    const { limits, packageBytes } = this.#settings;
    return (
      fill.entries > 0 &&
      (fill.entries >= limits.entries ||
        fill.manifestBytes + textBytes > limits.bytes ||
        fill.bytes + memberBytes + Math.ceil(textBytes / 2) > packageBytes)
    );
  }

  async #finish(writer: PackageWriter): Promise<void> {
    const { at, signal } = this.#settings;
    signal?.throwIfAborted();
    const written = await writer.finish();
    this.#writer = undefined;
    const holds = this.#holds();
    const facts = { capability: 'resourcedump', entries: written.entries, immutable: true, at };
    const dated = { ...facts, lastModified: this.#now(), ...(holds && { holds }) };
    this.#packages += 1;
    const path = this.#paths.resourceDumpPart(at, this.#packages);
    this.#parts[path] = storePackage(dated, written);
    this.#parts[manifestPath(path)] = storeManifest(dated, written);
  }

  async #writeList(): Promise<WrittenResourceDump> {
    // After the last row was read (RS-TIME-07).
    const times = { at: this.#settings.at, completed: this.#now() };
    const written = await writeDumpList(this.#parts, this.#settings, times, times.completed);
    // What was written of it goes with the rest, should anything fail.
    Object.assign(this.#parts, written.parts);
    return written;
  }

  #now(): string {
    return later(toIso(this.#settings.clock.now()), this.#settings.at);
  }
}

/**
 * The documents that list the packages of a Resource Dump.
 * @param parts packages and their manifests, by path
 */
export async function writeDumpList(
  parts: Readonly<Record<string, StoredDocument>>,
  { directory, baseUrl, set, limits }: Pick<ResourceDumpSettings, 'directory' | 'baseUrl' | 'set' | 'limits'>,
  times: { readonly at: string; readonly completed: string },
  lastModified: string,
): Promise<WrittenResourceDump> {
  const paths = setPaths(set);
  const beside = paths.resourceDumpPart(times.at, 1).replace(/\/[^/]*$/, '');
  const list = renderDumpList(parts, {
    ...{ baseUrl, limits, times },
    capability: 'resourcedump',
    up: paths.capabilityList,
    path: paths.resourceDump,
    partPath: (number) => dumpListPath(beside, number),
    partTimes: () => times,
  });
  const facts = { capability: 'resourcedump', lastModified, ...times };
  const all: Record<string, StoredDocument> = { ...parts };
  for (const { path, text, entries } of list.parts) {
    all[path] = await writeDocument(directory, 'resourcedump', { ...facts, entries, immutable: true }, text);
  }
  const packages = Object.values(parts).filter(({ mediaType }) => mediaType === packageMediaType).length;
  const whole = { ...facts, entries: packages, immutable: false };
  const document = await writeDocument(directory, 'resourcedump', whole, list.text);
  return { document, parts: all };
}
