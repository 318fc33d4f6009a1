import { addSeconds, utcDay } from '../../core/datetime.ts';
import { sourcesOf } from '../../core/resource-set.ts';
import { toUri } from '../../core/uris.ts';
import { lastWithdrawalAt } from '../../store/removal/withdrawals.ts';
import type { ArchiveState, Documents, StoredDocument } from '../disk/pointer.ts';
import { writeDocument } from '../disk/stored-document.ts';
import { renderSmallDocument } from '../documents/small-document.ts';
import { renderChangeDump } from '../dump/change-dump.ts';
import { packagesOf, type Replacements, withReplaced } from '../dump/replaced-packages.ts';
import { writeDumpList } from '../dump/resource-dump.ts';
import { archivedListAt } from '../published/archived-lists.ts';
import { SetPart } from './set-part.ts';

export const archivedCapabilities = ['resourcelist', 'changelist', 'resourcedump', 'changedump'] as const;
export type ArchivedCapability = (typeof archivedCapabilities)[number];

/**
 * What was published before, kept and listed (ResourceSync Archives, AR-01…17): every closed Change List and
 * Change Dump package, every Resource Dump, and the first Resource List of each day. The files are those that
 * were published; the archive only keeps them from being removed.
 */
export class ArchivePublication extends SetPart {
  /** Takes in what is published now; before anything of it is let go of. */
  async follow(): Promise<void> {
    if (!this.settings.policy.archives) {
      this.#withdraw();
      return;
    }
    const before = this.draft.state.archive;
    const now = await this.#newest();
    const stale = Object.entries(now).some(([mark, value]) => value !== before?.[mark as keyof typeof now]);
    if (!stale) return;
    const known = await this.draft.catalog(before?.catalog);
    const all = this.#unexpired({ ...known, ...(await this.#arrivals(known, now.withdrawn)) });
    const kept = withoutLists(all, now.withdrawn);
    this.draft.edit({ archive: { ...now, catalog: await this.draft.writeCatalog('archive', kept) } });
    for (const capability of archivedCapabilities) await this.#renderArchive(capability, kept);
  }

  /** Puts other packages in the place of some, in what lists them as well. */
  async replace(replaced: Replacements): Promise<void> {
    const { archive } = this.draft.state;
    const known = await this.draft.catalog(archive?.catalog);
    const packages = withReplaced(known, replaced);
    if (!archive || packages === known) return;
    const kept: Record<string, StoredDocument> = { ...packages };
    const dumps = new Set<string>();
    for (const [path, instead] of replaced) {
      const former = known[path];
      if (former?.capability === 'resourcedump' && former.at !== undefined) dumps.add(former.at);
      if (former?.capability !== 'changedump') continue;
      delete kept[this.paths.changeDumpOf(path) ?? ''];
      for (const [next, part] of Object.entries(instead)) {
        const dated = this.paths.changeDumpOf(next);
        if (dated !== undefined) kept[dated] = await this.#writeChangeDump(next, part, instead);
      }
    }
    for (const at of dumps) await this.#relist(at, kept);
    this.draft.edit({ archive: { ...archive, catalog: await this.draft.writeCatalog('archive', kept) } });
    for (const capability of archivedCapabilities) await this.#renderArchive(capability, kept);
  }

