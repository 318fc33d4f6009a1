import type {
  HeldItem,
  HeldMetadata,
  SameMetadata,
  SourceFile,
  SourceItem,
  SourceMetadata,
  SourceVersion,
} from '../../../src/core/adapter.ts';
import { later } from '../../../src/core/datetime.ts';
import { otherName, usualProfile } from './format-name.ts';
import { isFileOfHouse } from './house-address.ts';
import type { PastOf } from './item-past.ts';
import { plainOf } from './plain-record.ts';

/** By which the files of a Source's items are known: it lists what it hands out. */
export const fileOrigin = { name: 'resourcesync', rank: 0 } as const;

/**
 * What becomes of files in store that the metadata does not describe and none of these entries states: in a part of a
 * list all are kept, for their entries may lie elsewhere; among changes those that were in a list, for a deletion would
 * say that they are gone; with all that there is of the item, none.
 */
export type Undescribed = 'kept' | 'kept-if-listed' | 'dropped';

/** An item as a few entries of a list tell of it, put together with what is in store. */
export class ItemDraft {
  readonly identifier: string;
  readonly held: HeldItem | undefined;
  readonly #undescribed: Undescribed;
  readonly metadata: SourceMetadata[] = [];
  readonly same: SameMetadata[] = [];
  /** Formats that are gone. */
  readonly removed = new Set<string>();
  /** The Source itself says that some are. */
  isToldGone = false;
  /** Some of them because the Source shows them not to everybody. */
  refused = false;
  /** What metadata describes, in order; undefined: no metadata has come that says so. */
  described: readonly string[] | undefined;
  /** What entries of their own say of files, by address. */
  readonly files = new Map<string, SourceFile>();
  readonly removedFiles = new Set<string>();
  collections: readonly string[] | undefined;
  datestamp: string | undefined;
  /** Documents that nobody had here, with their TimeMaps. */
  readonly withPast: PastOf[] = [];
  /** What it was before; undefined: nothing more is known than before. */
  versions: readonly SourceVersion[] | undefined;
  /** Its landing page, where it is an entry of a Sitemap. */
  page: string | undefined;

  constructor(identifier: string, held: HeldItem | undefined, undescribed: Undescribed) {
    this.identifier = identifier;
    this.held = held;
    this.#undescribed = undescribed;
  }

  /** Metadata of it is published once this is stored, as far as these entries say. */
  get lives(): boolean {
    if (this.metadata.length > 0 || this.same.length > 0) return true;
    return (this.held?.metadata ?? []).some(({ format }) => !this.removed.has(format));
  }

  /** Something describes it: what we said of it ourselves goes. */
  describedAtLast(): void {
    const plain = this.held && plainOf(this.held);
    if (plain) this.removed.add(plain.format);
  }

  /** Two documents of an item may have nothing by which they could be told apart. */
  freeName(format: string, loc: string): string {
    const used = this.#formatsInUse();
    return used.has(format) && used.get(format) !== loc ? otherName(format, loc) : format;
  }

  /** Formats that are taken already, by the address they came from. */
  #formatsInUse(): ReadonlyMap<string, string | undefined> {
    const plain = this.held && plainOf(this.held);
    const here = [...this.metadata, ...this.same].map(
      ({ format, upstreamUrl }) => [format, upstreamUrl] as const,
    );
    const before = (this.held?.metadata ?? []).flatMap((one) =>
      one === plain ? [] : [[one.format, one.upstreamUrl] as const],
    );
    return new Map([...before, ...here]);
  }

  describe(described: readonly string[], lastmod: string | undefined, collections: readonly string[]): void {
    this.described = [...new Set([...(this.described ?? []), ...described])];
    this.collections = collections;
    if (lastmod !== undefined)
      this.datestamp = this.datestamp === undefined ? lastmod : later(this.datestamp, lastmod);
  }

  /** Files that are kept although nothing here names them. */
  keptFiles(): readonly SourceFile[] {
    const { described, held, page } = this;
    // A page names all that it has.
    if (described === undefined || page !== undefined || this.#undescribed === 'dropped') return [];
    return (held?.files ?? []).filter(
      ({ url, access }) =>
        !described.includes(url) &&
        !this.files.has(url) &&
        !this.removedFiles.has(url) &&
        (this.#undescribed === 'kept' || access !== 'unknown'),
    );
  }

  /** All that is in store of it is as it was. */
  keep(known: readonly HeldMetadata[]): void {
    for (const { format, mediaType, upstreamUrl, hash, length } of known) {
      if (hash === undefined || length === undefined) continue;
      const profile = usualProfile(format);
      this.same.push({
        ...{ format, hash, length },
        ...(mediaType !== undefined && { mediaType }),
        ...(upstreamUrl !== undefined && { upstreamUrl }),
        ...(profile !== undefined && { profile }),
      });
    }
  }

  /** @returns undefined where nothing is said of it that could be told */
  finish(withFiles: boolean): SourceItem | undefined {
    const { identifier, held, metadata, same, removed } = this;
    const delivered = [...metadata, ...same].map(({ format }) => format);
    const formats = [...new Set([...delivered, ...removed])];
    const statesFiles = this.described !== undefined || this.files.size > 0 || this.removedFiles.size > 0;
    const living = delivered.length > 0;
    const deleted = !living && removed.size > 0;
    if (formats.length === 0 && (!statesFiles || held === undefined)) return undefined;
    const { files, landingPage = this.page } = this.#things();
    return {
      identifier,
      datestamp: this.datestamp ?? held?.datestamp,
      collections: this.collections ?? held?.collections ?? [],
      speaksFor: { formats, files: withFiles && statesFiles && !deleted ? fileOrigin : undefined },
      deleted,
      ...(this.refused && { refused: true }),
      metadata,
      same,
      files: withFiles && !deleted ? files : [],
      ...(landingPage !== undefined && { landingPage }),
      ...(this.versions !== undefined && { versions: this.versions }),
    };
  }

  /** A format is there, and not for everybody. */
  refuse(format: string): void {
    this.removed.add(format);
    this.refused = true;
  }

  /** What the metadata describes: files, or a landing page, which no list has. */
  #things(): { readonly files: readonly SourceFile[]; readonly landingPage: string | undefined } {
    const before = new Map((this.held?.files ?? []).map((file) => [file.url, file]));
    const known = (url: string) => this.files.get(url) ?? before.get(url);
    if (this.described === undefined) {
      const all = new Map([...before, ...this.files]);
      return {
        files: [...all.values()].filter(({ url }) => !this.removedFiles.has(url)),
        landingPage: undefined,
      };
    }
    const targets = this.described.filter((url) => !this.removedFiles.has(url));
    const [only, another] = targets;
    if (only !== undefined && another === undefined && known(only) === undefined && !isFileOfHouse(only))
      return { files: [...this.files.values(), ...this.keptFiles()], landingPage: only };
    const more = [
      ...[...this.files.values()].filter(({ url }) => !targets.includes(url)),
      ...this.keptFiles(),
    ];
    // What a bridge hands out has an entry of its own, before or behind.
    const stated = targets.flatMap(
      (url, index) => known(url) ?? (isFileOfHouse(url) ? [] : unlisted(url, index + 1)),
    );
    return { files: [...stated, ...more], landingPage: undefined };
  }
}

/** The metadata names it and no list has it: its server is asked before it is published. */
function unlisted(url: string, sequence: number): SourceFile {
  const name = new URL(url).pathname.split('/').findLast((part) => part !== '') ?? 'file';
  return { url, name, sequence, access: 'unknown' };
}
