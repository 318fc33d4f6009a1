import { performance } from 'node:perf_hooks';
import type { Clock } from '../core/adapter.ts';
import { addSeconds, later, toIso } from '../core/datetime.ts';
import type { ResourceSet } from '../core/resource-set.ts';
import type { Database } from '../store/database.ts';
import { advanceJournal, readJournal } from '../store/journal.ts';
import { listResources, type ResourceEntry } from '../store/listing.ts';
import { type Capability, renderCapabilityList } from './capability-list.ts';
import { publishChanges } from './change-publication.ts';
import { type SetPaths, setPaths } from './document-paths.ts';
import type { Limits } from './limits.ts';
import { renderListIndex } from './list-index.ts';
import { type Documents, formatVersion, type Pointer, type StoredDocument, writeCatalog } from './pointer.ts';
import { publicationError } from './publication-error.ts';
import { writeResourceList } from './resource-list.ts';
import type { SetDirectory } from './set-directory.ts';
import { totalLength } from './slices.ts';
import { renderSourceDescription } from './source-description.ts';
import { etagOf, writeDocument } from './stored-document.ts';

export interface SetSettings {
  readonly database: Database;
  readonly baseUrl: string;
  /** `JournalState.id` */
  readonly journal: string;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly changeListDays: number;
  readonly signal?: AbortSignal | undefined;
  /** Called before each switch; throws when the directory is no longer ours. */
  readonly confirm: () => Promise<void>;
}

export interface DocumentReport {
  readonly path: string;
  readonly entries: number;
  readonly bytes: number;
  readonly ms: number;
}

type Draft = Omit<Pointer, 'retired'>;

const servedSnapshots = 2;

/** One set's documents: what is published, moved on step by step and switched. */
export class SetPublication {
  readonly #set: ResourceSet;
  readonly #settings: SetSettings;
  readonly #directory: SetDirectory;
  readonly #paths: SetPaths;
  readonly #reports = new Map<string, DocumentReport>();
  #published: Documents;
  /** What is to be published next. */
  #draft: Draft;
  #changed = false;
  /** A list was opened or closed. */
  #indexIsStale = false;