  /** Writes what lists the packages of an archived Resource Dump. */
  async #relist(at: string, kept: Record<string, StoredDocument>): Promise<void> {
    const index = this.paths.resourceDumpAt(at);
    const directory = index.slice(0, index.lastIndexOf('/') + 1);
    const own = Object.fromEntries(Object.entries(kept).filter(([path]) => path.startsWith(directory)));
    const completed = own[index]?.completed ?? at;
    for (const path of Object.keys(own)) delete kept[path];
    const place = { ...this.settings, directory: this.directory.path, set: this.set };
    const list = await writeDumpList(packagesOf(own), place, { at, completed }, this.draft.now());
    Object.assign(kept, list.parts, { [index]: list.document });
  }

  /** By which it is known whether there is anything new. */
  async #newest(): Promise<Omit<ArchiveState, 'catalog'>> {
    const { snapshots, dumps = [], changes, changeDump, archive } = this.draft.state;
    const list = snapshots[0]?.at;
    const withdrawn = await lastWithdrawalAt(this.settings.database.reader, sourcesOf(this.set));
    return {
      list: this.#isDayKept(list, withdrawn) ? archive?.list : list,
      changes: changes?.closed,
      dump: dumps[0]?.at,
      packages: changeDump?.catalog,
      withdrawn,
    };
  }

  /** Whether there is a list of its day. */
  #isDayKept(at: string | undefined, withdrawn: string | undefined): boolean {
    const kept = this.draft.state.archive?.list;
    return (
      at !== undefined &&
      kept !== undefined &&
      utcDay(at) === utcDay(kept) &&
      (withdrawn === undefined || kept > withdrawn)
    );
  }

  async #arrivals(known: Documents, withdrawn: string | undefined): Promise<Documents> {
    const { snapshots, dumps = [], changes, changeDump, documents } = this.draft.state;
    const arrivals: Record<string, StoredDocument> = { ...(await this.draft.catalog(changes?.closed)) };
    const snapshot = async (at: string, path: string, dated: string, catalog: string | undefined) => {
      const document = documents[path];
      if (document?.at !== at) return;
      Object.assign(
        arrivals,
        { [dated]: { ...document, immutable: true } },
        await this.draft.catalog(catalog),
      );
    };
    const [list] = snapshots;
    if (list && !this.#isDayKept(list.at, withdrawn)) {
      await snapshot(list.at, this.paths.resourceList, this.paths.resourceListAt(list.at), list.catalog);
    }
    const [dump] = dumps;
    if (dump) {
      await snapshot(dump.at, this.paths.resourceDump, this.paths.resourceDumpAt(dump.at), dump.catalog);
    }
    for (const [path, part] of Object.entries(await this.draft.catalog(changeDump?.catalog))) {
      arrivals[path] = part;
      const dated = this.paths.changeDumpOf(path);
      if (dated === undefined || known[dated]) continue;
      arrivals[dated] = await this.#writeChangeDump(path, part, arrivals);
    }
    return arrivals;
  }

  /** A closed Change Dump of one package. */
  async #writeChangeDump(path: string, part: StoredDocument, manifests: Documents): Promise<StoredDocument> {
    const { baseUrl, limits } = this.settings;
    const manifest = path.replace(/\.zip$/, '-manifest.xml');
    const both = { [path]: part, ...(manifests[manifest] ? { [manifest]: manifests[manifest] } : {}) };
    const { text } = renderChangeDump(baseUrl, this.set, both, limits, part.until);
    const { from, until } = part;
    const facts = { capability: 'changedump', entries: 1, lastModified: this.draft.now(), from, until };
    return writeDocument(this.directory.path, 'changedump', { ...facts, immutable: true }, text);
  }

  #unexpired(documents: Documents): Documents {
    const days = this.settings.policy.retention.archiveDays;
    if (days === false) return documents;
    const oldest = addSeconds(this.draft.now(), -days * 86_400);
    const kept = Object.entries(documents).filter(([, { at, until }]) => (until ?? at ?? '') >= oldest);
    return Object.fromEntries(kept);
  }

  async #renderArchive(capability: ArchivedCapability, documents: Documents): Promise<void> {
    const path = this.paths.archive(capability);
    const members = Object.entries(documents)
      .filter(([candidate]) => this.paths.isArchived(capability, candidate))
      // AR-09.
      .sort(([, a], [, b]) => ((a.at ?? a.from ?? '') < (b.at ?? b.from ?? '') ? -1 : 1));
    if (members.length === 0) {
      this.draft.remove([path]);
      return;
    }
    const { entries } = this.settings.limits;
    if (members.length <= entries) {
      await this.#keep(path, this.#render(capability, 'urlset', members), capability, members.length);
      return;
    }
    const parts: [string, StoredDocument | undefined][] = [];
    for (let start = 0; start < members.length; start += entries) {
      const part = this.paths.archivePart(capability, parts.length + 1);
      const some = members.slice(start, start + entries);
      await this.#keep(part, this.#render(capability, 'urlset', some, path), capability, some.length);
      parts.push([part, undefined]);
    }
    await this.#keep(path, this.#render(capability, 'sitemapindex', parts), capability, parts.length);
  }

  #render(
    capability: ArchivedCapability,
    root: 'urlset' | 'sitemapindex',
    members: readonly (readonly [string, StoredDocument | undefined])[],
    index?: string,
  ): string {
    const { baseUrl } = this.settings;
    return renderSmallDocument({
      baseUrl,
      root,
      links: [
        { rel: 'up', href: toUri(baseUrl, this.paths.capabilityList) },
        ...(index === undefined ? [] : [{ rel: 'index', href: toUri(baseUrl, index) }]),
      ],
      md: { capability: `${capability}-archive` },
      entries: members.map(([path, document]) => ({
        loc: toUri(baseUrl, path),
        md: {
          at: document?.at,
          completed: document?.completed,
          from: document?.from,
          until: document?.until,
        },
      })),
    });
  }

  #keep(path: string, text: string, capability: ArchivedCapability, entries: number): Promise<void> {
    return this.draft.keep(path, text, `${capability}-archive`, entries);
  }

  #withdraw(): void {
    if (!this.draft.state.archive) return;
    const archives = archivedCapabilities.map((capability) => this.paths.archive(capability));
    const parts = Object.keys(this.draft.state.documents).filter((path) =>
      archives.some((archive) => path.startsWith(`${archive.replace(/\.xml$/, '')}/`)),
    );
    this.draft.remove([...archives, ...parts]);
    this.draft.edit({ archive: undefined });
  }
}

/** They would go on naming what was withdrawn; lists in time (Memento) tell of the same moments without it. */
function withoutLists(documents: Documents, withdrawn: string | undefined): Documents {
  if (withdrawn === undefined) return documents;
  const isOpen = (path: string) => {
    const at = archivedListAt(path, { snapshots: [] });
    return at === undefined || at > withdrawn;
  };
  return Object.fromEntries(Object.entries(documents).filter(([path]) => isOpen(path)));
}
