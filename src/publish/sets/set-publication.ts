import { performance } from 'node:perf_hooks';
import { addSeconds } from '../../core/datetime.ts';
import { channelKinds, channelOf } from '../../core/push/channels.ts';
import { sitemapLimits } from '../../core/sitemap.ts';
import { listStored } from '../../store/reading/listing.ts';
import {
  firstPassAt,
  type JournalState,
  lastSeqBefore,
  momentOf,
  readJournal,
} from '../../store/sources/journal.ts';
import { publishChanges } from '../changes/change-publication.ts';
import type { Documents, StoredDocument } from '../disk/pointer.ts';
import { publicationError } from '../disk/publication-error.ts';
import { watched } from '../disk/watched.ts';
import { type Capability, renderCapabilityList } from '../documents/capability-list.ts';
import { renderListIndex } from '../documents/list-index.ts';
import { writeResourceList } from '../documents/resource-list.ts';
import { drawLine } from '../documents/snapshot-line.ts';
import { renderSourceDescription } from '../documents/source-description.ts';
import { archivedCapabilities } from './archive-publication.ts';
import { SetPart } from './set-part.ts';

/** One set's lists, and the documents that lead to them: what is published, moved on step by step. */
export class SetPublication extends SetPart {
  /** A list was opened, closed or removed. */
  #indexIsStale = false;

  get hasResourceList(): boolean {
    return this.draft.has(this.paths.resourceList);
  }

  /**
   * Forgets the past: the set is another one than it was, so what happened to the old one says nothing of it.
   * Its Change Lists begin here.
   */
  async beginAnew(): Promise<void> {
    const at = await drawLine(this.settings, this.set, undefined);
    const journal = await readJournal(this.settings.database.reader, this.set.source);
    this.#beginAt(journal?.seq ?? 0, at);
  }

  /** The same with the first change after a moment, where there is one: until there is, there is no Change List. */
  async beginAfter(moment: string): Promise<void> {
    const { reader } = this.settings.database;
    // Before the journal is read: whatever is stored meanwhile is behind one or the other.
    const drawn = await drawLine(this.settings, this.set, undefined);
    const journal = await readJournal(reader, this.set.source);
    const { sourceId, seq: last } = journal ?? { sourceId: 0, seq: 0 };
    const seq = journal ? await lastSeqBefore(reader, sourceId, last, addSeconds(moment, 1)) : last;
    const first = seq < last ? await momentOf(reader, sourceId, seq + 1) : undefined;
    if (first === undefined) this.#beginAt(last, drawn);
    else this.#beginAt(seq, first);
  }

  /** A set across sources has its Change Lists from here on: what was before is in those of the sources. */
  async beginWith(journal: JournalState): Promise<void> {
    const at = await firstPassAt(this.settings.database.reader, journal);
    if (at !== undefined) this.#beginAt(journal.firstPassSeq ?? 0, at);
  }