  /** @param base what is published and can be built upon */
  constructor(set: ResourceSet, settings: SetSettings, directory: SetDirectory, base: Pointer | undefined) {
    this.#set = set;
    this.#settings = settings;
    this.#directory = directory;
    this.#paths = setPaths(set);
    const { baseUrl, journal } = settings;
    this.#published = base?.documents ?? {};
    this.#draft = base ?? {
      version: formatVersion,
      baseUrl,
      journal,
      documents: {},
      catalogs: [],
      snapshots: [],
    };
  }

  get reports(): readonly DocumentReport[] {
    return [...this.#reports.values()];
  }

  get hasResourceList(): boolean {
    return this.#draft.documents[this.#paths.resourceList] !== undefined;
  }

  /**
   * Writes a Resource List of now; it is published with the next switch.
   * @param meanwhile called between pages
   */
  async renderResourceList(meanwhile: () => Promise<void>): Promise<void> {
    const { database, signal } = this.#settings;
    const started = performance.now();
    const at = await this.#drawLine();
    const { seq, list } = await database.snapshot(async (trx) => {
      try {
        const journal = await readJournal(trx, this.#set.source);
        const pages = watched(listResources(trx, this.#set), signal, meanwhile);
        const place = { directory: this.#directory.path, set: this.#set, at };
        return {
          seq: journal?.seq ?? 0,
          list: await writeResourceList(pages, { ...this.#settings, ...place }),
        };
      } catch (error) {
        throw publicationError(error, this.#set.path, signal);
      }
    });
    const split = Object.keys(list.parts).length > 0;
    const catalog = split ? await this.#writeCatalog('resourcelist', list.parts) : undefined;
    const snapshots = [{ at, seq, catalog }, ...this.#draft.snapshots].slice(0, servedSnapshots);
    this.#edit({
      snapshots,
      documents: { ...this.#draft.documents, [this.#paths.resourceList]: list.document },
    });
    this.#report({ [this.#paths.resourceList]: list.document, ...list.parts }, started);
  }

  /** Brings the Change Lists up to the journal. */
  async followJournal(flat: boolean): Promise<void> {
    const started = performance.now();
    const before = this.#draft.changes;
    const place = { directory: this.#directory.path, set: this.#set, now: this.#now() };
    const written = await publishChanges({ ...this.#settings, ...place }, before, flat);
    if (!written) return;
    const { state, open, newlyClosed, flat: flatList } = written;
    let closed = before?.closed;
    if (Object.keys(newlyClosed).length > 0) {
      const known = closed === undefined ? {} : await this.#directory.catalog(closed);
      closed = await this.#writeCatalog('changelists', { ...known, ...newlyClosed });
    }
    const documents: Record<string, StoredDocument> = {};
    const openBefore = Object.keys(this.#draft.documents).find((path) => this.#isDated(path));
    for (const [path, document] of Object.entries(this.#draft.documents)) {
      if (path !== openBefore) documents[path] = document;
    }
    if (open?.path !== openBefore || Object.keys(newlyClosed).length > 0) this.#indexIsStale = true;
    if (open) documents[open.path] = open.document;
    if (flatList) documents[this.#paths.flatChangeList] = flatList;
    this.#edit({ changes: { ...state, closed }, documents });
    this.#report(
      {
        ...newlyClosed,
        ...(open ? { [open.path]: open.document } : {}),
        ...(flatList ? { [this.#paths.flatChangeList]: flatList } : {}),
      },
      started,
    );
  }

  /** Publishes what has been rendered, with the documents that lead to it. */
  async switch(): Promise<void> {
    await this.#renderChangeListIndex();
    await this.#renderSmallDocuments();
    if (!this.#changed) return;
    const { changes, snapshots } = this.#draft;
    const catalogs = [changes?.closed, ...snapshots.map(({ catalog }) => catalog)];
    this.#draft = {
      ...this.#draft,
      documents: settle(this.#draft.documents, this.#published),
      catalogs: catalogs.filter((file) => file !== undefined),
    };
    await this.#settings.confirm();
    await this.#directory.switch(this.#draft, this.#now());
    this.#published = this.#draft.documents;
    this.#changed = false;
  }

  /** Every snapshot has a moment of its own: it is part of immutable URIs. */
  async #drawLine(): Promise<string> {
    const { database } = this.#settings;
    const journal = await advanceJournal(database, this.#set.source, toIso(this.#settings.clock.now()));
    const last = this.#draft.snapshots[0]?.at;
    if (last === undefined || journal.at > last) return journal.at;
    return (await advanceJournal(database, this.#set.source, addSeconds(last, 1))).at;
  }

  async #renderChangeListIndex(): Promise<void> {
    const { changes, documents } = this.#draft;
    if (!changes || !this.#indexIsStale) return;
    this.#indexIsStale = false;
    const closed = changes.closed === undefined ? {} : await this.#directory.catalog(changes.closed);
    const open = Object.entries(documents).filter(([path]) => this.#isDated(path));
    const members = [...Object.entries(closed), ...open].map(([path, { from, until }]) => ({
      path,
      from,
      until,
    }));
    const text = renderListIndex(this.#settings.baseUrl, {
      capability: 'changelist',
      up: this.#paths.capabilityList,
      times: { from: changes.first },
      members,
    });
    await this.#keep(this.#paths.changeListIndex, text, 'changelist', members.length, {
      from: changes.first,
    });
  }

  async #renderSmallDocuments(): Promise<void> {
    const { baseUrl } = this.#settings;
    const { changeListIndex, resourceList } = this.#paths;
    const possible: Capability[] = [
      { capability: 'resourcelist', path: resourceList },
      { capability: 'changelist', path: changeListIndex },
    ];
    const capabilities = possible.filter(({ path }) => this.#draft.documents[path] !== undefined);
    const capabilityList = renderCapabilityList(baseUrl, this.#set, capabilities);
    const description = renderSourceDescription(baseUrl, [this.#set], this.#paths.about);
    await this.#keep(this.#paths.description, description, 'description', 1);
    await this.#keep(this.#paths.capabilityList, capabilityList, 'capabilitylist', capabilities.length);
    // Some clients refuse a set altogether for mentioning a dump; this one will not.
    await this.#keep(this.#paths.listsOnly, capabilityList, 'capabilitylist', capabilities.length);
  }

  /** Writes a small document if it differs from the one that is published. */
  async #keep(path: string, text: string, capability: string, entries: number, times = {}): Promise<void> {
    if (this.#draft.documents[path]?.plain.etag === etagOf(text)) return;
    const started = performance.now();
    const facts = { capability, entries, lastModified: this.#now(), immutable: false, ...times };
    const name = path
      .slice(this.#set.path.length + 1)
      .replaceAll('/', '~')
      .replace(/\.xml$/, '');
    const document = await writeDocument(this.#directory.path, name, facts, text);
    this.#edit({ documents: { ...this.#draft.documents, [path]: document } });
    this.#report({ [path]: document }, started);
  }

  #edit(part: Partial<Draft>): void {
    this.#draft = { ...this.#draft, ...part };
    this.#changed = true;
  }

  #isDated(path: string): boolean {
    return path.startsWith(`${this.#set.path}/changelist/`);
  }

  #writeCatalog(name: string, documents: Documents): Promise<string> {
    return writeCatalog(this.#directory.path, name, documents);
  }

  /** Never before what is published already says, should the machine's clock have been set back. */
  #now(): string {
    const published = Object.values(this.#draft.documents).map((document) => document.lastModified);
    return published.reduce(later, toIso(this.#settings.clock.now()));
  }

  #report(documents: Documents, started: number): void {
    const ms = Math.round(performance.now() - started);
    for (const [path, { entries, plain }] of Object.entries(documents)) {
      this.#reports.set(path, { path, entries, bytes: totalLength(plain.slices), ms });
    }
  }
}

/** Two contents with one `Last-Modified`: whoever has the first must not be told that nothing changed. */
function settle(next: Documents, published: Documents): Documents {
  return Object.fromEntries(
    Object.entries(next).map(([path, document]) => {
      const before = published[path];
      const again = before?.lastModified === document.lastModified;
      const unsettled = again && (before.unsettled === true || before.plain.etag !== document.plain.etag);
      return [path, unsettled ? { ...document, unsettled } : document];
    }),
  );
}

async function* watched(
  pages: AsyncIterable<readonly ResourceEntry[]>,
  signal: AbortSignal | undefined,
  meanwhile: () => Promise<void>,
): AsyncGenerator<readonly ResourceEntry[]> {
  for await (const page of pages) {
    signal?.throwIfAborted();
    yield page;
    await meanwhile();
  }
}
