import {
  findFormerIn,
  findWithheldIn,
  isWithheldSince,
  packsWithheld,
} from '../../store/reading/withheld-in-set.ts';
import { readJournal } from '../../store/sources/journal.ts';
import type { Documents, StoredDocument } from '../disk/pointer.ts';
import { makingOf, manifestPath, nextMaking } from '../dump/dump-paths.ts';
import { copyPackage } from '../dump/package-copy.ts';
import { storeManifest, storePackage } from '../dump/package-writer.ts';
import { packagePathsOf } from '../dump/replaced-packages.ts';
import { checkedUpTo, checkOf, isStricter as isStricterThan } from '../published/package-check.ts';
import type { ArchivePublication } from './archive-publication.ts';
import type { DumpPublication } from './dump-publication.ts';
import { SetPart } from './set-part.ts';

/** What the publication of a set is made of, as far as it has packages. */
export interface PackageHolders {
  readonly dumps: DumpPublication;
  readonly archives: ArchivePublication;
}

export interface ExpulsionOptions {
  /** Else packages are taken off the lists, and built when there is time. */
  readonly mayBuild: boolean;
  /** Called between pages. */
  readonly meanwhile: () => Promise<void>;
}

/** `waits`: packages are to be built again, and nothing lists them until they are. */
export type Expulsion = 'nothing' | 'built' | 'waits';

/**
 * Takes out of the packages of a set what may not be handed out any more: those that hold it are built again without
 * it, and get other addresses. The server refuses them already, by the same question to the database; it goes on doing
 * so until `packageCheck` says that they are clean, whatever ends this process before.
 */
export class PackageExpulsion extends SetPart {
  /** @throws what keeps a package from being built */
  async run({ dumps, archives }: PackageHolders, options: ExpulsionOptions): Promise<Expulsion> {
    const { reader } = this.settings.database;
    const catalogs = await this.#catalogs();
    const journal = catalogs.length > 0 ? await readJournal(reader, this.set.source) : undefined;
    if (!journal) return 'nothing';
    const { packageCheck } = this.draft.state;
    const isStricter = packageCheck !== undefined && isStricterThan(packageCheck, this.set);
    const since = checkedUpTo(packageCheck, this.set);
    const isDue = since < journal.seq && (await isWithheldSince(reader, this.set, since));
    const suspects = isDue ? await this.#suspects(catalogs, since) : new Map<string, Documents>();
    if (suspects.size > 0 && !options.mayBuild) {
      dumps.unlist();
      return 'waits';
    }
    const replaced = await this.#rebuild(suspects, options.meanwhile);
    await archives.replace(replaced);
    await dumps.replace(replaced);
    if (replaced.size > 0) this.#remember([...replaced.keys()]);
    const check = checkOf(this.set, journal.seq);
    // That nothing was found is worth remembering, but not worth a switch of its own each time.
    const isWorthwhile = this.draft.hasChanged || isDue || isStricter || journal.seq - since > 10_000;
    if (isWorthwhile && since < journal.seq) this.draft.edit({ packageCheck: check });
    return suspects.size > 0 ? 'built' : 'nothing';
  }

  async #catalogs(): Promise<readonly Documents[]> {
    const { dumps = [], changeDump, archive } = this.draft.state;
    const files = [changeDump?.catalog, archive?.catalog, ...dumps.map(({ catalog }) => catalog)];
    return Promise.all(files.filter((file) => file !== undefined).map((file) => this.draft.catalog(file)));
  }

  /** Packages that may hold something, each with the catalog that it is in. */
  async #suspects(catalogs: readonly Documents[], since: number): Promise<ReadonlyMap<string, Documents>> {
    const { reader } = this.settings.database;
    const suspects = new Map<string, Documents>();
    for (const catalog of catalogs) {
      for (const path of packagePathsOf(catalog)) {
        if (suspects.has(path)) continue;
        this.settings.signal?.throwIfAborted();
        const holds = catalog[path]?.holds ?? { afterSeq: 0, seq: this.draft.state.changes?.seq ?? 0 };
        if (await packsWithheld(reader, this.set, holds, since)) suspects.set(path, catalog);
      }
    }
    return suspects;
  }

  async #rebuild(
    suspects: ReadonlyMap<string, Documents>,
    meanwhile: () => Promise<void>,
  ): Promise<Map<string, Documents>> {
    const replaced = new Map<string, Documents>();
    for (const [path, catalog] of suspects) {
      const [zip, manifest] = [catalog[path], catalog[manifestPath(path)]];
      const instead = zip && manifest && (await this.#without(path, zip, manifest, catalog, meanwhile));
      if (instead) replaced.set(path, instead);
    }
    return replaced;
  }

  /** Undefined: it stays as it is. */
  async #without(
    path: string,
    zip: StoredDocument,
    manifest: StoredDocument,
    catalog: Documents,
    meanwhile: () => Promise<void>,
  ): Promise<Documents | undefined> {
    const { baseUrl, database, signal } = this.settings;
    const { written } = await copyPackage(zip, manifest, {
      directory: this.directory.path,
      baseUrl,
      name: zip.capability,
      without: (paths) => findWithheldIn(database.reader, this.set, paths),
      withoutFormer: (paths) => findFormerIn(database.reader, this.set, paths),
      meanwhile,
      signal,
    });
    if (!written) return undefined;
    // A Resource Dump has a package, be there nothing in it.
    const isOnly = zip.capability === 'resourcedump' && packagePathsOf(catalog).length === 1;
    if (written.entries === 0 && !isOnly) return {};
    const { plain, gzip, mediaType, ...known } = zip;
    const facts = { ...known, entries: written.entries, lastModified: this.draft.now() };
    const next = nextMaking(path);
    return { [next]: storePackage(facts, written), [manifestPath(next)]: storeManifest(facts, written) };
  }

  /** So that their addresses say that they are gone for good. */
  #remember(paths: readonly string[]): void {
    const { formerPackages = {}, dumps = [] } = this.draft.state;
    const all: Record<string, number> = { ...formerPackages };
    for (const path of paths) {
      const { base, making } = makingOf(path) ?? { base: path, making: 1 };
      all[base] = Math.max(all[base] ?? 0, making);
    }
    const stays = (base: string) =>
      !base.startsWith(`${this.set.path}/resourcedump/`) ||
      dumps.some(({ at }) => base.startsWith(this.paths.resourceDumpPart(at, 1).replace(/[^/]*$/, '')));
    this.draft.edit({
      formerPackages: Object.fromEntries(Object.entries(all).filter(([base]) => stays(base))),
    });
  }
}
