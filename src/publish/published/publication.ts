import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { PackedRange } from '../../store/reading/withheld.ts';
import { Catalogs } from '../disk/catalogs.ts';
import type { Documents, PackageCheck, Pointer, StoredDocument, Trouble } from '../disk/pointer.ts';
import { readSlices, totalLength } from '../disk/slices.ts';
import { statesOf } from '../documents/former-documents.ts';
import { makingOf } from '../dump/dump-paths.ts';
import { archivedListAt } from './archived-lists.ts';
import { DocumentMemory } from './document-memory.ts';
import { packageAddress } from './package-address.ts';
import { numberOf, PointerLook, type Seen } from './pointer-look.ts';

/** What is published now, for whoever serves it. */
export interface Publication {
  /** @param path below `baseUrl`, as it was published; anything else is simply not there */
  find(path: string): Promise<PublishedDocument | undefined>;
  /** Whether a path is that of a package that was published, and was taken away for what was in it. */
  isFormerPackage?(path: string): Promise<boolean>;
  /** What a document was before it became what it is, oldest first, as far as that is kept. */
  former(path: string): Promise<readonly PublishedDocument[]>;
  sets(): Promise<readonly PublishedSet[]>;
  /** One of them, without looking at the others. */
  set(path: string): Promise<PublishedSet | undefined>;
}

export interface PublishedDocument {
  readonly path: string;
  readonly mediaType: string;
  /** ISO. */
  readonly lastModified: string;
  /** Its bytes will never change. */
  readonly immutable: boolean;
  /** It changed more than once within the second of `lastModified`. */
  readonly unsettled?: boolean;
  readonly plain: Variant;
  /** Of XML. */
  readonly gzip?: Variant;
  /** Of a package and of its manifest. */
  readonly packed?: Packed;
  /** Of Resource Lists that only an archive keeps: which moment they are of (`archivedListAt`). */
  readonly archivedAt?: string | undefined;
  /** Of a set across sources, and of the Source Description. */
  readonly named?: NamedSources | undefined;
  /** Of packages: where whoever may have it is sent, for a while; undefined: it comes from here. */
  readonly redirect?: () => Promise<string | undefined>;
  /**
   * Whether it would be found again, as it is: as of a look at the disk that began at most some milliseconds ago.
   * Undefined: nobody knows.
   */
  readonly isPublished?: (() => boolean | Promise<boolean>) | undefined;
}

/** The sources that what is of several of them may name; undefined: of an earlier release, and unknown. */
export interface NamedSources {
  readonly members: readonly string[] | undefined;
}

/** Whether a document may name something of one of these sources. */
export function mayName({ members }: NamedSources, names: readonly string[]): boolean {
  return names.some((name) => members?.includes(name) ?? true);
}

/** What has to be asked before a package is handed out: whether everything in it still may be. */
export interface Packed {
  /** Path of its set. */
  readonly set: string;
  readonly holds: PackedRange;
  /** What was found out when it was published, or looked at last; undefined: nothing. */
  readonly check: PackageCheck | undefined;
  /** The set is one across sources. */
  readonly isJoint?: boolean;
  /** Of which it was made (`JournalState.id`). */
  readonly journal?: string | undefined;
}

export interface Variant {
  readonly length: number;
  /** Quoted, strong, different in each variant. */
  readonly etag: string;
  /** Bytes [start, end). Undisturbed by what is published meanwhile. */
  open(start: number, end: number): Readable;
  /** All of them, of a short document: from memory where it was read before. */
  readonly whole?: (() => Promise<Buffer> | undefined) | undefined;
}

export interface PublishedSet {
  readonly path: string;
  /** The current ones. What only grows in number (closed lists, parts, packages) is found by its path. */
  readonly documents: readonly PublishedFacts[];
  /** What keeps its dumps from following. */
  readonly trouble?: Trouble;
  /** What kept it from being published as it is now. */
  readonly notPublished?: Trouble;
  /** Its Change Lists have everything up to this sequence of the journal with this id. */
  readonly journal?: { readonly id: string; readonly seq: number };
}

export interface PublishedFacts {
  readonly path: string;
  readonly capability: string;
  /** Of a Resource List Index: the resources in all its lists. */
  readonly entries: number;
  readonly bytes: number;
  readonly lastModified: string;
  readonly from?: string;
  readonly until?: string;
  readonly at?: string;
}

