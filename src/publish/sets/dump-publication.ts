import { performance } from 'node:perf_hooks';
import { countOf } from '../../core/count-of.ts';
import { addSeconds } from '../../core/datetime.ts';
import { lastOfGone } from '../../store/joint/moved-sources.ts';
import {
  type ChangeEntry,
  findUnkept,
  lastUnkeptChange,
  listChanges,
  listResources,
} from '../../store/reading/listing.ts';
import { lastSeqBefore, readJournal, readJournals } from '../../store/sources/journal.ts';
import type { ChangeDumpState, Documents, Snapshot, StoredDocument } from '../disk/pointer.ts';
import { publicationError } from '../disk/publication-error.ts';
import { watched } from '../disk/watched.ts';
import { drawLine } from '../documents/snapshot-line.ts';
import { renderChangeDump, writeChangePackage } from '../dump/change-dump.ts';
import { packableChanges } from '../dump/packable-changes.ts';
import { packagesOf, type Replacements, withReplaced } from '../dump/replaced-packages.ts';
import { writeDumpList, writeResourceDump } from '../dump/resource-dump.ts';
import { checkOf } from '../published/package-check.ts';
import { SetPart, type SetSettings } from './set-part.ts';

export interface DumpSettings extends SetSettings {
  /** Where large contents are kept. */
  readonly dataDirectory: string;
}

/** One set's dumps. A dump that fails leaves those before it as they are. */
export class DumpPublication extends SetPart<DumpSettings> {
  /** Perhaps not listed now: what of it may not be handed out any more is being taken out. */
  get hasResourceDump(): boolean {
    return (this.draft.state.dumps ?? []).length > 0;
  }

  /** Wanted, and every resource of the set can be in it: the capabilities of a set apply uniformly (RS-CAP-11). */
  async isPossible(): Promise<boolean> {
    if (!this.set.dumps) return false;
    return (await findUnkept(this.settings.database.reader, this.set)) === undefined;
  }

  /** What kept the dumps from following is told wherever people look, until it no longer does. */
  remember(failure: unknown, signal: AbortSignal | undefined): void {
    const known = this.draft.state.trouble;
    if (failure === undefined) {
      if (known) this.draft.edit({ trouble: undefined });
      return;
    }
    const { code, message } = publicationError(failure, `the dumps of ${this.set.path}`, signal);
    if (code === 'interrupted' || code === 'publication-busy' || known?.message === message) return;
    this.draft.edit({ trouble: { code, message, at: this.draft.now() } });
  }

