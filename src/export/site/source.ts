import { createHash } from 'node:crypto';
import type { Log } from '../../core/adapter.ts';
import type { FileRules } from '../../core/files/published-files.ts';
import { collectionPath } from '../../core/uris.ts';
import type { Database } from '../../store/engine/database.ts';
import {
  countFilesElsewhere,
  countIdentifiers,
  countLiving,
  findLivingStates,
  listIdentifiers,
  type ResourceState,
} from '../../store/history/resource-states.ts';
import { listCollections } from '../../store/sources/collections.ts';
import type { ExportedSource } from '../tree/state.ts';
import type { ExportTree } from '../tree/tree.ts';
import type { ExportPhase } from './export-phase.ts';
import { exportItemPages, exportPages, fileOfPage, identifiersOf, type PageSource } from './pages.ts';
import { placeStates } from './placed-states.ts';
import {
  type ExportedResources,
  exportAllResources,
  exportChangedResources,
  exportMissingResources,
  type ResourceSettings,
  removeDeletedResources,
} from './resources.ts';

export interface SourceSettings {
  readonly database: Database;
  readonly directory: string;
  readonly tree: ExportTree;
  readonly pages: PageSource;
  readonly log: Log;
  readonly name: string;
  /** Of its files. */
  readonly fileMode: FileRules['mode'] | undefined;
  readonly signal: AbortSignal | undefined;
  /** What the last run exported of it; undefined: nothing that could be relied on. */
  readonly before: ExportedSource | undefined;
  /** So much more was done of a phase; throws to end the export there. */
  readonly step: (phase: ExportPhase, count: number) => void;
}

/** Resources that could not be read are remembered as far as this. */
const rememberedAtMost = 1000;

/** One source's resources, items and collections, brought to where its published Change Lists end. */
export class SourceExport {
  readonly #settings: SourceSettings;
  readonly #missing = new Set<string>();
  #journal: string | undefined;
  #seq = 0;
  /** What was deleted behind this is still there; undefined when everything was compared. */
  #deletedAfter: number | undefined;
  #collections: ReadonlySet<string> = new Set();
  #collectionNames = '';
  #resources = 0;
  #left = 0;
  #written = 0;

  constructor(settings: SourceSettings) {
    this.#settings = settings;
  }

  /** Files that were written. */
  get written(): number {
    return this.#written;
  }