  #beginAt(seq: number, at: string): void {
    this.draft.edit({
      beganAfter: seq,
      changes: {
        seq,
        partition: { closedAt: at, ordinal: 0 },
        first: at,
        marks: { entries: 0, bytes: 0, marks: [] },
      },
    });
  }

  /**
   * Writes a Resource List of now; it is published with the next switch.
   * @param meanwhile called between pages
   */
  async renderResourceList(
    meanwhile: () => Promise<void>,
  ): Promise<{ readonly entries: number; readonly ms: number; readonly seq: number }> {
    const { database, signal, policy } = this.settings;
    const started = performance.now();
    const at = await drawLine(this.settings, this.set, this.draft.state.snapshots[0]);
    const { seq, list } = await database.snapshot(async (trx) => {
      try {
        const journal = await readJournal(trx, this.set.source);
        const count = this.counter('resourceList', await this.countForWatcher(trx));
        const pages = watched(listStored(trx, this.set), signal, meanwhile, count);
        const place = { directory: this.directory.path, set: this.set, at };
        return {
          seq: journal?.seq ?? 0,
          list: await writeResourceList(pages, { ...this.settings, ...place }),
        };
      } catch (error) {
        throw publicationError(error, this.set.path, signal);
      }
    });
    const catalog = await this.draft.writeCatalog('resourcelist', list.parts);
    const snapshots = [{ at, seq, catalog }, ...this.draft.state.snapshots];
    this.draft.edit({ snapshots: snapshots.slice(0, policy.retention.resourceLists) });
    this.draft.put({ [this.paths.resourceList]: list.document });
    this.draft.report({ [this.paths.resourceList]: list.document, ...list.parts }, started);
    return { entries: list.document.entries, ms: Math.round(performance.now() - started), seq };
  }

  /**
   * Brings the Change Lists up to the journal.
   * @param close the open one too, whatever the time
   */
  async followJournal(flat: boolean, close = false): Promise<void> {
    const started = performance.now();
    const before = this.draft.state.changes;
    const { policy } = this.settings;
    const written = await publishChanges(
      {
        ...this.settings,
        changeListDays: policy.changeListDays,
        slotMinutes: policy.changeListMinutes,
        directory: this.directory.path,
        set: this.set,
        now: this.draft.now(),
        close,
      },
      before,
      flat,
    );
    if (!written) return;
    const { state, open, newlyClosed, flat: flatList } = written;
    let { closed, closedCount } = before ?? {};
    if (Object.keys(newlyClosed).length > 0) {
      const all = { ...(await this.draft.catalog(closed)), ...newlyClosed };
      closed = await this.draft.writeCatalog('changelists', all);
      closedCount = Object.keys(all).length;
    }
    const openBefore = this.#openPath();
    if (open?.path !== openBefore || Object.keys(newlyClosed).length > 0) this.#indexIsStale = true;
    if (openBefore !== undefined && openBefore !== open?.path) this.draft.remove([openBefore]);
    const current: Documents = {
      ...(open ? { [open.path]: open.document } : {}),
      ...(flatList ? { [this.paths.flatChangeList]: flatList } : {}),
    };
    this.draft.edit({ changes: { ...state, closed, closedCount } });
    this.draft.put(current);
    this.draft.report({ ...newlyClosed, ...current }, started);
  }

  /** Lets go of the closed Change Lists that have had their time; `from` of the index moves on with them. */
  async retire(): Promise<void> {
    const { changes } = this.draft.state;
    const { retention } = this.settings.policy;
    if (changes?.closed === undefined) return;
    const journal = await readJournal(this.settings.database.reader, this.set.source);
    const days = retention.changeListDays;
    // By the journal's time: a clock that is wrong for a moment must not cost a year of lists.
    const oldest = days === false || !journal ? '' : addSeconds(journal.at, -days * 86_400);
    // One place in the index is for the open list.
    const room = sitemapLimits.entries - 1;
    if (changes.first >= oldest && (changes.closedCount ?? 0) <= room) return;
    const closed = Object.entries(await this.draft.catalog(changes.closed));
    const kept = closed.slice(-room).filter(([, { until = '' }]) => until >= oldest);
    // An index of nothing is no index: the newest stays until there is another.
    const newest = closed.at(-1);
    if (newest && kept.length === 0 && this.#openPath() === undefined) kept.push(newest);
    if (kept.length === closed.length) return;
    const { partition } = changes;
    const first = kept[0]?.[1].from ?? partition.open?.from ?? partition.closedAt ?? changes.first;
    const catalog = await this.draft.writeCatalog('changelists', Object.fromEntries(kept));
    this.draft.edit({ changes: { ...changes, first, closed: catalog, closedCount: kept.length } });
    this.#indexIsStale = true;
  }

  /** Publishes what has been rendered, with the documents that lead to it. */
  async switch(): Promise<void> {
    await this.#renderChangeListIndex();
    await this.#renderSmallDocuments();
    await this.draft.switch();
  }

  async #renderChangeListIndex(): Promise<void> {
    const { changes, documents } = this.draft.state;
    if (!changes || !this.#indexIsStale) return;
    this.#indexIsStale = false;
    const open = this.#openPath();
    const closed = await this.draft.catalog(changes.closed);
    const lists: readonly [string, StoredDocument | undefined][] = [
      ...Object.entries(closed),
      ...(open === undefined ? [] : [[open, documents[open]] as [string, StoredDocument | undefined]]),
    ];
    const members = lists.map(([path, document]) => ({
      path,
      from: document?.from,
      until: document?.until,
    }));
    const text = renderListIndex(this.settings.baseUrl, {
      capability: 'changelist',
      up: this.paths.capabilityList,
      times: { from: changes.first },
      members,
    });
    const times = { from: changes.first };
    await this.draft.keep(this.paths.changeListIndex, text, 'changelist', members.length, times);
  }

  async #renderSmallDocuments(): Promise<void> {
    const { baseUrl } = this.settings;
    const { changeListIndex, resourceList, resourceDump, changeDump } = this.paths;
    const lists: readonly Capability[] = [
      { capability: 'resourcelist', path: resourceList },
      { capability: 'changelist', path: changeListIndex },
    ];
    const dumps: readonly Capability[] = [
      { capability: 'resourcedump', path: resourceDump },
      { capability: 'changedump', path: changeDump },
    ];
    const description = renderSourceDescription(baseUrl, [this.set], this.paths.about);
    await this.draft.keep(this.paths.description, description, 'description', 1);
    const leading = renderSourceDescription(baseUrl, [this.set], this.paths.about, 'listsOnly');
    await this.draft.keep(this.paths.listsOnlyDescription, leading, 'description', 1);
    const archives = archivedCapabilities.map((capability) => ({
      capability: `${capability}-archive`,
      path: this.paths.archive(capability),
    }));
    const hubs = this.settings.policy.hubsOf(this.set);
    const channels = channelKinds.map((kind) => {
      const { path } = channelOf(this.set.path, kind);
      return { capability: kind, path, hubs };
    });
    const all = this.#existing([...lists, ...dumps, ...archives]);
    await this.#keepCapabilityList(this.paths.capabilityList, hubs.length > 0 ? [...all, ...channels] : all);
    // Some clients refuse a set altogether for mentioning a dump; this one will not.
    await this.#keepCapabilityList(
      this.paths.listsOnly,
      this.#existing(lists),
      this.paths.listsOnlyDescription,
    );
  }

  #existing(possible: readonly Capability[]): readonly Capability[] {
    return possible.filter((capability) => this.draft.has(capability.path));
  }

  async #keepCapabilityList(path: string, capabilities: readonly Capability[], up?: string): Promise<void> {
    const text = renderCapabilityList(this.settings.baseUrl, this.set, capabilities, up);
    await this.draft.keep(path, text, 'capabilitylist', capabilities.length);
  }

  #openPath(): string | undefined {
    const dated = `${this.set.path}/changelist/`;
    return Object.keys(this.draft.state.documents).find((path) => path.startsWith(dated));
  }
}
