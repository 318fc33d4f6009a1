import { createHash } from 'node:crypto';

/** What a DSpace holds, as far as its faces tell of it. Everything is mutable on purpose: `repository.ts` edits it. */

export interface MetadataValue {
  value: string;
  language: string | null;
  authority: string | null;
  confidence: number;
}

/** By field name: `dc.contributor.author`. */
export type Metadata = Record<string, MetadataValue[]>;

/** Who may read: everybody, everybody from a day on (`2050-01-01`), or nobody but some groups. */
export type ReadPolicy = 'anonymous' | { embargoUntil: string } | { groups: readonly string[] };

export interface Community {
  readonly uuid: string;
  readonly number: number;
  handle: string | undefined;
  name: string;
  /** Everybody unless told. */
  read?: ReadPolicy;
  readonly parent: Community | undefined;
  readonly communities: Community[];
  readonly collections: Collection[];
}

export interface Collection {
  readonly uuid: string;
  readonly number: number;
  handle: string | undefined;
  name: string;
  /** Everybody unless told. */
  read?: ReadPolicy;
  parent: Community;
}

export interface Bundle {
  readonly uuid: string;
  readonly name: string;
  /** Everybody unless told. */
  read?: ReadPolicy;
  readonly bitstreams: Bitstream[];
}

export interface Bitstream {
  readonly uuid: string;
  name: string;
  mimeType: string;
  description: string | undefined;
  sequence: number;
  read: ReadPolicy;
  /** Made when asked for, so that a hundred thousand files cost nothing. */
  content: () => Buffer;
  /** When the store got it, in ms. */
  storedAt: number;
}

export interface Version {
  readonly id: number;
  readonly number: number;
  /** In ms. */
  readonly createdAt: number;
  readonly summary: string | null;
  readonly item: Item;
  readonly history: VersionHistory;
}

export interface VersionHistory {
  readonly id: number;
  /** Oldest first. */
  readonly versions: Version[];
}

export interface Relationship {
  readonly id: number;
  readonly left: Item;
  readonly right: Item;
}

/** What an item is made of as long as nobody has edited it; may serve many items. */
export interface ItemParts {
  readonly metadata: (item: Item) => Metadata;
  readonly bundles: (item: Item) => Bundle[];
}

const nowhere: readonly Collection[] = [];

export class Item {
  readonly uuid: string;
  /** Counts from 1; the id of DSpace 5. */
  readonly number: number;
  handle: string | undefined;
  entityType: string | null = null;
  /** In ms; what is below a millisecond is in `micros`, 0 to 999. */
  lastModified = 0;
  micros = 0;
  /** In ms; what dc.date.accessioned says. */
  accessioned = 0;
  inArchive = true;
  withdrawn = false;
  discoverable = true;
  read: ReadPolicy = 'anonymous';
  collection: Collection;
  mapped: readonly Collection[] = nowhere;
  version: Version | undefined;
  relationships: Relationship[] | undefined;
  #parts: ItemParts;
  #metadata: Metadata | undefined;
  #bundles: Bundle[] | undefined;

  constructor(uuid: string, number: number, collection: Collection, parts: ItemParts) {
    this.uuid = uuid;
    this.number = number;
    this.collection = collection;
    this.#parts = parts;
  }

  /** Its own values; a fresh copy unless they were edited. */
  get metadata(): Metadata {
    return this.#metadata ?? this.#parts.metadata(this);
  }

  set metadata(metadata: Metadata) {
    this.#metadata = metadata;
  }

  /** What its values are now, whatever is edited later. */
  get metadataPicture(): () => Metadata {
    const kept = this.#metadata;
    return kept === undefined ? () => this.#parts.metadata(this) : () => kept;
  }

  get bundles(): readonly Bundle[] {
    return this.#bundles ?? this.#parts.bundles(this);
  }

  /** The bundles to write to: from now on they are kept. */
  keepBundles(): Bundle[] {
    this.#bundles ??= this.#parts.bundles(this);
    return this.#bundles;
  }

  get name(): string {
    return this.metadata['dc.title']?.[0]?.value ?? '';
  }

  get isLatest(): boolean {
    return this.version === undefined || this.version.history.versions.at(-1) === this.version;
  }

  /** Every bitstream of every bundle. */
  get bitstreams(): Bitstream[] {
    return this.bundles.flatMap(({ bitstreams }) => bitstreams);
  }

  /** Those of the bundle ORIGINAL. */
  get files(): Bitstream[] {
    return this.bundles.flatMap(({ name, bitstreams }) => (name === 'ORIGINAL' ? bitstreams : []));
  }
}

export function md5(content: Buffer): string {
  return createHash('md5').update(content).digest('hex');
}

export function plain(value: string, language: string | null = null): MetadataValue {
  return { value, language, authority: null, confidence: -1 };
}

/** Whether the policy lets everybody in at this time (ms). */
export function isOpen(policy: ReadPolicy, now: number): boolean {
  if (policy === 'anonymous') return true;
  return 'embargoUntil' in policy && Date.parse(policy.embargoUntil) <= now;
}