  /** Living ones that have a file. */
  get resources(): number {
    return Math.max(0, this.#resources - this.#left - this.#missing.size);
  }

  /** Files that the bridge passes on, so that they cannot be among the exported ones. */
  get left(): number {
    return this.#left;
  }

  get missing(): number {
    return this.#missing.size;
  }

  /** Every file was looked at, so those that belong no longer have to be looked for. */
  get wasCompared(): boolean {
    return this.#deletedAfter === undefined;
  }

  /** Files of collections' pages. */
  get collectionPages(): readonly string[] {
    return [...this.#collections].map(fileOfPage);
  }

  get state(): ExportedSource {
    return {
      journal: this.#journal ?? '',
      seq: this.#seq,
      collections: this.#collectionNames,
      missing: [...this.#missing].slice(0, rememberedAtMost),
    };
  }

  /** How much `follow` is going to look at, in each phase. */
  async due(journal: string, seq: number): Promise<ReadonlyMap<ExportPhase, number>> {
    const { database, name } = this.#settings;
    const known = this.#known();
    if (isContinued(known, journal, seq)) return new Map([['resources', seq - known.seq]]);
    return new Map<ExportPhase, number>([
      ['resources', await countLiving(database.reader, name, seq)],
      ['changes', seq],
      ['pages', await countIdentifiers(database.reader, name)],
    ]);
  }

  #known(): { readonly journal: string; readonly seq: number } | undefined {
    return this.#journal === undefined ? this.#settings.before : { journal: this.#journal, seq: this.#seq };
  }

  /** Writes what changed up to `seq` since the last call, or since the last run. */
  async follow(journal: string, seq: number): Promise<void> {
    const { before } = this.#settings;
    const isFirst = this.#journal === undefined;
    const known = this.#known();
    const touched = new Set<string>();
    if (!isContinued(known, journal, seq)) {
      await this.#exportAll(seq);
    } else {
      if (isFirst) this.#deletedAfter = known.seq;
      const changed = await exportChangedResources(this.#resourceSettings(), { afterSeq: known.seq, seq });
      for (const path of changed.collections) touched.add(path);
      this.#take(changed);
      if (isFirst && before && before.missing.length > 0) {
        this.#take(await exportMissingResources(this.#resourceSettings(), seq, before.missing));
      }
    }
    this.#journal = journal;
    this.#seq = seq;
    await this.#exportCollections(touched, isFirst);
    await this.#count();
  }

  /** Removes what was deleted, now that the lists say so. */
  async removeDeleted(): Promise<void> {
    if (this.#deletedAfter === undefined) return;
    const { tree, pages, name, step } = this.#settings;
    const range = { afterSeq: this.#deletedAfter, seq: this.#seq };
    await removeDeletedResources(
      {
        ...this.#resourceSettings(),
        // An item whose last resource went has no page any more.
        onPage: async (states, count) => {
          const dead = states.filter(({ alive }) => !alive);
          await exportItemPages(tree, pages, name, identifiersOf(dead));
          step('removals', count);
        },
      },
      range,
    );
  }

  /** Those of the paths that are a living resource which has a file. */
  async living(paths: readonly string[]): Promise<ReadonlySet<string>> {
    const { database, name, fileMode } = this.#settings;
    const states = await findLivingStates(database.reader, name, this.#seq, paths);
    const { ours } = await placeStates(database.reader, fileMode, states);
    return new Set(ours.map(({ path }) => path));
  }

  async #count(): Promise<void> {
    const { database, name, fileMode } = this.#settings;
    const { unkept, linked } = await countFilesElsewhere(database.reader, name);
    this.#left = fileMode === 'mirror' ? 0 : unkept;
    this.#resources = (await countLiving(database.reader, name, this.#seq)) - linked;
  }

  async #exportAll(seq: number): Promise<void> {
    const { database, tree, pages, name, step } = this.#settings;
    this.#deletedAfter = undefined;
    this.#missing.clear();
    const settings = {
      ...this.#resourceSettings(),
      onPage: async (_: readonly ResourceState[], count: number) => step('resources', count),
      onChanges: (count: number) => step('changes', count),
    };
    this.#take(await exportAllResources(settings, seq));
    // By item, because the formats of one item are not beside each other.
    for await (const identifiers of listIdentifiers(database.reader, name)) {
      await exportItemPages(tree, pages, name, new Set(identifiers));
      step('pages', identifiers.length);
    }
  }

  async #exportCollections(touched: ReadonlySet<string>, isFirst: boolean): Promise<void> {
    const { database, tree, pages, name, before } = this.#settings;
    const collections = await listCollections(database.reader, name, Number.MAX_SAFE_INTEGER);
    const names = createHash('sha256').update(JSON.stringify(collections)).digest('base64url');
    const known = this.#collectionNames || (this.wasCompared ? '' : before?.collections);
    const due = new Set(touched);
    this.#collections = new Set(collections.map(({ spec }) => collectionPath(name, spec)));
    for (const path of this.#collections) {
      if (names !== known || (isFirst && !(await tree.exists(fileOfPage(path))))) due.add(path);
    }
    await exportPages(tree, pages, due);
    this.#collectionNames = names;
  }

  #resourceSettings(): ResourceSettings {
    const { database, directory, tree, pages, log, name, fileMode, signal, step } = this.#settings;
    return {
      ...{ database, directory, tree, log, source: name, fileMode, signal },
      onPage: async (states, count) => {
        const living = states.filter(({ alive }) => alive);
        await exportItemPages(tree, pages, name, identifiersOf(living));
        step('resources', count);
      },
    };
  }

  #take({ written, missing }: ExportedResources): void {
    this.#written += written;
    for (const path of missing) this.#missing.add(path);
  }
}

/** A journal that is shorter than it was is another one, whatever it is called. */
function isContinued(
  known: { readonly journal: string; readonly seq: number } | undefined,
  journal: string,
  seq: number,
): known is { readonly journal: string; readonly seq: number } {
  return known?.journal === journal && known.seq <= seq;
}