  withdraw(): void {
    this.draft.remove([this.paths.resourceDump, ...this.#dumpLists()]);
    const { dumps, changeDump, trouble } = this.draft.state;
    if (dumps || changeDump || trouble) {
      const nothing = { packageCheck: undefined, formerPackages: undefined };
      this.draft.edit({ dumps: undefined, changeDump: undefined, trouble: undefined, ...nothing });
    }
  }

  /**
   * Writes a Resource Dump of now; it is published with the next switch.
   * @param meanwhile called between pages
   */
  async renderResourceDump(meanwhile: () => Promise<void>): Promise<void> {
    const { database, signal, policy } = this.settings;
    const started = performance.now();
    const before = this.draft.state.dumps ?? [];
    const at = await drawLine(this.settings, this.set, before[0]);
    const isFirst = !this.#hasPackages;
    const { seq, dump } = await database.snapshot(async (trx) => {
      try {
        const journal = await readJournal(trx, this.set.source);
        const count = this.counter('resourceDump', await this.countForWatcher(trx));
        const pages = watched(listResources(trx, this.set, undefined, true), signal, meanwhile, count);
        const seq = journal?.seq ?? 0;
        const journals = this.set.members ? await readJournals(trx) : undefined;
        return {
          seq,
          dump: await writeResourceDump(pages, { ...this.#place(), db: trx, at, seq, journals }),
        };
      } catch (error) {
        throw publicationError(error, `the Resource Dump of ${this.set.path}`, signal);
      }
    });
    const catalog = await this.draft.writeCatalog('resourcedump', dump.parts);
    const { completed } = dump.document;
    const dumps = [{ at, seq, catalog, completed }, ...(this.draft.state.dumps ?? [])];
    this.draft.edit({ dumps: dumps.slice(0, policy.retention.resourceDumps) });
    this.#isCheckedUpTo(seq, isFirst);
    this.draft.put({ [this.paths.resourceDump]: dump.document });
    this.draft.report({ [this.paths.resourceDump]: dump.document, ...dump.parts }, started);
  }

  /**
   * A package for every Change List that has closed since the last one, each with the bytes that its changes
   * made.
   * @param done called after each: what is finished can be published
   */
  async packageChanges(meanwhile: () => Promise<void>, done: () => Promise<void>): Promise<void> {
    const { changes, changeDump } = this.draft.state;
    const lists = await this.draft.catalog(changes?.closed);
    const paths = Object.keys(lists);
    const isCut = changeDump?.last !== undefined && (await this.#isCutBehind(changeDump.seq));
    const followed = changeDump?.last === undefined || isCut ? -1 : paths.indexOf(changeDump.last);
    // Where the last packaged list has been let go of, those behind it may have gone unpackaged: then the dump
    // begins anew with the first that is there, as it does where there was none.
    const next = followed === -1 ? await this.#firstComplete(lists) : followed + 1;
    let state =
      changeDump && followed !== -1
        ? changeDump
        : {
            catalog: isCut ? undefined : changeDump?.catalog,
            seq: await this.#seqBefore(lists[paths[next] ?? '']),
          };
    if (isCut) await this.#keep(state, {});
    const known = await this.draft.catalog(state.catalog);
    let packages = this.#unexpired(known, changes?.first);
    if (Object.keys(packages).length < Object.keys(known).length) await this.#keep(state, packages);
    for (const path of next === -1 ? [] : paths.slice(next)) {
      const list = lists[path];
      if (!list) continue;
      const started = performance.now();
      const written = await this.#package(path, list, state.seq, meanwhile);
      packages = this.#unexpired({ ...packages, ...written.documents }, changes?.first);
      state = { ...state, seq: written.seq, last: path };
      await this.#keep(state, packages);
      this.draft.report(written.documents, started);
      await done();
    }
  }

  async #keep(state: ChangeDumpState, packages: Documents): Promise<void> {
    const { baseUrl, limits } = this.settings;
    const catalog = await this.draft.writeCatalog('changedump', packages);
    this.draft.edit({ changeDump: { ...state, catalog } });
    const paths = this.#dumpLists();
    const [first] = Object.values(packages);
    if (!first) {
      this.draft.remove(paths);
      return;
    }
    const { text, parts } = renderChangeDump(baseUrl, this.set, packages, limits);
    for (const part of parts) {
      await this.draft.keep(part.path, part.text, 'changedump', part.entries, part.times);
    }
    const count = Object.keys(packages).filter((path) => path.endsWith('.zip')).length;
    const times = { from: first.from };
    await this.draft.keep(this.paths.changeDump, text, 'changedump', count, times);
    const current = [this.paths.changeDump, ...parts.map(({ path }) => path)];
    this.draft.remove(paths.filter((path) => !current.includes(path)));
  }

  /** `changedump.xml`, and its parts where one document is not enough. */
  #dumpLists(): readonly string[] {
    return Object.keys(this.draft.state.documents).filter(
      (path) => path === this.paths.changeDump || path.startsWith(`${this.set.path}/changedump/`),
    );
  }

  async #package(
    path: string,
    list: StoredDocument,
    afterSeq: number,
    meanwhile: () => Promise<void>,
  ): Promise<{ readonly documents: Documents; readonly seq: number }> {
    const { database, signal } = this.settings;
    const reading = { seq: afterSeq };
    const pages = watched(
      listChanges(database.reader, this.set, { afterSeq, withFate: true }, 500),
      signal,
      meanwhile,
      this.counter('changeDump', list.entries),
    );
    const journal = await readJournal(database.reader, this.set.source);
    const isFirst = !this.#hasPackages;
    try {
      const first = firstChanges(pages, list.entries, reading);
      const changes = packableChanges(database.reader, this.set, first);
      const documents = await writeChangePackage(changes, {
        ...this.#place(),
        db: database.reader,
        path: this.paths.changePackage(path),
        from: list.from ?? '',
        until: list.until ?? '',
        holds: () => ({ afterSeq, seq: reading.seq }),
      });
      this.#isCheckedUpTo(journal?.seq ?? 0, isFirst);
      return { documents, seq: reading.seq };
    } catch (error) {
      throw publicationError(error, `the Change Dump of ${this.set.path}`, signal);
    }
  }

  /** Packages go when their time is over, or when the lists they follow have gone. */
  #unexpired(packages: Documents, first = ''): Documents {
    const days = this.settings.policy.retention.changeDumpDays;
    const newest = Object.values(packages).at(-1)?.until;
    const oldest = days === false || newest === undefined ? '' : addSeconds(newest, -days * 86_400);
    const kept = Object.entries(packages).filter(
      ([, { from = '', until = '' }]) => until >= oldest && from >= first,
    );
    return Object.fromEntries(kept);
  }

  /** Of a set across sources: whether the rows of a source have gone before all of it was in a package. */
  async #isCutBehind(seq: number): Promise<boolean> {
    const { reader } = this.settings.database;
    const journal = this.set.members ? await readJournal(reader, this.set.source) : undefined;
    return journal !== undefined && (await lastOfGone(reader, -journal.sourceId, seq)) > 0;
  }

