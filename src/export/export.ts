import { performance } from 'node:perf_hooks';
import type { Log } from '../core/adapter.ts';
import { BridgeError } from '../core/errors.ts';
import type { FileRules } from '../core/files/published-files.ts';
import { type ResourceSet, sourcesOf } from '../core/resource-set.ts';
import { makingOf } from '../publish/dump/dump-paths.ts';
import type { NamedSources, Packed } from '../publish/published/publication.ts';
import { judgePackage } from '../publish/published/withheld-packages.ts';
import type { Database } from '../store/engine/database.ts';
import { ruleOf } from '../store/reading/withheld.ts';
import { isBeforeWithdrawal } from '../store/removal/withdrawals.ts';
import { exportDocuments, filesOfDocument } from './site/documents.ts';
import type { ExportPhase } from './site/export-phase.ts';
import { removeLeftovers } from './site/leftovers.ts';
import { exportFile, type PageSource } from './site/pages.ts';
import { isSame, type PublicationSnapshot, readPublicationSnapshot } from './site/publication-snapshot.ts';
import { type SiteFiles, siteFilesOf } from './site/site-files.ts';
import { SourceExport } from './site/source.ts';
import { type ExportDirectory, inExportDirectory } from './tree/directory.ts';
import { type ExportState, emptyState } from './tree/state.ts';
import { ExportTree } from './tree/tree.ts';

export interface ExportSettings {
  readonly database: Database;
  /** The data directory. */
  readonly directory: string;
  /** Where the files go. */
  readonly target: string;
  /** Files and directories of ours that the target may neither hold nor be in. */
  readonly apart: readonly string[];
  readonly baseUrl: string;
  readonly pages: PageSource;
  readonly fileMode: (source: string) => FileRules['mode'] | undefined;
  /** A set that is configured, by its path. */
  readonly setOf?: ((path: string) => ResourceSet | undefined) | undefined;
  /** Which sets are laid out, by paths that begin with theirs; default: all that are published. */
  readonly isChosen?: ((set: string, joint?: NamedSources) => boolean) | undefined;
  /** Sources of which nothing may be in what is laid out. */
  readonly hidden?: readonly string[] | undefined;
  readonly log: Log;
  /** Say what would be done. */
  readonly dryRun?: boolean | undefined;
  /** Compare every file, whatever the last run said. */
  readonly full?: boolean | undefined;
  /** Ends it between two files; the next run continues. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: ExportProgress) => void) | undefined;
}

export interface ExportProgress {
  readonly phase: ExportPhase;
  /** In this phase. */
  readonly done: number;
  /** Of this phase, where that is known. */
  readonly total?: number | undefined;
  readonly written: number;
}

export interface ExportReport {
  readonly documents: number;
  readonly resources: number;
  /** Files, with the gzip member of a document as one of its own. */
  readonly written: number;
  /** Documents and resources that needed nothing. */
  readonly unchanged: number;
  readonly removed: number;
  /** Written. */
  readonly bytes: number;
  /** Resources that are listed but whose content could not be read. */
  readonly missing: number;
  /** Files that are listed but only passed on by the bridge, from upstream. */
  readonly left: number;
  readonly ms: number;
}

/**
 * Lays out what is published, with the resources as they were when the published Change Lists end, as files:
 * resources first, lists after, removals last, each file with a rename.
 * @returns undefined when nothing is published
 * @throws BridgeError `export-refused` for a directory that holds something else, `publication-busy`, `disk-full`,
 *   `publication-failed`, `interrupted`: the next run completes what this one began
 */
export async function exportPublication(settings: ExportSettings): Promise<ExportReport | undefined> {
  const { directory, target, apart, baseUrl, dryRun = false, signal, isChosen } = settings;
  if (!(await readPublicationSnapshot(directory, baseUrl, { isChosen }))) return undefined;
  return inExportDirectory(target, { apart, baseUrl, dryRun }, signal, (open) =>
    new Export(settings, open).run(),
  );
}

/** How often the publication may move on under our hands before we export it a little apart. */
const maxRounds = 5;

