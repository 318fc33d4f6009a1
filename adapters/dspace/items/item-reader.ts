import type {
  AdapterContext,
  AdapterSettings,
  Problem,
  SourceFile,
  SourceItem,
  SourceMetadata,
} from '../../../src/core/adapter.ts';
import { circumstancesOf, circumstancesOfSource } from '../../../src/core/crosswalks/circumstances.ts';
import { crosswalk, isCrosswalkFormat, usualFormats } from '../../../src/core/crosswalks/crosswalk.ts';
import type { Circumstances } from '../../../src/core/crosswalks/work.ts';
import { parseDatestamp } from '../../../src/core/datetime.ts';
import type { DspaceItem, OwningCollection } from '../../../src/core/dspace/dspace-item.ts';
import { toSourceFiles } from '../../../src/core/dspace/source-files.ts';
import { asFlag, asText, asUuid, embedded, type JsonObject } from '../rest/json-value.ts';
import { isRestError } from '../rest/rest-error.ts';
import type { RestService } from '../rest/rest-service.ts';
import { UnreadableItem } from '../rest/unreadable-item.ts';
import { readAccess, type StatedAccess } from './access.ts';
import { Bitstreams, type ListedFiles } from './bitstreams.ts';
import type { CollectionTree } from './collection-tree.ts';
import { CoverPages } from './cover-pages.ts';
import { readMetadata } from './item-metadata.ts';
import { landingPage } from './landing-page.ts';
import { SubResources } from './sub-resources.ts';

/** With these query pairs an answer holds everything that is read of its items. */
export const itemEmbeds: readonly (readonly [string, string])[] = [
  ['embed', 'owningCollection'],
  ['embed', 'mappedCollections'],
  ['embed', 'accessStatus'],
  ['embed', 'bundles/bitstreams/format'],
  ['embed', 'bundles/bitstreams/accessStatus'],
  ['embed', 'version/versionhistory'],
  ['embed.size', 'bundles=100'],
  ['embed.size', 'bundles/bitstreams=100'],
  ['embed.size', 'mappedCollections=100'],
];

export interface ItemReaderParts {
  readonly rest: RestService;
  readonly settings: AdapterSettings;
  readonly context: AdapterContext;
  readonly identifierOf: (handle: string | undefined, uuid: string) => string;
  readonly collections: Pick<CollectionTree, 'keysOf'>;
  /** @returns undefined: nothing is known of earlier ones */
  readonly versions?:
    | ((item: JsonObject, signal: AbortSignal) => Promise<PriorVersions | undefined>)
    | undefined;
}

/** An item, or that it is not for everybody, or what is wrong with it. */
export type ReadItem =
  | { readonly item: SourceItem }
  /** Its identifier, of an item that is withdrawn, private or not archived. */
  | { readonly hidden: string }
  | { readonly problem: Problem };

/** What an item was before, as far as everybody may read it, oldest first. */
export type PriorVersions = Pick<SourceItem, 'versions' | 'hiddenVersions'>;

/** What is published of an item, whether it is the current one or an earlier version. */
export interface ItemState {
  readonly metadata: readonly SourceMetadata[];
  readonly files: readonly SourceFile[];
}

interface WholeItem extends ListedFiles {
  readonly item: DspaceItem;
  /** What the repository says of the files as a whole. */
  readonly stated: StatedAccess;
  readonly page: string | undefined;
}

/** Items as everybody may read them: one reader for a run, because it gets to know the server. */
export class ItemReader {
  readonly #parts: ItemReaderParts;
  readonly #formats: readonly string[];
  readonly #subResources: SubResources;
  readonly #bitstreams: Bitstreams;
  readonly #coverPages: CoverPages;

  constructor(parts: ItemReaderParts) {
    const { rest, settings, context } = parts;
    this.#parts = parts;
    this.#formats = settings.formats?.filter(isCrosswalkFormat) ?? usualFormats;
    this.#subResources = new SubResources(rest);
    this.#bitstreams = new Bitstreams(this.#subResources, settings.files?.bundles);
    this.#coverPages = new CoverPages(rest, context);
  }

