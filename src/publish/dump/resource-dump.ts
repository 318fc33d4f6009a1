import type { Clock } from '../../core/adapter.ts';
import { later, toIso } from '../../core/datetime.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { toUri } from '../../core/uris.ts';
import { allocateReadBuffers } from '../../store/content-files.ts';
import { readContents } from '../../store/contents.ts';
import type { Queryable } from '../../store/database.ts';
import type { ResourceEntry } from '../../store/listing.ts';
import { type SetPaths, setPaths } from '../document-paths.ts';
import { renderEntry, renderListHead } from '../entry-writer.ts';
import type { Limits } from '../limits.ts';
import type { StoredDocument } from '../pointer.ts';
import { publicationError } from '../publication-error.ts';
import { writeDocument } from '../stored-document.ts';
import { renderDumpList } from './dump-list.ts';
import { dumpListPath, manifestPath, memberName, pathInPackage } from './dump-paths.ts';
import {
  filesOfDocument,
  memberCost,
  type PackageFill,
  PackageWriter,
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
        const packagePath = pathInPackage(owner.path);
        const name = memberName(packagePath);
        const text = renderEntry(baseUrl, { ...owner, packagePath }, set);
        if (this.#isFull(writer.fill, memberCost(name, content), Buffer.byteLength(text))) {
          await this.#finish(writer);
          writer = await this.#start();
        }
        await writer.add(name, content, owner.mediaType);
        await writer.addEntry(text);
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
    const facts = { capability: 'resourcedump', entries: written.entries, immutable: true, at };
    const dated = { ...facts, lastModified: this.#now() };
    this.#packages += 1;
    const path = this.#paths.resourceDumpPart(at, this.#packages);
    this.#parts[path] = storePackage(dated, written);
    this.#parts[manifestPath(path)] = storeManifest(dated, written);
  }

  async #writeList(): Promise<WrittenResourceDump> {
    const { directory, baseUrl, at, limits } = this.#settings;
    // After the last row was read (RS-TIME-07).
    const completed = this.#now();
    const times = { at, completed };
    const beside = this.#paths.resourceDumpPart(at, 1).replace(/\/[^/]*$/, '');
    const list = renderDumpList(this.#parts, {
      ...{ baseUrl, limits, times },
      capability: 'resourcedump',
      up: this.#paths.capabilityList,
      path: this.#paths.resourceDump,
      partPath: (number) => dumpListPath(beside, number),
      partTimes: () => times,
    });
    const facts = { capability: 'resourcedump', lastModified: completed, ...times };
    for (const { path, text, entries } of list.parts) {
      const part = { ...facts, entries, immutable: true };
      this.#parts[path] = await writeDocument(directory, 'resourcedump', part, text);
    }
    const whole = { ...facts, entries: this.#packages, immutable: false };
    const document = await writeDocument(directory, 'resourcedump', whole, list.text);
    return { document, parts: this.#parts };
  }

  #now(): string {
    return later(toIso(this.#settings.clock.now()), this.#settings.at);
  }
}