/** The directory within the data directory. */
export function publicationRoot(directory: string): string {
  return join(directory, 'publication');
}

export function openPublication(directory: string): Publication {
  const root = publicationRoot(directory);
  const memory = new DocumentMemory();
  const site = new PublishedDirectory(root, memory);
  const directories = new Map<string, PublishedDirectory>();

  /** Only sets that are published have a place in the file system: a path never leads there by itself. */
  function directoryOf(set: string): PublishedDirectory {
    const known = directories.get(set) ?? new PublishedDirectory(join(root, ...set.split('/')), memory, set);
    directories.set(set, known);
    return known;
  }

  /** The sets that a path may belong to, the most special one first. */
  async function placesOf(path: string): Promise<readonly PublishedDirectory[]> {
    return placesIn(await site.pointer(), path);
  }

  function placesIn(pointer: Pointer | undefined, path: string): readonly PublishedDirectory[] {
    return (pointer?.sets ?? [])
      .filter((name) => path.startsWith(`${name}/`))
      .sort((a, b) => b.length - a.length)
      .map(directoryOf);
  }

  async function readSet(path: string): Promise<PublishedSet | undefined> {
    const set = { path, ...(await directoryOf(path).current()) };
    return set.documents.length > 0 ? set : undefined;
  }

  return {
    find: async (path) => {
      const looks: Look[] = [];
      const findIn = async (directory: PublishedDirectory, pointer: Pointer | undefined) => {
        looks.push({ directory, number: numberOf(pointer) });
        const found = pointer && (await directory.find(path, pointer));
        return found && { ...found, isPublished: () => areCurrent(looks) };
      };
      const ofSite = await site.pointer();
      const own = await findIn(site, ofSite);
      if (own) return own;
      for (const directory of placesIn(ofSite, path)) {
        const found = await findIn(directory, await directory.pointer());
        if (found) return found;
      }
      return undefined;
    },
    isFormerPackage: async (path) => {
      for (const directory of await placesOf(path)) if (await directory.isFormerPackage(path)) return true;
      return false;
    },
    former: async (path) => {
      for (const directory of await placesOf(path)) {
        const found = await directory.former(path);
        if (found.length > 0) return found;
      }
      return [];
    },
    sets: async () => {
      const paths = [...((await site.pointer())?.sets ?? [])].sort();
      const sets: PublishedSet[] = [];
      // Side by side, but not so many that what else wants to read from the disk waits for all of them.
      for (let from = 0; from < paths.length; from += setsAtOnce) {
        const some = await Promise.all(paths.slice(from, from + setsAtOnce).map(readSet));
        sets.push(...some.filter((set) => set !== undefined));
      }
      return sets;
    },
    set: async (path) => ((await site.pointer())?.sets?.includes(path) ? readSet(path) : undefined),
  };
}

const setsAtOnce = 64;

/** What a directory pointed to when it was looked at: the number of the pointer, as pointers are large. */
interface Look {
  readonly directory: PublishedDirectory;
  readonly number: number;
}

function areCurrent(looks: readonly Look[]): boolean | Promise<boolean> {
  let isSure = true;
  for (const { directory, number } of looks) {
    const recent = directory.recent();
    if (recent === undefined) isSure = false;
    else if (recent.number !== number) return false;
  }
  if (isSure) return true;
  return Promise.all(looks.map(async ({ directory, number }) => (await directory.number()) === number)).then(
    (all) => all.every((isSame) => isSame),
  );
}

/** One pointer and what it points to, read again only when it was switched. */
class PublishedDirectory {
  readonly #path: string;
  readonly #set: string;
  readonly #memory: DocumentMemory;
  readonly #catalogs: Catalogs;
  readonly #look: PointerLook;
  /** Without the pointer that they are of: they are asked for of all sets. */
  #current: { readonly number: number; readonly facts: Omit<PublishedSet, 'path'> } | undefined;

  /** @param set the path of the set that it is of; the site's has none */
  constructor(path: string, memory: DocumentMemory, set = '') {
    this.#path = path;
    this.#memory = memory;
    this.#set = set;
    this.#catalogs = new Catalogs(path);
    this.#look = new PointerLook(path);
  }