  /**
   * @param json an item with `itemEmbeds`; what is not embedded is asked for
   * @throws BridgeError when the server, not the item, is the trouble
   */
  async read(json: JsonObject, signal: AbortSignal): Promise<ReadItem> {
    const uuid = asUuid(json.uuid) ?? asUuid(json.id);
    if (uuid === undefined) return refused(undefined, 'it has no UUID');
    const identifier = this.#parts.identifierOf(handleOf(json), uuid);
    try {
      if (!isPublic(json)) return { hidden: identifier };
      const whole = await this.#readWhole(json, uuid, signal);
      return { item: await this.#toSourceItem(json, whole, identifier, signal) };
    } catch (error) {
      if (error instanceof UnreadableItem || isRestError(error)) return refused(identifier, error.message);
      throw error;
    }
  }

  /**
   * The same of an earlier version, which is no item of its own any more, with the name and the collections that it has as one.
   * @throws UnreadableItem, RestError, and whatever `read` throws
   */
  async readState(
    json: JsonObject,
    signal: AbortSignal,
  ): Promise<ItemState & Pick<SourceItem, 'identifier' | 'collections'>> {
    const uuid = asUuid(json.uuid) ?? asUuid(json.id);
    if (uuid === undefined) throw new UnreadableItem('it has no UUID');
    const identifier = this.#parts.identifierOf(handleOf(json), uuid);
    const whole = await this.#readWhole(json, uuid, signal);
    return { identifier, collections: await this.#keysOf(whole, signal), ...this.#toState(whole) };
  }

  async #toSourceItem(
    json: JsonObject,
    whole: WholeItem,
    identifier: string,
    signal: AbortSignal,
  ): Promise<SourceItem> {
    const { settings, versions } = this.#parts;
    const { item, page } = whole;
    await this.#lookForCoverPages(whole, signal);
    const { metadata, files } = this.#toState(whole);
    const earlier = await versions?.(json, signal);
    return {
      identifier,
      datestamp: item.lastModified,
      collections: await this.#keysOf(whole, signal),
      speaksFor: {
        formats: this.#formats,
        files: settings.files === undefined ? undefined : { name: 'dspace', rank: 0 },
      },
      deleted: false,
      metadata,
      files,
      // Other formats may come from elsewhere.
      ...(settings.oaiFormats === undefined ? { complete: true } : {}),
      ...earlier,
      ...(page === undefined ? {} : { landingPage: page }),
    };
  }

  #keysOf({ item }: WholeItem, signal: AbortSignal): Promise<readonly string[]> {
    const owning = item.collections.map(({ id, handle }) => ({ uuid: id, handle }));
    return this.#parts.collections.keysOf(owning, signal);
  }

  async #readWhole(json: JsonObject, uuid: string, signal: AbortSignal): Promise<WholeItem> {
    const lastModified = asText(json.lastModified);
    const metadata = readMetadata(json.metadata);
    const { listed, isWhole } = await this.#bitstreams.read(json, uuid, signal);
    const item: DspaceItem = {
      id: uuid,
      handle: handleOf(json),
      name: asText(json.name),
      entityType: asText(json.entityType),
      lastModified: lastModified === undefined ? undefined : parseDatestamp(lastModified),
      metadata,
      bitstreams: listed.map(({ bitstream }) => bitstream),
      collections: await this.#collectionsOf(json, uuid, signal),
    };
    const stated = readAccess(embedded(json, 'accessStatus'));
    return { item, listed, isWhole, stated, page: landingPage(item, this.#parts.rest.root) };
  }

  /** Owning and mapped; those that are not for everybody are not there. */
  async #collectionsOf(
    json: JsonObject,
    uuid: string,
    signal: AbortSignal,
  ): Promise<readonly OwningCollection[]> {
    const path = `/core/items/${uuid}`;
    const owning = await this.#subResources.one(json, 'owningCollection', `${path}/owningCollection`, signal);
    const relation = 'mappedCollections';
    const address = { relation, path: `${path}/${relation}`, query: [], withheld: true };
    const { rows: mapped } = await this.#subResources.list(json, address, signal);
    const found = new Map<string, OwningCollection>();
    for (const collection of owning === undefined ? mapped : [owning, ...mapped]) {
      const id = asUuid(collection.uuid) ?? asUuid(collection.id);
      // An empty place is left where one is not for everybody.
      if (id !== undefined && !found.has(id))
        found.set(id, { id, handle: handleOf(collection), name: asText(collection.name) });
    }
    return [...found.values()];
  }

