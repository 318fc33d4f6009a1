import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { Clock } from '../core/adapter.ts';
import { toIso } from '../core/datetime.ts';
import { BridgeError } from '../core/errors.ts';
import type { ResourceSet } from '../core/resource-set.ts';
import { whyWithheld } from '../core/time/withheld.ts';
import { setPaths } from '../publish/documents/document-paths.ts';
import { documentStylesheetPath } from '../publish/documents/stylesheet-instruction.ts';
import { countLiving, findLivingStates, type ResourceState } from '../store/history/resource-states.ts';
import type { ExportReport, ExportSettings } from './export.ts';
import { renderPastDocuments } from './past/past-documents.ts';
import { type AbsentSource, type PastSource, type PastSources, readPastSources } from './past/past-moment.ts';
import { renderPastPage } from './past/past-page.ts';
import { exportDocuments, filesOfDocument } from './site/documents.ts';
import type { ExportPhase } from './site/export-phase.ts';
import { removeLeftovers } from './site/leftovers.ts';
import { exportFile, fileOfPage } from './site/pages.ts';
import { placeStates } from './site/placed-states.ts';
import type { SnapshotDocument } from './site/publication-snapshot.ts';
import { exportLivingResources, type ResourceSettings } from './site/resources.ts';
import { type ExportDirectory, inExportDirectory } from './tree/directory.ts';
import { type ExportState, emptyState } from './tree/state.ts';
import { ExportTree } from './tree/tree.ts';

export interface PastExportSettings extends ExportSettings {
  /** The moment that is exported. */
  readonly at: string;
  readonly sets: readonly ResourceSet[];
  readonly clock: Clock;
  /** `mementos.ofDeleted` of a source. */
  ofDeleted(source: string): boolean;
  /** Of the whole, for people. */
  readonly title: string;
}

export interface PastExportReport extends ExportReport {
  readonly at: string;
  /** Resources that are listed and were deleted since, so that nothing of them is handed out. */
  readonly withheld: number;
  /** Sources that are not in it: they had not been read completely by then. */
  readonly absent: readonly AbsentSource[];
}

/**
 * Lays out what there was at a moment: Resource Lists with what leads to them, and the resources as they were then.
 * Nothing is published by that, and whoever publishes meanwhile is not disturbed; a second run finds nothing to do.
 * @throws BridgeError `no-memento` before the first complete pass, `usage` for a moment that is not over; as
 *   `exportPublication`
 */
export async function exportPast(settings: PastExportSettings): Promise<PastExportReport> {
  const { database, target, apart, baseUrl, at, sets, clock, dryRun = false, signal } = settings;
  const names = [...new Set(sets.map(({ source }) => source))];
  const sources = await readPastSources(database, names, at, toIso(clock.now()));
  return inExportDirectory(target, { apart, baseUrl, at, dryRun }, signal, (open) =>
    new PastExport(settings, open, sources).run(),
  );
}

class PastExport {
  readonly #settings: PastExportSettings;
  readonly #directory: ExportDirectory;
  readonly #sources: PastSources;
  readonly #sets: readonly ResourceSet[];
  readonly #tree: ExportTree;
  readonly #before: ExportState;
  readonly #done = new Map<ExportPhase, number>();
  readonly #totals = new Map<ExportPhase, number>();

  constructor(settings: PastExportSettings, directory: ExportDirectory, sources: PastSources) {
    const { baseUrl, at, dryRun = false, sets } = settings;
    const { root, workshop, state } = directory;
    this.#settings = settings;
    this.#directory = directory;
    this.#sources = sources;
    this.#sets = sets.filter(({ source }) => sources.present.some(({ name }) => name === source));
    this.#tree = new ExportTree({ root, workshop, dryRun });
    this.#before = state ?? emptyState(baseUrl, at);
  }