class Export {
  readonly #settings: ExportSettings;
  readonly #directory: ExportDirectory;
  readonly #tree: ExportTree;
  readonly #before: ExportState;
  /** Nothing is known of the files: each has to be looked at. */
  readonly #full: boolean;
  readonly #sources = new Map<string, SourceExport>();
  readonly #phases = new Map<ExportPhase, number>();
  readonly #totals = new Map<ExportPhase, number>();
  #documentsWritten = 0;
  #rounds = 0;

  constructor(settings: ExportSettings, directory: ExportDirectory) {
    const { baseUrl, dryRun = false, full = false } = settings;
    const { root, workshop, state } = directory;
    this.#settings = settings;
    this.#directory = directory;
    this.#tree = new ExportTree({ root, workshop, dryRun });
    this.#before = state ?? emptyState(baseUrl);
    this.#full = full || state?.baseUrl !== baseUrl;
  }

  async run(): Promise<ExportReport> {
    const started = performance.now();
    const snapshot = await this.#writeUntilSettled();
    const files = siteFilesOf(snapshot);
    await this.#writeSiteFiles(files.after);
    await this.#remove(snapshot, files);
    const sources = [...this.#sources];
    const documents = Object.fromEntries([...snapshot.documents].map(([path, { etag }]) => [path, etag]));
    await this.#directory.save({
      ...emptyState(this.#settings.baseUrl),
      sources: Object.fromEntries(sources.map(([name, source]) => [name, source.state])),
      documents,
      pages: [...files.before.values(), ...files.after.values()],
      retired: this.#formerDocuments().filter((path) => !snapshot.documents.has(path)),
    });
    const sum = (of: (source: SourceExport) => number) =>
      sources.reduce((total, [, source]) => total + of(source), 0);
    const resources = sum((source) => source.resources);
    const touched = this.#documentsWritten + sum((source) => source.written);
    return {
      documents: snapshot.documents.size,
      resources,
      ...this.#tree.counts,
      unchanged: Math.max(0, snapshot.documents.size + resources - touched),
      missing: sum((source) => source.missing),
      left: sum((source) => source.left),
      ms: Math.round(performance.now() - started),
    };
  }

  /** Resources, pages and documents that fit each other, although the publication may move on meanwhile. */
  async #writeUntilSettled(): Promise<PublicationSnapshot> {
    for (let round = 1; ; round += 1) {
      this.#rounds = round;
      const snapshot = await this.#read();
      await this.#writeResources(snapshot);
      // A first export takes minutes: the lists are to be those of its end, not of its beginning.
      if (round < maxRounds && !isSame(snapshot, await this.#read())) continue;
      try {
        await this.#writeDocuments(snapshot);
        return snapshot;
      } catch (error) {
        // It was swept away: superseded while others were being copied.
        if ((error as { code?: unknown }).code !== 'ENOENT' || round >= 2 * maxRounds) throw error;
      }
    }
  }

  async #read(): Promise<PublicationSnapshot> {
    const { directory, baseUrl } = this.#settings;
    const { database, setOf, isChosen, hidden } = this.#settings;
    const ofSource = (path: string) => ({ source: path.split('/', 1)[0] ?? path, filter: {} });
    const mayHandOut = async (packed: Packed) => {
      const known = setOf?.(packed.set);
      const set = known ?? ofSource(packed.set);
      return (await judgePackage(database.reader, set, packed, ruleOf(known ?? {}), hidden)) === 'open';
    };
    const mayShow = async (path: string, at: string) =>
      !(await isBeforeWithdrawal(database.reader, sourcesOf(setOf?.(path) ?? ofSource(path)), at));
    const snapshot = await readPublicationSnapshot(directory, baseUrl, { mayHandOut, mayShow, isChosen });
    if (snapshot) return snapshot;
    throw new BridgeError('publication-failed', 'what was published is there no longer', { retryable: true });
  }