  #toState(whole: WholeItem): ItemState {
    const { rest, settings } = this.#parts;
    const { item, listed } = whole;
    const upstreamUrl = `${rest.base}/core/items/${item.id}`;
    const documents = crosswalk(this.#formats, item, this.#circumstancesOf(whole));
    const metadata = documents.map((document) => ({ ...document, upstreamUrl }));
    if (settings.files === undefined) return { metadata, files: [] };
    const stated = new Map(listed.map(({ bitstream, stated }) => [bitstream.id, stated]));
    const files = toSourceFiles(item.bitstreams, ({ id, mimeType }) => ({
      url: this.#addressOf(id),
      ...(stated.get(id) ?? { access: 'unknown' }),
      isAltered: this.#coverPages.found && mimeType === pdf,
    }));
    return { metadata, files };
  }

  #circumstancesOf({ listed, isWhole, stated, page }: WholeItem): Circumstances {
    const isPublished = this.#parts.settings.files !== undefined;
    const files = listed.map(({ bitstream, stated: of }) => ({
      bitstream,
      ...of,
      ...(isPublished && { url: this.#addressOf(bitstream.id) }),
    }));
    return {
      page,
      ...circumstancesOfSource(this.#parts.settings.crosswalk),
      ...circumstancesOf({ files, ofItem: stated.access, isWhole }),
    };
  }

  #addressOf(bitstream: string): string {
    return `${this.#parts.rest.base}/core/bitstreams/${bitstream}/content`;
  }

  async #lookForCoverPages({ item, listed }: WholeItem, signal: AbortSignal): Promise<void> {
    if (this.#parts.settings.files === undefined) return;
    const open = listed.find(
      ({ bitstream, stated }) => bitstream.mimeType === pdf && stated.access === 'open',
    );
    if (open === undefined) return;
    await this.#coverPages.look(item.collections[0]?.id ?? '', open.bitstream, signal);
  }
}

const pdf = 'application/pdf';

/**
 * The promise of this adapter: what is withdrawn, private or not archived yet is answered like anything else.
 * @throws UnreadableItem when it does not say
 */
function isPublic(json: JsonObject): boolean {
  const flags = [asFlag(json.inArchive), negated(asFlag(json.withdrawn)), asFlag(json.discoverable)];
  if (flags.includes(false)) return false;
  if (flags.includes(undefined)) throw new UnreadableItem('it does not say whether it is public');
  return true;
}

function negated(flag: boolean | undefined): boolean | undefined {
  return flag === undefined ? undefined : !flag;
}

function handleOf(json: JsonObject): string | undefined {
  const handle = asText(json.handle);
  return handle !== undefined && /^[^\s/]+\/\S+$/.test(handle) ? handle : undefined;
}

function refused(identifier: string | undefined, reason: string): ReadItem {
  const name = identifier === undefined ? 'An item' : `The item ${identifier}`;
  return {
    problem: {
      code: 'record-quarantined',
      message: `${name} cannot be read: ${reason}.`,
      ...(identifier === undefined ? {} : { identifier }),
    },
  };
}