  pointer(): Promise<Pointer | undefined> {
    return this.#look.pointer();
  }

  number(): Promise<number> {
    return this.#look.number();
  }

  recent(): Seen | undefined {
    return this.#look.recent();
  }

  async find(path: string, pointer: Pointer): Promise<PublishedDocument | undefined> {
    for (const documents of await this.#all(pointer)) {
      const document = Object.hasOwn(documents, path) ? documents[path] : undefined;
      if (!document) continue;
      const packed = this.#packed(pointer, path, document);
      const isOfSeveral = pointer.isJoint || this.#set === '';
      const published = {
        ...toPublished(this.#path, path, document, this.#memory),
        archivedAt: archivedListAt(path, pointer),
        ...(isOfSeveral ? { named: { members: pointer.members } } : {}),
      };
      if (!packed) return published;
      return { ...published, packed, redirect: () => packageAddress(this.#path, document) };
    }
    return undefined;
  }

  #packed(pointer: Pointer, path: string, { holds }: StoredDocument): Packed | undefined {
    if (makingOf(path) === undefined) return undefined;
    const { packageCheck: check, changes, isJoint = false, journal } = pointer;
    const all = { afterSeq: 0, seq: changes?.seq ?? 0 };
    return { set: this.#set, holds: holds ?? all, check, isJoint, journal };
  }

  async isFormerPackage(path: string): Promise<boolean> {
    const former = (await this.pointer())?.formerPackages ?? {};
    const { base = '', making = 0 } = makingOf(path) ?? {};
    return Object.hasOwn(former, base) && making <= (former[base] ?? 0);
  }

  async former(path: string): Promise<readonly PublishedDocument[]> {
    const file = (await this.pointer())?.former;
    if (file === undefined) return [];
    const states = statesOf(await this.#catalogs.get(file), path);
    return states.map((document) => toPublished(this.#path, path, document, this.#memory));
  }

  async current(): Promise<Omit<PublishedSet, 'path'>> {
    const number = await this.number();
    if (number !== 0 && this.#current?.number === number) return this.#current.facts;
    const pointer = await this.pointer();
    if (!pointer) return { documents: [] };
    const facts = toSetFacts(pointer);
    this.#current = { number: numberOf(pointer), facts };
    return facts;
  }

  async #all(pointer: Pointer): Promise<readonly Documents[]> {
    return [pointer.documents, ...(await this.#catalogs.of(pointer))];
  }
}

/**
 * @param directory where its files are
 * @param memory for what is asked for again and again
 */
export function toPublished(
  directory: string,
  path: string,
  document: StoredDocument,
  memory?: DocumentMemory,
): PublishedDocument {
  const variant = ({ etag, slices }: StoredDocument['plain']): Variant => {
    const length = totalLength(slices);
    const open = (start: number, end: number) => readSlices(directory, slices, start, end);
    const whole = () => memory?.get(etag, length, () => open(0, length));
    return { length, etag, open, whole: memory?.holds(length) ? whole : undefined };
  };
  return {
    path,
    // RS-GEN-27; the XML declaration says that it is UTF-8.
    mediaType: document.mediaType ?? 'application/xml',
    lastModified: document.lastModified,
    immutable: document.immutable,
    unsettled: document.unsettled === true,
    plain: variant(document.plain),
    ...(document.gzip ? { gzip: variant(document.gzip) } : {}),
  };
}

function toSetFacts({ documents, trouble, journal, changes }: Pointer): Omit<PublishedSet, 'path'> {
  return {
    documents: Object.entries(documents).map(([path, document]) => toFacts(path, document)),
    ...(trouble ? { trouble } : {}),
    ...(journal !== undefined && changes ? { journal: { id: journal, seq: changes.seq } } : {}),
  };
}

function toFacts(path: string, document: StoredDocument): PublishedFacts {
  const { capability, entries, lastModified, from, until, at } = document;
  return {
    path,
    capability,
    entries,
    bytes: totalLength(document.plain.slices),
    lastModified,
    ...(from === undefined ? {} : { from }),
    ...(until === undefined ? {} : { until }),
    ...(at === undefined ? {} : { at }),
  };
}