  async #writeResources(snapshot: PublicationSnapshot): Promise<void> {
    for (const [name, { journal, seq }] of snapshot.sources) {
      for (const [phase, count] of await this.#source(name).due(journal, seq)) {
        this.#totals.set(phase, (this.#totals.get(phase) ?? 0) + count);
      }
    }
    this.#step('resources', 0);
    for (const [name, { journal, seq }] of snapshot.sources) await this.#source(name).follow(journal, seq);
  }

  #source(name: string): SourceExport {
    const { database, directory, pages, log, signal, fileMode } = this.#settings;
    const known = this.#sources.get(name);
    if (known) return known;
    const source = new SourceExport({
      ...{ database, directory, pages, log, name, signal, tree: this.#tree },
      fileMode: fileMode(name),
      before: this.#full ? undefined : this.#before.sources[name],
      step: (phase, count) => this.#step(phase, count),
    });
    this.#sources.set(name, source);
    return source;
  }

  async #writeDocuments(snapshot: PublicationSnapshot): Promise<void> {
    const { documents } = snapshot;
    const known = new Set(this.#formerDocuments());
    const pending = [...documents.keys()].filter((path) => !known.has(path));
    if (pending.length > 0) {
      await this.#directory.save({ ...this.#before, pending: [...this.#before.pending, ...pending] });
    }
    await this.#writeSiteFiles(siteFilesOf(snapshot).before);
    const etags = this.#full ? {} : this.#before.documents;
    this.#phases.delete('documents');
    this.#totals.set('documents', documents.size);
    this.#step('documents', 0);
    this.#documentsWritten += await exportDocuments(this.#tree, documents.values(), etags, () =>
      this.#step('documents', 1),
    );
  }

  async #writeSiteFiles(files: ReadonlyMap<string, string>): Promise<void> {
    for (const [path, file] of files) await exportFile(this.#tree, this.#settings.pages, path, file);
  }

  async #remove(snapshot: PublicationSnapshot, files: SiteFiles): Promise<void> {
    const sources = [...this.#sources.values()];
    for (const source of sources) await source.removeDeleted();
    // Whoever is reading them reads on, until the next export; but not what is not to be there.
    const former = this.#formerDocuments().filter((path) => this.#mayStay(path));
    const kept = new Set([...snapshot.documents.keys(), ...former].flatMap(filesOfDocument));
    for (const file of [...files.before.values(), ...files.after.values()]) kept.add(file);
    const documents = [...this.#before.retired, ...this.#formerDocuments()];
    const due = [...documents.flatMap(filesOfDocument), ...this.#before.pages];
    for (const file of due) if (!kept.has(file)) await this.#tree.remove(file);
    const gone = Object.keys(this.#before.sources).some((name) => !this.#sources.has(name));
    if (!gone && !sources.some((source) => source.wasCompared)) return;
    // All that is there was written just now.
    if (this.#directory.isNew && this.#rounds === 1) return;
    for (const source of sources) for (const file of source.collectionPages) kept.add(file);
    await removeLeftovers({
      root: this.#directory.root,
      tree: this.#tree,
      belongs: (file) => kept.has(file),
      isLaidOut: (name) => this.#sources.has(name),
      living: async (name, paths) => (await this.#sources.get(name)?.living(paths)) ?? new Set(),
      onItems: (count) => this.#step('removals', count),
    });
  }

  /**
   * Of a set across sources: what is private now may have been in it; and in a package that was replaced what is withheld now: those
   * that are not out of date are among what is published.
   */
  #mayStay(path: string): boolean {
    if (makingOf(path) !== undefined) return false;
    const { isChosen = () => true, hidden = [] } = this.#settings;
    const [first = ''] = path.split('/', 1);
    const isJoint = first === 'sets' || (first === 'all' && !this.#sources.has(first));
    return isChosen(path) && !(isJoint && hidden.length > 0);
  }

  /** What earlier runs wrote, or may have written. */
  #formerDocuments(): readonly string[] {
    return [...Object.keys(this.#before.documents), ...this.#before.pending];
  }

  #step(phase: ExportPhase, count: number): void {
    const { signal, onProgress } = this.#settings;
    if (signal?.aborted) throw new BridgeError('interrupted', 'the export was stopped as asked');
    const done = (this.#phases.get(phase) ?? 0) + count;
    this.#phases.set(phase, done);
    onProgress?.({ phase, done, total: this.#totals.get(phase), written: this.#tree.counts.written });
  }
}
