import { itemNumberOf, partId, type Random, random, randomUuid } from './ids.ts';
import {
  type Bitstream,
  type Bundle,
  type Collection,
  type Community,
  Item,
  type ItemParts,
  type Metadata,
  plain,
  type ReadPolicy,
  type Relationship,
  type Version,
  type VersionHistory,
} from './model.ts';
import { SearchIndex } from './search/search-index.ts';

/**
 * A DSpace without a face: what it holds, what can be done to it, and its search index, which may lag.
 *
 *     const repository = sampleRepository({ items: 200, seed: 1 });   // sample-repository.ts
 *     const server = await startRestServer({ repository });          // test/house/dspace/rest/rest-server.ts; also test/house/dspace/legacy/legacy-server.ts
 *     repository.withdraw(repository.items[3]);
 *     repository.now = () => Date.parse('2030-01-01');                // embargoes end by this clock
 *     repository.indexLag = Number.POSITIVE_INFINITY;                 // until commitIndex()
 *
 * Every edit says in its comment whether DSpace takes note of it in the item's `lastModified`.
 */
export class Repository {
  /** In ms. Replace it to travel. */
  now: () => number = () => Date.now();
  /** How long an edit takes to get into the search index, in ms; Infinity: until `commitIndex()`. */
  indexLag = 0;
  readonly index = new SearchIndex();
  /** Grows with every edit. */
  edits = 0;
  readonly communities: Community[] = [];
  readonly collections: Collection[] = [];
  /** In the order of their numbers; a deleted one leaves a gap in the numbers, not in the list. */
  readonly items: Item[] = [];
  readonly histories = new Map<number, VersionHistory>();
  readonly versions = new Map<number, Version>();
  readonly relationships = new Map<number, Relationship>();
  readonly handlePrefix = '123456789';
  /** What `https://` the handles are resolved at. */
  readonly handleServer: string;
  readonly canonicalHandles: boolean;
  readonly #byUuid = new Map<string, Item>();
  readonly #byNumber = new Map<number, Item>();
  readonly #byHandle = new Map<string, Item>();
  readonly #addedBitstreams = new Map<string, Item>();
  readonly #pending = new Map<string, number>();
  readonly #counts = new Map<string, number>();
  #counted = -1;
  readonly #random: Random;
  #itemNumber = 0;
  #handleNumber = 0;
  #partNumber = 0x8000;

  constructor(options: { seed?: number; handleServer?: string; canonicalHandles?: boolean } = {}) {
    this.#random = random(options.seed ?? 1);
    this.handleServer = options.handleServer ?? 'https://hdl.example.org';
    this.canonicalHandles = options.canonicalHandles ?? false;
  }

  // —— finding ——

  item(uuid: string): Item | undefined {
    return this.#byUuid.get(uuid);
  }

  itemByNumber(number: number): Item | undefined {
    return this.#byNumber.get(number);
  }

  byHandle(handle: string): Item | Collection | Community | undefined {
    return (
      this.#byHandle.get(handle) ??
      this.collections.find((collection) => collection.handle === handle) ??
      this.communities.find((community) => community.handle === handle)
    );
  }

  collection(uuid: string): Collection | undefined {
    return this.collections.find((collection) => collection.uuid === uuid);
  }

  community(uuid: string): Community | undefined {
    return this.communities.find((community) => community.uuid === uuid);
  }

  bitstream(uuid: string): { item: Item; bundle: Bundle; bitstream: Bitstream } | undefined {
    const item = this.#addedBitstreams.get(uuid) ?? this.#byNumber.get(itemNumberOf(uuid));
    for (const bundle of item?.bundles ?? []) {
      const bitstream = bundle.bitstreams.find((candidate) => candidate.uuid === uuid);
      if (item !== undefined && bitstream !== undefined) return { item, bundle, bitstream };
    }
    return undefined;
  }

  bundle(uuid: string): { item: Item; bundle: Bundle } | undefined {
    const item = this.#byNumber.get(itemNumberOf(uuid));
    const bundle = item?.bundles.find((candidate) => candidate.uuid === uuid);
    return item !== undefined && bundle !== undefined ? { item, bundle } : undefined;
  }

  /** How many items are archived in a collection (mapped ones not counted) or below a community. */
  archivedIn(place: Collection | Community): number {
    if (this.#counted !== this.edits) {
      this.#counts.clear();
      for (const item of this.items) {
        if (!item.inArchive) continue;
        let above: Collection | Community | undefined = item.collection;
        for (; above !== undefined; above = above.parent)
          this.#counts.set(above.uuid, (this.#counts.get(above.uuid) ?? 0) + 1);
      }
      this.#counted = this.edits;
    }
    return this.#counts.get(place.uuid) ?? 0;
  }