  /**
   * The place of the list with which a dump can begin, -1 for none. Files that were passed on or only linked to at
   * first, and are kept by now, have no bytes of that time.
   */
  async #firstComplete(lists: Documents): Promise<number> {
    const unkept = await lastUnkeptChange(this.settings.database.reader, this.set);
    for (const [place, [path, list]] of Object.entries(lists).entries()) {
      if (!this.paths.isFirstOfItsMoment(path)) continue;
      if (unkept === 0 || (await this.#seqBefore(list)) >= unkept) return place;
    }
    return -1;
  }

  async #seqBefore(list: StoredDocument | undefined): Promise<number> {
    const { reader } = this.settings.database;
    const journal = await readJournal(reader, this.set.source);
    if (!journal || list?.from === undefined) return 0;
    const seq = await lastSeqBefore(reader, journal.sourceId, journal.seq, list.from);
    return Math.max(seq, this.draft.state.beganAfter ?? 0);
  }

  /** What lists packages that cannot be had for now goes for now. */
  unlist(): void {
    this.draft.remove([this.paths.resourceDump, ...this.#dumpLists()]);
  }

  /**
   * Puts other packages in the place of some.
   * @param replaced by the paths of packages: what comes instead, with its manifest; nothing, where nothing was left
   */
  async replace(replaced: Replacements): Promise<void> {
    const { dumps = [], changeDump } = this.draft.state;
    if (changeDump?.catalog) {
      const known = await this.draft.catalog(changeDump.catalog);
      const packages = withReplaced(known, replaced);
      if (packages !== known || !this.draft.has(this.paths.changeDump))
        await this.#keep(changeDump, packages);
    }
    const [current, ...older] = dumps;
    if (!current || (replaced.size === 0 && this.draft.has(this.paths.resourceDump))) return;
    const next = [await this.#replaceInCurrent(current, replaced)];
    // Nobody is led to the packages of an older dump any more: there they just go.
    const gone = new Map([...replaced.keys()].map((path) => [path, {}]));
    for (const dump of older) {
      const known = await this.draft.catalog(dump.catalog);
      const left = withReplaced(known, gone);
      const catalog = left === known ? dump.catalog : await this.draft.writeCatalog('resourcedump', left);
      next.push({ ...dump, catalog });
    }
    this.draft.edit({ dumps: next });
  }

  async #replaceInCurrent(dump: Snapshot, replaced: Replacements): Promise<Snapshot> {
    const known = await this.draft.catalog(dump.catalog);
    const parts = withReplaced(known, replaced);
    if (parts === known && this.draft.has(this.paths.resourceDump)) return dump;
    const { at, completed = at } = dump;
    const list = await writeDumpList(
      packagesOf(parts),
      { ...this.settings, directory: this.directory.path, set: this.set },
      { at, completed },
      this.draft.now(),
    );
    this.draft.put({ [this.paths.resourceDump]: list.document });
    return { ...dump, catalog: await this.draft.writeCatalog('resourcedump', list.parts) };
  }

  /** What was deleted behind this sequence may be in a package that was written just now. */
  #isCheckedUpTo(seq: number, isFirst: boolean): void {
    const { packageCheck: before } = this.draft.state;
    if (before ? before.seq <= seq : !isFirst) return;
    this.draft.edit({ packageCheck: { ...(before ?? checkOf(this.set, seq)), seq } });
  }

  get #hasPackages(): boolean {
    const { dumps = [], changeDump, archive } = this.draft.state;
    return dumps.length > 0 || changeDump?.catalog !== undefined || archive?.catalog !== undefined;
  }

  #place() {
    const { baseUrl, clock, limits, policy, signal, dataDirectory } = this.settings;
    const { packageBytes } = policy;
    const directory = this.directory.path;
    return { directory, dataDirectory, baseUrl, set: this.set, clock, limits, packageBytes, signal };
  }
}

/** The first `count` changes; `reading.seq` becomes the sequence of the last of them. */
async function* firstChanges(
  pages: AsyncIterable<readonly ChangeEntry[]>,
  count: number,
  reading: { seq: number },
): AsyncGenerator<readonly ChangeEntry[]> {
  let left = count;
  for await (const page of pages) {
    const taken = page.slice(0, left);
    reading.seq = taken.at(-1)?.seq ?? reading.seq;
    left -= taken.length;
    yield taken;
    if (left === 0) return;
  }
  if (left > 0)
    throw new Error(`the journal has ${countOf(left, 'change')} less than a closed Change List of it`);
}
