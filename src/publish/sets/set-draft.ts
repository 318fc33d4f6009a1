import { performance } from 'node:perf_hooks';
import type { Clock } from '../../core/adapter.ts';
import { later, toIso } from '../../core/datetime.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { type Documents, type Pointer, type StoredDocument, writeCatalog } from '../disk/pointer.ts';
import type { SetDirectory } from '../disk/set-directory.ts';
import { totalLength } from '../disk/slices.ts';
import { etagOf, writeDocument } from '../disk/stored-document.ts';
import { withSuperseded } from '../documents/former-documents.ts';

export interface DocumentReport {
  readonly path: string;
  readonly entries: number;
  readonly bytes: number;
  readonly ms: number;
}

/** What is to be published next; files that fall out of use are the directory's business. */
export type Draft = Omit<Pointer, 'retired' | 'catalogs'>;

/** One set's documents on their way: edited piece by piece, then published by one switch. */
export class SetDraft {
  readonly #set: ResourceSet;
  readonly #clock: Clock;
  readonly #directory: SetDirectory;
  readonly #confirm: () => Promise<void>;
  readonly #reports = new Map<string, DocumentReport>();
  #published: Documents;
  #draft: Draft;
  #changed = false;

  /**
   * @param base what is published and can be built upon, or an empty draft
   * @param confirm called before each switch; throws when the directory is no longer ours
   */
  constructor(
    set: ResourceSet,
    directory: SetDirectory,
    base: Draft,
    settings: { readonly clock: Clock; readonly confirm: () => Promise<void> },
  ) {
    this.#set = set;
    this.#directory = directory;
    this.#clock = settings.clock;
    this.#confirm = settings.confirm;
    this.#draft = base;
    this.#published = base.documents;
  }

  get state(): Draft {
    return this.#draft;
  }

  get reports(): readonly DocumentReport[] {
    return [...this.#reports.values()];
  }

  /** There is something to switch. */
  get hasChanged(): boolean {
    return this.#changed;
  }

  has(path: string): boolean {
    return this.#draft.documents[path] !== undefined;
  }

  edit(part: Partial<Draft>): void {
    this.#draft = { ...this.#draft, ...part };
    this.#changed = true;
  }

  put(documents: Documents): void {
    this.edit({ documents: { ...this.#draft.documents, ...documents } });
  }

  remove(paths: readonly string[]): void {
    if (!paths.some((path) => this.has(path))) return;
    const kept = Object.entries(this.#draft.documents).filter(([path]) => !paths.includes(path));
    this.edit({ documents: Object.fromEntries(kept) });
  }

  /** Writes a small document if it differs from the one that is published. */
  async keep(path: string, text: string, capability: string, entries: number, times = {}): Promise<void> {
    if (this.#draft.documents[path]?.plain.etag === etagOf(text)) return;
    const started = performance.now();
    const facts = { capability, entries, lastModified: this.now(), immutable: false, ...times };
    const name = path
      .slice(this.#set.path.length + 1)
      .replaceAll('/', '~')
      .replace(/\.xml$/, '');
    const document = await writeDocument(this.#directory.path, name, facts, text);
    this.put({ [path]: document });
    this.report({ [path]: document }, started);
  }

  catalog(file: string | undefined): Promise<Documents> {
    return file === undefined ? Promise.resolve({}) : this.#directory.catalog(file);
  }

  /** @returns its file; undefined for an empty one */
  async writeCatalog(name: string, documents: Documents): Promise<string | undefined> {
    if (Object.keys(documents).length === 0) return undefined;
    return writeCatalog(this.#directory.path, name, documents);
  }

  /** Never before what is published already says, should the machine's clock have been set back. */
  now(): string {
    const published = Object.values(this.#draft.documents).map((document) => document.lastModified);
    return published.reduce(later, toIso(this.#clock.now()));
  }

  report(documents: Documents, started: number): void {
    const ms = Math.round(performance.now() - started);
    for (const [path, { entries, plain }] of Object.entries(documents)) {
      this.#reports.set(path, { path, entries, bytes: totalLength(plain.slices), ms });
    }
  }

  async switch(): Promise<void> {
    if (!this.#changed && !this.#directory.mustMove) return;
    this.#draft = await this.#directory.storable(this.#draft);
    const { changes, snapshots, dumps = [], changeDump, archive } = this.#draft;
    const catalogs = [
      changes?.closed,
      ...snapshots.map(({ catalog }) => catalog),
      ...dumps.map(({ catalog }) => catalog),
      changeDump?.catalog,
      archive?.catalog,
    ].filter((file) => file !== undefined);
    const documents = settle(this.#draft.documents, this.#published);
    const former = await this.#keepSuperseded(documents);
    await this.#confirm();
    await this.#directory.switch({ ...this.#draft, documents, former, catalogs }, this.now());
    this.#draft = { ...this.#draft, documents, former };
    this.#published = documents;
    this.#changed = false;
  }

  /** @returns the catalog of what documents were before, with what they are until this switch */
  async #keepSuperseded(next: Documents): Promise<string | undefined> {
    const { former: file } = this.#draft;
    const former = await this.catalog(file);
    const kept = withSuperseded(former, this.#set, this.#published, next);
    return kept === former ? file : this.writeCatalog('former', kept);
  }
}

/** Two contents with one `Last-Modified`: whoever has the first must not be told that nothing changed. */
function settle(next: Documents, published: Documents): Documents {
  return Object.fromEntries(
    Object.entries(next).map(([path, document]): [string, StoredDocument] => {
      const before = published[path];
      const again = before?.lastModified === document.lastModified;
      const unsettled = again && (before.unsettled === true || before.plain.etag !== document.plain.etag);
      return [path, unsettled ? { ...document, unsettled } : document];
    }),
  );
}