  // —— building ——

  addCommunity(name: string, parent?: Community): Community {
    const community: Community = {
      uuid: randomUuid(this.#random),
      number: this.communities.length + 1,
      handle: this.newHandle(),
      name,
      parent,
      communities: [],
      collections: [],
    };
    this.communities.push(community);
    parent?.communities.push(community);
    return community;
  }

  addCollection(name: string, parent: Community): Collection {
    const number = this.collections.length + 1;
    const collection: Collection = {
      uuid: randomUuid(this.#random),
      number,
      handle: this.newHandle(),
      name,
      parent,
    };
    this.collections.push(collection);
    parent.collections.push(collection);
    return collection;
  }

  /** A new item: open, archived, discoverable, with a handle. */
  addItem(
    collection: Collection,
    content: ItemParts | Metadata = {},
    options: { handle?: string | undefined; uuid?: string; silent?: boolean } = {},
  ): Item {
    this.#itemNumber += 1;
    const number = this.#itemNumber;
    const uuid = options.uuid ?? randomUuid(this.#random);
    const item = new Item(uuid, number, collection, isParts(content) ? content : partsOf(content));
    const handle = 'handle' in options ? options.handle : this.newHandle();
    item.handle = handle;
    item.lastModified = this.now();
    item.accessioned = item.lastModified;
    this.items.push(item);
    this.#byUuid.set(item.uuid, item);
    this.#byNumber.set(number, item);
    if (handle !== undefined) this.#byHandle.set(handle, item);
    if (options.silent !== true) this.#noteForIndex(item);
    return item;
  }

  /** In DSpace by hand, in the database: whatever had it has none. Noted. */
  giveHandle(item: Item, handle: string): void {
    const former = this.#byHandle.get(handle);
    if (former !== undefined) former.handle = undefined;
    this.#byHandle.set(handle, item);
    item.handle = handle;
    this.touch(item);
  }

  newHandle(): string {
    this.#handleNumber += 1;
    return `${this.handlePrefix}/${this.#handleNumber}`;
  }

  // —— edits which are noted in lastModified ——

  /** Replaces the named fields; an empty list takes one away. Noted. */
  editMetadata(item: Item, fields: Readonly<Record<string, readonly string[] | Metadata[string]>>): void {
    const metadata = { ...item.metadata };
    for (const [field, values] of Object.entries(fields)) {
      if (values.length === 0) delete metadata[field];
      else metadata[field] = values.map((value) => (typeof value === 'string' ? plain(value) : value));
    }
    item.metadata = metadata;
    this.touch(item);
  }

  /** Noted. */
  addBitstream(
    item: Item,
    file: { name: string; content: Buffer | string } & Partial<
      Pick<Bitstream, 'mimeType' | 'description' | 'sequence' | 'read'> & { bundle: string }
    >,
  ): Bitstream {
    const bundles = item.keepBundles();
    const name = file.bundle ?? 'ORIGINAL';
    let bundle = bundles.find((candidate) => candidate.name === name);
    if (bundle === undefined) {
      bundle = { uuid: this.#partId(item), name, bitstreams: [] };
      bundles.push(bundle);
    }
    const content = Buffer.from(file.content);
    const bitstream: Bitstream = {
      uuid: this.#partId(item),
      name: file.name,
      mimeType: file.mimeType ?? 'application/pdf',
      description: file.description,
      sequence: file.sequence ?? Math.max(0, ...item.bitstreams.map(({ sequence }) => sequence)) + 1,
      read: file.read ?? 'anonymous',
      content: () => content,
      storedAt: this.now(),
    };
    bundle.bitstreams.push(bitstream);
    this.#addedBitstreams.set(bitstream.uuid, item);
    this.touch(item);
    return bitstream;
  }

  /** Noted. An emptied bundle goes, too. */
  removeBitstream(item: Item, uuid: string): void {
    const bundles = item.keepBundles();
    for (const bundle of [...bundles]) {
      const at = bundle.bitstreams.findIndex((bitstream) => bitstream.uuid === uuid);
      if (at === -1) continue;
      bundle.bitstreams.splice(at, 1);
      if (bundle.bitstreams.length === 0) bundles.splice(bundles.indexOf(bundle), 1);
    }
    this.#addedBitstreams.delete(uuid);
    this.touch(item);
  }

  /** A new bitstream, with a new id, in the place of the old one, as DSpace does it. Noted. */
  replaceBitstream(item: Item, uuid: string, content: Buffer | string): Bitstream {
    const old = item.bitstreams.find((bitstream) => bitstream.uuid === uuid);
    if (old === undefined) throw new Error(`no bitstream ${uuid}`);
    const bundle = this.bitstream(uuid)?.bundle.name ?? 'ORIGINAL';
    this.removeBitstream(item, uuid);
    const { name, mimeType, description, read } = old;
    return this.addBitstream(item, {
      name,
      mimeType,
      description: description as string,
      read,
      bundle,
      content,
    });
  }

  /** Noted. */
  withdraw(item: Item): void {
    item.withdrawn = true;
    item.inArchive = false;
    this.touch(item);
  }

  /** Noted. */
  reinstate(item: Item): void {
    item.withdrawn = false;
    item.inArchive = true;
    this.touch(item);
  }

  /** Noted. */
  makePrivate(item: Item): void {
    item.discoverable = false;
    this.touch(item);
  }

  /** Noted. */
  makeDiscoverable(item: Item): void {
    item.discoverable = true;
    this.touch(item);
  }

  /** The item's own policy. Noted. */
  setRead(item: Item, read: ReadPolicy): void {
    item.read = read;
    this.touch(item);
  }

  /** Only its group may read the item. Noted. */
  restrict(item: Item): void {
    this.setRead(item, { groups: ['staff'] });
  }

  /** Nobody may read the item until then (`2050-01-01`). Noted now, not when the embargo ends. */
  embargo(item: Item, until: string): void {
    this.setRead(item, { embargoUntil: until });
  }

  /** A new version: an item of its own. The old one stays in the archive, not in the default search. */
  newVersion(item: Item, summary: string | null = null): Item {
    const history = item.version?.history ?? this.#newHistory(item);
    const number = (history.versions.at(-1)?.number ?? 0) + 1;
    const bare = history.versions[0]?.item.handle?.replace(/\.\d+$/, '') ?? item.handle;
    const { metadata, bundles } = item;
    const next = this.addItem(
      item.collection,
      {
        metadata: (copy) => ({ ...structuredClone(metadata), ...this.#identified(copy) }),
        bundles: (copy) => copyBundles(bundles, copy.number),
      },
      { handle: bare === undefined ? undefined : `${bare}.${number}` },
    );
    next.entityType = item.entityType;
    next.mapped = [...item.mapped];
    if (this.canonicalHandles && bare !== undefined) {
      const previous = history.versions.at(-1) as Version;
      this.#setHandle(next, bare);
      this.#setHandle(previous.item, `${bare}.${previous.number}`);
    }
    // As DSpace's VersioningConsumer does; the index keeps it, as an old version.
    item.inArchive = false;
    this.#addVersion(history, next, number, summary);
    this.#noteForIndex(item);
    return next;
  }

  // —— edits which leave lastModified alone ——

  /** Of one file. Not noted. */
  setBitstreamRead(uuid: string, read: ReadPolicy): void {
    const found = this.#kept(uuid);
    found.bitstream.read = read;
    this.#noteForIndex(found.item);
  }

  /** Of a bundle, which its files need not share. Not noted. */
  setBundleRead(item: Item, name: string, read: ReadPolicy): void {
    for (const bundle of item.keepBundles()) if (bundle.name === name) bundle.read = read;
    this.#noteForIndex(item);
  }

  restrictBitstream(uuid: string): void {
    this.setBitstreamRead(uuid, { groups: ['staff'] });
  }

  embargoBitstream(uuid: string, until: string): void {
    this.setBitstreamRead(uuid, { embargoUntil: until });
  }

  openBitstream(uuid: string): void {
    this.setBitstreamRead(uuid, 'anonymous');
  }

  /** Name, description, format. Not noted. */
  editBitstream(uuid: string, change: Partial<Pick<Bitstream, 'name' | 'description' | 'mimeType'>>): void {
    Object.assign(this.#kept(uuid).bitstream, change);
  }

  /** Not noted; the index hears of it. */
  moveCollection(item: Item, to: Collection): void {
    item.collection = to;
    this.#noteForIndex(item);
  }

  /** Not noted. */
  map(item: Item, into: Collection): void {
    if (!item.mapped.includes(into)) item.mapped = [...item.mapped, into];
    this.#noteForIndex(item);
  }

  /** Not noted. */
  unmap(item: Item, from: Collection): void {
    item.mapped = item.mapped.filter((collection) => collection !== from);
    this.#noteForIndex(item);
  }

  /** Not noted in any item. */
  renameCollection(collection: Collection, name: string): void {
    collection.name = name;
  }

  /** The title of `right` is then shown as an author of `left`, and not noted when it changes. */
  relate(left: Item, right: Item): Relationship {
    const relationship = { id: this.relationships.size + 1, left, right };
    this.relationships.set(relationship.id, relationship);
    for (const item of [left, right]) {
      item.relationships ??= [];
      item.relationships.push(relationship);
    }
    return relationship;
  }

  /** For good; nothing is left of it. */
  delete(item: Item): void {
    this.items.splice(this.items.indexOf(item), 1);
    this.#byUuid.delete(item.uuid);
    this.#byNumber.delete(item.number);
    if (item.handle !== undefined) this.#byHandle.delete(item.handle);
    if (item.version !== undefined) {
      const { history } = item.version;
      history.versions.splice(history.versions.indexOf(item.version), 1);
      this.versions.delete(item.version.id);
      const newest = history.versions.at(-1);
      if (newest !== undefined) this.#noteForIndex(newest.item);
    }
    this.edits += 1;
    this.#pending.set(item.uuid, this.now() + this.indexLag);
  }

  /** As any edit that is noted does it. */
  touch(item: Item): void {
    item.lastModified = Math.floor(this.now());
    item.micros = (item.micros + 561) % 1000;
    this.#noteForIndex(item);
  }

  // —— the index ——

  /** Indexes all that waits, however long it was to wait. */
  commitIndex(): void {
    this.#settle(Number.POSITIVE_INFINITY);
  }

  /** `index-discovery -b`: everything is indexed anew, `lastIndexed` of everything is now. */
  rebuildIndex(): void {
    this.#pending.clear();
    this.index.load(this.items, this.now());
  }

  /** The index as it is at this time. */
  currentIndex(): SearchIndex {
    this.#settle(this.now());
    return this.index;
  }

  /** Of a history that begins with `first`; used by samples, which number their own items. */
  linkVersions(first: Item, second: Item, summary: string): void {
    const history = this.#newHistory(first);
    this.#addVersion(history, second, 2, summary);
  }

  #settle(until: number): void {
    for (const [uuid, due] of this.#pending) {
      if (due > until) continue;
      this.#pending.delete(uuid);
      const item = this.#byUuid.get(uuid);
      if (item === undefined) this.index.remove(uuid);
      else this.index.put(item, this.now());
    }
  }

  #noteForIndex(item: Item): void {
    this.edits += 1;
    if (!this.#pending.has(item.uuid)) this.#pending.set(item.uuid, this.now() + this.indexLag);
  }

  #newHistory(first: Item): VersionHistory {
    const history: VersionHistory = { id: this.histories.size + 1, versions: [] };
    this.histories.set(history.id, history);
    this.#addVersion(history, first, 1, null);
    return history;
  }

  #addVersion(history: VersionHistory, item: Item, number: number, summary: string | null): void {
    const id = Math.max(100, ...this.versions.keys()) + 1;
    const version: Version = { id, number, createdAt: item.lastModified, summary, item, history };
    history.versions.push(version);
    this.versions.set(id, version);
    item.version = version;
  }

  #identified({ handle }: Item): Metadata {
    return { 'dc.identifier.uri': handle === undefined ? [] : [plain(`${this.handleServer}/${handle}`)] };
  }

  #setHandle(item: Item, handle: string): void {
    if (item.handle !== undefined && this.#byHandle.get(item.handle) === item)
      this.#byHandle.delete(item.handle);
    item.handle = handle;
    this.#byHandle.set(handle, item);
  }

  #kept(uuid: string): { item: Item; bitstream: Bitstream } {
    this.bitstream(uuid)?.item.keepBundles();
    const found = this.bitstream(uuid);
    if (found === undefined) throw new Error(`no bitstream ${uuid}`);
    return found;
  }

  #partId(item: Item): string {
    this.#partNumber += 1;
    return partId(item.number, this.#partNumber & 0xffff);
  }
}

function isParts(content: ItemParts | Metadata): content is ItemParts {
  return typeof content.metadata === 'function';
}

function partsOf(metadata: Metadata): ItemParts {
  return { metadata: () => structuredClone(metadata), bundles: () => [] };
}

/** New ids, the same bytes. */
function copyBundles(bundles: readonly Bundle[], itemNumber: number): Bundle[] {
  let ordinal = 0x4000;
  const next = () => {
    ordinal += 1;
    return partId(itemNumber, ordinal);
  };
  return bundles.map(({ name, read, bitstreams }) => ({
    uuid: next(),
    name,
    ...(read === undefined ? {} : { read }),
    bitstreams: bitstreams.map((bitstream) => ({ ...bitstream, uuid: next() })),
  }));
}
