import type { Snapshot, Version } from '../repository/repository.ts';
import type { SimulatorSettings } from '../settings.ts';
import type { Draft } from './draft.ts';
import type { EntryWriting } from './entries.ts';
import { numbered, numberIn } from './names.ts';

/** Snapshots that are read by somebody may be followed by others before they were read to their ends. */
const keptSnapshots = 5;

/** The Resource List, or its index and parts. A part belongs to its snapshot, whatever comes next. */
export class ResourceLists {
  readonly #settings: SimulatorSettings;
  readonly #writing: EntryWriting;
  readonly #parts = new Map<number, { at: string; versions: readonly Version[] }>();
  #known: { readonly key: string; readonly first: number } | undefined;
  #numbered = 0;

  constructor(settings: SimulatorSettings, writing: EntryWriting) {
    this.#settings = settings;
    this.#writing = writing;
  }

  top(snapshot: Snapshot): Draft {
    const { partSize, names } = this.#settings;
    const { at, versions } = snapshot;
    if (versions.length <= partSize) return this.#list(names.resourcelist, at, versions, undefined);
    const parts = Math.ceil(versions.length / partSize);
    const first = this.#firstPart(snapshot, parts);
    const members = Array.from({ length: parts }, (_, part) =>
      this.#writing.ofDocument(numbered(names.resourcelist, first + part), { at }),
    );
    return {
      ...{ path: names.resourcelist, capability: 'resourcelist', root: 'sitemapindex' },
      md: { capability: 'resourcelist', at },
      links: [this.#writing.linkTo('up', names.capabilitylist)],
      entries: members,
    };
  }

  part(path: string): Draft | undefined {
    const { names } = this.#settings;
    const number = numberIn(path, names.resourcelist);
    const part = number === undefined ? undefined : this.#parts.get(number);
    return part && this.#list(path, part.at, part.versions, names.resourcelist);
  }

  /** @returns the number of its first part */
  #firstPart(snapshot: Snapshot, parts: number): number {
    const { partSize, listEverySeconds } = this.#settings;
    const key = `${snapshot.number} ${snapshot.at} ${partSize}`;
    if (this.#known?.key === key) return this.#known.first;
    // Lists that are made now and then have names that stay.
    if (listEverySeconds > 0) {
      this.#parts.clear();
      this.#numbered = 0;
    }
    const first = this.#numbered;
    for (let part = 0; part < parts; part += 1) {
      const versions = snapshot.versions.slice(part * partSize, (part + 1) * partSize);
      this.#parts.set(first + part, { at: snapshot.at, versions });
    }
    this.#numbered += parts;
    this.#known = { key, first };
    for (const number of this.#parts.keys()) {
      if (this.#parts.size <= keptSnapshots * parts) break;
      this.#parts.delete(number);
    }
    return first;
  }

  #list(path: string, at: string, versions: readonly Version[], index: string | undefined): Draft {
    const { names } = this.#settings;
    const up = this.#writing.linkTo('up', names.capabilitylist);
    return {
      ...{ path, capability: 'resourcelist', root: 'urlset', md: { capability: 'resourcelist', at } },
      links: index === undefined ? [up] : [up, this.#writing.linkTo('index', index)],
      entries: versions.map((version) => this.#writing.ofVersion(version)),
    };
  }
}