  async run(): Promise<PastExportReport> {
    const started = performance.now();
    const { at } = this.#settings;
    const state = {
      ...emptyState(this.#settings.baseUrl, at),
      sources: Object.fromEntries(
        this.#sources.present.map(({ name, journal, seq }) => [
          name,
          { journal, seq, collections: '', missing: [] },
        ]),
      ),
    };
    await this.#directory.save({ ...state, documents: this.#before.documents });
    const living = this.#sources.present.map(({ name, seq }) =>
      countLiving(this.#settings.database.reader, name, seq),
    );
    this.#totals.set(
      'resources',
      (await Promise.all(living)).reduce((sum, count) => sum + count, 0),
    );
    this.#step('resources', 0);
    let [resources, written, missing, left, withheld] = [0, 0, 0, 0, 0];
    for (const source of this.#sources.present) {
      const done = await exportLivingResources(this.#resourceSettings(source.name), source.seq, (state) =>
        this.#isWithheld(source.name, state),
      );
      withheld += done.withheld;
      resources += done.ours - done.missing.size;
      written += done.written;
      missing += done.missing.size;
      left += done.passedOn;
    }
    const { documents, writtenDocuments } = await this.#writeDocuments();
    const pages = await this.#writePages();
    if (Object.keys(this.#before.sources).length > 0) await this.#removeLeftovers(documents, pages);
    const etags = Object.fromEntries([...documents].map(([path, { etag }]) => [path, etag]));
    await this.#directory.save({ ...state, documents: etags, pages });
    return {
      at,
      documents: documents.size,
      resources,
      ...this.#tree.counts,
      unchanged: Math.max(0, documents.size + resources - written - writtenDocuments),
      missing,
      left,
      withheld,
      absent: this.#sources.absent,
      ms: Math.round(performance.now() - started),
    };
  }

  async #writeDocuments(): Promise<{
    readonly documents: ReadonlyMap<string, SnapshotDocument>;
    readonly writtenDocuments: number;
  }> {
    const { database, baseUrl, at, signal, dryRun = false, full = false } = this.#settings;
    const workshop = dryRun ? await mkdtemp(join(tmpdir(), 'rsbridge-')) : this.#directory.workshop;
    try {
      const seqs = new Map(this.#sources.present.map(({ name, seq }) => [name, seq]));
      const documents = await renderPastDocuments(
        { database, baseUrl, workshop, at, signal },
        this.#sets,
        (source) => seqs.get(source) ?? 0,
      );
      await exportFile(this.#tree, this.#settings.pages, documentStylesheetPath);
      this.#totals.set('documents', documents.size);
      const etags = full || this.#before.baseUrl !== baseUrl ? {} : this.#before.documents;
      const writtenDocuments = await exportDocuments(this.#tree, documents.values(), etags, () =>
        this.#step('documents', 1),
      );
      return { documents, writtenDocuments };
    } finally {
      if (dryRun) await rm(workshop, { recursive: true, force: true });
    }
  }

  /** @returns their files */
  async #writePages(): Promise<readonly string[]> {
    const { baseUrl, at, title } = this.#settings;
    const whole = renderPastPage(baseUrl, at, title, this.#sets);
    const pages = new Map([
      [fileOfPage(''), whole],
      [fileOfPage('about'), whole],
      ...this.#sets.map((set) => {
        return [fileOfPage(setPaths(set).about), renderPastPage(baseUrl, at, set.title, [set])] as const;
      }),
    ]);
    for (const [file, text] of pages) {
      const bytes = Buffer.from(text);
      await this.#tree.put(file, { length: bytes.length, chunks: () => [bytes] });
    }
    return [...pages.keys(), documentStylesheetPath];
  }

  /** What an earlier run wrote when the configuration was another one. */
  async #removeLeftovers(
    documents: ReadonlyMap<string, SnapshotDocument>,
    pages: readonly string[],
  ): Promise<void> {
    const kept = new Set([...[...documents.keys()].flatMap(filesOfDocument), ...pages]);
    await removeLeftovers({
      root: this.#directory.root,
      tree: this.#tree,
      belongs: (file) => kept.has(file),
      isLaidOut: (name) => this.#sources.present.some((one: PastSource) => one.name === name),
      living: async (name, paths) => this.#living(name, paths),
      onItems: (count) => this.#step('removals', count),
    });
  }

  async #living(name: string, paths: readonly string[]): Promise<ReadonlySet<string>> {
    const { database, fileMode } = this.#settings;
    const source = this.#sources.present.find((one: PastSource) => one.name === name);
    if (!source) return new Set();
    const states = await findLivingStates(database.reader, name, source.seq, paths);
    const handedOut = states.filter((state) => !this.#isWithheld(name, state));
    const { ours } = await placeStates(database.reader, fileMode(name), handedOut);
    return new Set(ours.map(({ path }) => path));
  }

  /** The one who serves these files hands out what the bridge would, and no more. */
  #isWithheld(source: string, state: ResourceState): boolean {
    return whyWithheld(state, this.#settings.ofDeleted(source)) !== undefined;
  }

  #resourceSettings(source: string): ResourceSettings {
    const { database, directory, log, signal, fileMode } = this.#settings;
    return {
      ...{ database, directory, tree: this.#tree, source, log, signal, fileMode: fileMode(source) },
      onPage: async (_, count) => this.#step('resources', count),
    };
  }

  #step(phase: ExportPhase, count: number): void {
    const { signal, onProgress } = this.#settings;
    if (signal?.aborted) throw new BridgeError('interrupted', 'the export was stopped as asked');
    const done = (this.#done.get(phase) ?? 0) + count;
    this.#done.set(phase, done);
    onProgress?.({ phase, done, total: this.#totals.get(phase), written: this.#tree.counts.written });
  }
}
