import { createHash } from 'node:crypto';
import type { Change, Snapshot, Version } from '../repository/repository.ts';
import type { SimulatorSettings } from '../settings.ts';
import type { Stretch } from './change-lists.ts';
import type { Draft, DraftEntry } from './draft.ts';
import type { EntryWriting } from './entries.ts';
import { numbered, numberIn } from './names.ts';
import type { ZipMember } from './zip.ts';

/** What becomes a ZIP: a manifest and the bytes that it names. */
export interface PackageDraft {
  readonly path: string;
  readonly manifest: Draft;
  readonly members: readonly ZipMember[];
}

/** Makes the bytes of a package, with whatever is wrong with it. */
export type Pack = (draft: PackageDraft) => Buffer;

const manifestEnding = '-manifest.xml';

/** Dumps: lists of packages, and the packages. */
export class Packages {
  readonly #settings: SimulatorSettings;
  readonly #writing: EntryWriting;
  readonly #pack: Pack;
  readonly #snapshots = new Map<number, Snapshot>();
  #latest: { readonly key: string; readonly bytes: Buffer } | undefined;

  constructor(settings: SimulatorSettings, writing: EntryWriting, pack: Pack) {
    this.#settings = settings;
    this.#writing = writing;
    this.#pack = pack;
  }

  resourceDump(snapshot: Snapshot): Draft {
    const { names, packageSize } = this.#settings;
    const { at, versions } = snapshot;
    this.#snapshots.set(snapshot.number, snapshot);
    // Whoever reads one is given time to end.
    for (const number of this.#snapshots.keys()) {
      if (this.#snapshots.size > 3) this.#snapshots.delete(number);
    }
    const count = Math.max(1, Math.ceil(versions.length / packageSize));
    const entries = Array.from({ length: count }, (_, part) => {
      const path = this.#placeOf(snapshot, part);
      return this.#listed(path, this.#resources(path, snapshot, part), {});
    });
    return this.#dump(names.resourcedump, 'resourcedump', { at }, entries);
  }

  changeDump(stretches: readonly Stretch[]): Draft {
    const { names } = this.#settings;
    // An open one tells up to when there were no changes, even if it has none.
    const entries = stretches
      .filter(({ changes, until }) => changes.length > 0 || until === undefined)
      .map((stretch) => {
        const path = numbered(names.changedump, stretch.number, 'zip');
        const { from, until } = stretch;
        return this.#listed(path, this.#changes(path, stretch), { from, until });
      });
    const from = stretches[0]?.from;
    return this.#dump(names.changedump, 'changedump', { from }, entries);
  }

  /** The ZIP at a path; undefined: there is none. */
  package(path: string, stretches: () => readonly Stretch[]): Buffer | undefined {
    const found = this.#at(path, stretches);
    return found && this.#made(found.draft, found.key);
  }

  /** The manifest of a package, outside of it, where dumps link to those; undefined: there is none. */
  manifest(path: string, stretches: () => readonly Stretch[]): Draft | undefined {
    if (!this.#settings.linksManifests || !path.endsWith(manifestEnding)) return undefined;
    const found = this.#at(path.replace(manifestEnding, '.zip'), stretches);
    return found && { ...found.draft.manifest, path };
  }

  /** @returns with what tells states of it apart; empty: it changes */
  #at(
    path: string,
    stretches: () => readonly Stretch[],
  ): { readonly draft: PackageDraft; readonly key: string } | undefined {
    const { names } = this.#settings;
    const number = numberIn(path, names.changedump, 'zip');
    if (number !== undefined) {
      const stretch = stretches().find((one) => one.number === number);
      if (stretch === undefined) return undefined;
      return { draft: this.#changes(path, stretch), key: stretch.until === undefined ? '' : `${number}` };
    }
    // Where names stay, the latest has them.
    for (const snapshot of [...this.#snapshots.values()].reverse()) {
      const count = Math.max(1, Math.ceil(snapshot.versions.length / this.#settings.packageSize));
      for (let part = 0; part < count; part += 1) {
        if (this.#placeOf(snapshot, part) !== path) continue;
        return { draft: this.#resources(path, snapshot, part), key: `${snapshot.number}` };
      }
    }
    return undefined;
  }

  #placeOf({ number }: Snapshot, part: number): string {
    const { names, listEverySeconds } = this.#settings;
    // A dump that is made now and then has names that stay; one of each moment has those of its moment.
    const name = listEverySeconds === 0 ? numbered(names.resourcedump, number) : names.resourcedump;
    return numbered(name, part + 1, 'zip');
  }

  #listed(path: string, draft: PackageDraft, md: Record<string, string | undefined>): DraftEntry {
    const bytes = this.#made(draft, '');
    const hash = `sha-256:${createHash('sha256').update(bytes).digest('hex')}`;
    const facts = { type: 'application/zip', length: String(bytes.length), hash, ...md };
    const entry = this.#writing.ofDocument(path, facts);
    if (!this.#settings.linksManifests) return entry;
    const contents = this.#writing.linkTo('contents', path.replace(/\.zip$/, manifestEnding));
    return { ...entry, links: [{ ...contents, type: 'application/xml' }] };
  }

  #made(draft: PackageDraft, key: string): Buffer {
    const name = `${draft.path} ${key}`;
    if (key !== '' && this.#latest?.key === name) return this.#latest.bytes;
    const bytes = this.#pack(draft);
    if (key !== '') this.#latest = { key: name, bytes };
    return bytes;
  }

  #resources(path: string, { at, versions }: Snapshot, part: number): PackageDraft {
    const { packageSize } = this.#settings;
    const inside = versions.slice(part * packageSize, (part + 1) * packageSize);
    const members = inside.map((version, index) => memberOf(version, index));
    const entries = inside.map((version, index) =>
      this.#writing.ofVersion(version, { path: `/${members[index]?.name}` }),
    );
    return { path, manifest: this.#manifest('resourcedump-manifest', { at }, entries), members };
  }

  #changes(path: string, { from, until, changes }: Stretch): PackageDraft {
    const members = changes.map(({ version }, index) => version && memberOf(version, index));
    const entries = changes.map((change: Change, index) => {
      const name = members[index]?.name;
      return this.#writing.ofChange(change, name === undefined ? {} : { path: `/${name}` });
    });
    return {
      path,
      manifest: this.#manifest('changedump-manifest', { from, until }, entries),
      members: members.filter((member) => member !== undefined),
    };
  }

  #manifest(
    capability: 'resourcedump-manifest' | 'changedump-manifest',
    times: Record<string, string | undefined>,
    entries: readonly DraftEntry[],
  ): Draft {
    const { names } = this.#settings;
    const links = [this.#writing.linkTo('up', names.capabilitylist)];
    return { path: 'manifest.xml', capability, root: 'urlset', md: { capability, ...times }, links, entries };
  }

  #dump(
    path: string,
    capability: 'resourcedump' | 'changedump',
    times: Record<string, string | undefined>,
    entries: readonly DraftEntry[],
  ): Draft {
    const links = [this.#writing.linkTo('up', this.#settings.names.capabilitylist)];
    return { path, capability, root: 'urlset', md: { capability, ...times }, links, entries };
  }
}

/** A readable name where the address makes one that every file system takes. */
function memberOf({ path, content }: Version, index: number): ZipMember {
  const isPlain = /^(?:\/[\w-][\w.-]{0,60}){1,5}$/.test(path) && path !== '/manifest.xml';
  return { name: isPlain ? `${index}${path}` : `${index}/content`, bytes: content.bytes() };
}
