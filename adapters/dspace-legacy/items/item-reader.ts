import type { Problem, SourceItem } from '../../../src/core/adapter.ts';
import { circumstancesOf } from '../../../src/core/crosswalks/circumstances.ts';
import { crosswalk } from '../../../src/core/crosswalks/crosswalk.ts';
import type { SourceCircumstances } from '../../../src/core/crosswalks/work.ts';
import type { Bitstream, DspaceItem, MetadataValue } from '../../../src/core/dspace/dspace-item.ts';
import { byFieldName, fieldName, parseFieldName } from '../../../src/core/dspace/field-name.ts';
import { type FilePlace, toSourceFiles } from '../../../src/core/dspace/source-files.ts';
import { statedPage } from '../../../src/core/dspace/stated-page.ts';
import { describeError } from '../../../src/core/errors.ts';
import { parseLocalTime } from '../../../src/core/time/local-time.ts';
import {
  asCount,
  asFlag,
  asHandle,
  asObject,
  asText,
  idOf,
  type JsonObject,
  objectsOf,
} from '../rest/json-value.ts';
import { CollectionTree, type TreeNode } from './collection-tree.ts';
import type { ItemIdentity } from './item-identity.ts';

/** What everything that is read of an item costs no further request with. */
export const itemExpand = 'metadata,bitstreams,parentCollection,parentCollectionList,parentCommunityList';

export interface ItemReading {
  /** Of the REST service. */
  readonly base: string;
  readonly tree: CollectionTree;
  readonly identity: ItemIdentity;
  /** Own formats, in order. */
  readonly formats: readonly string[];
  /** Names of bundles; undefined: files are not looked for. */
  readonly bundles: readonly string[] | undefined;
  readonly collections: readonly string[] | undefined;
  readonly entityTypes: readonly string[] | undefined;
  readonly timeZone: string;
  readonly crosswalk: SourceCircumstances;
  /** Formats that come from OAI-PMH beside. */
  readonly others: readonly string[];
}

/** An item; that it is not, or no longer, to be published; or what is wrong with it. */
export type ReadItem =
  | { readonly item: SourceItem }
  /** Deleted, as it is to be delivered. */
  | { readonly hidden: SourceItem }
  | { readonly problem: Problem };

export const fileOrigin = { name: 'dspace', rank: 0 } as const;

/** Makes of the JSON of an item, with everything expanded, what is published of it. */
export class ItemReader {
  readonly #reading: ItemReading;

  constructor(reading: ItemReading) {
    this.#reading = reading;
  }

  /** @param here the collection in whose list it was; what it says of its collections itself counts more */
  read(json: unknown, here?: TreeNode): ReadItem {
    const found = asObject(json);
    const id = found && idOf(found);
    if (found === undefined || id === undefined || (found.type !== undefined && found.type !== 'item')) {
      return { problem: { code: 'record-quarantined', message: 'an entry of its list is no item' } };
    }
    const identifier = this.#reading.identity.identifierOf(asHandle(found.handle), id);
    if (asFlag(found.withdrawn) === true) return { hidden: this.refused(identifier) };
    if (asFlag(found.archived) === false) return { hidden: this.deleted(identifier) };
    try {
      return this.#readPublic(found, id, identifier, here);
    } catch (error) {
      return quarantined(identifier, `it could not be read: ${describeError(error)}`);
    }
  }

  /** Gone, in all formats. */
  deleted(identifier: string): SourceItem {
    const { formats, others } = this.#reading;
    return {
      identifier,
      datestamp: undefined,
      collections: [],
      speaksFor: { formats: [...new Set([...formats, ...others])], files: this.#fileOrigin },
      deleted: true,
      metadata: [],
      files: [],
    };
  }

  /** There, and not for everybody; what is private is in no list, and cannot be told by itself. */
  refused(identifier: string): SourceItem {
    return { ...this.deleted(identifier), refused: true };
  }

  get #fileOrigin() {
    return this.#reading.bundles === undefined ? undefined : fileOrigin;
  }

  #readPublic(json: JsonObject, id: string, identifier: string, here: TreeNode | undefined): ReadItem {
    const { tree, formats, collections: selected, entityTypes, others, crosswalk: own } = this.#reading;
    if (!Array.isArray(json.metadata) || !Array.isArray(json.bitstreams)) {
      return quarantined(identifier, 'it came without its metadata or without its list of files');
    }
    const collections = collectionsOf(json, tree, here);
    const communities = objectsOf(json.parentCommunityList).flatMap(
      (community) => tree.toNode('community', community) ?? [],
    );
    const above = [
      ...communities.map(({ key }) => key),
      ...tree.ancestorKeys([...collections, ...communities]),
    ].sort();
    const keys = [...new Set([...collections.map(({ key }) => key), ...above])];
    const metadata = readMetadata(json.metadata);
    const entityType = entityTypeOf(metadata);
    const isWanted =
      CollectionTree.isSelected(keys, selected) &&
      (entityTypes === undefined || entityTypes.includes(entityType ?? ''));
    if (!isWanted) return { hidden: this.deleted(identifier) };
    const lastModified = this.#time(json.lastModified);
    const bitstreams = objectsOf(json.bitstreams).flatMap((bitstream) => this.#bitstream(bitstream));
    const item: DspaceItem = {
      id,
      handle: asHandle(json.handle),
      name: asText(json.name),
      entityType,
      lastModified,
      metadata,
      bitstreams,
      collections: collections.map(({ id: of, handle, name }) => ({ id: of, handle, name })),
    };
    const landingPage = statedPage(metadata);
    const isPublished = this.#fileOrigin !== undefined;
    const files = bitstreams.map((bitstream) => {
      const { access, url } = this.#file(bitstream);
      return { bitstream, access, ...(isPublished && { url }) };
    });
    // What is not for everybody is not in its list: without files it may have some all the same.
    const stated = { files, isWhole: false };
    return {
      item: {
        identifier,
        datestamp: lastModified,
        collections: keys,
        speaksFor: { formats, files: this.#fileOrigin },
        deleted: false,
        metadata: crosswalk(formats, item, { page: landingPage, ...own, ...circumstancesOf(stated) }),
        files:
          this.#fileOrigin === undefined
            ? []
            : toSourceFiles(bitstreams, (bitstream) => this.#file(bitstream)),
        ...(others.length === 0 ? { complete: true } : {}),
        ...(landingPage === undefined ? {} : { landingPage }),
      },
    };
  }

  #time(value: unknown): string | undefined {
    return typeof value === 'string' ? parseLocalTime(value, this.#reading.timeZone) : undefined;
  }

  /** Of the published bundles alone. */
  #bitstream(json: JsonObject): readonly Bitstream[] {
    const id = idOf(json);
    const bundleName = asText(json.bundleName);
    const { bundles = ['ORIGINAL'] } = this.#reading;
    if (id === undefined || bundleName === undefined || !bundles.includes(bundleName)) return [];
    const checkSum = asObject(json.checkSum);
    const [algorithm, value] = [asText(checkSum?.checkSumAlgorithm), asText(checkSum?.value)];
    // -1 where nobody has counted.
    const sequenceId = asCount(json.sequenceId);
    return [
      {
        id,
        name: asText(json.name) ?? id,
        bundleName,
        description: asText(json.description),
        sizeBytes: asCount(json.sizeBytes),
        checkSum: algorithm === undefined || value === undefined ? undefined : { algorithm, value },
        mimeType: asText(json.mimeType),
        sequenceId,
      },
    ];
  }

  /** The service lists only what everybody may read. */
  #file({ id }: Bitstream): FilePlace {
    return { url: `${this.#reading.base}/bitstreams/${id}/retrieve`, access: 'open' };
  }
}

function quarantined(identifier: string, message: string): { problem: Problem } {
  return { problem: { code: 'record-quarantined', message, identifier } };
}

/** The owning one first; DSpace 6 has no order of its own for the others. */
function collectionsOf(json: JsonObject, tree: CollectionTree, here?: TreeNode): readonly TreeNode[] {
  const owner = asObject(json.parentCollection);
  const owning = owner && tree.toNode('collection', owner);
  const all = objectsOf(json.parentCollectionList).flatMap((row) => tree.toNode('collection', row) ?? []);
  const others = (here === undefined ? all : [...all, here]).sort((a, b) => (a.key < b.key ? -1 : 1));
  const nodes = new Map((owning === undefined ? others : [owning, ...others]).map((node) => [node.id, node]));
  return [...nodes.values()];
}

function readMetadata(rows: readonly unknown[]): readonly MetadataValue[] {
  return byFieldName(objectsOf(rows).flatMap(readValue));
}

function readValue({
  key,
  schema,
  element,
  qualifier,
  value,
  language,
}: JsonObject): readonly MetadataValue[] {
  // Late versions of 6 state the parts beside.
  const name = asText(key) ?? [schema, element, qualifier].flatMap((part) => asText(part) ?? []).join('.');
  const field = parseFieldName(name);
  if (field === undefined || typeof value !== 'string') return [];
  return [{ ...field, value, language: asText(language), authority: undefined, confidence: undefined }];
}

/** The `/rest` that DSpace 7 still had. */
function entityTypeOf(metadata: readonly MetadataValue[]): string | undefined {
  return metadata.find((value) => fieldName(value) === 'dspace.entity.type')?.value;
}
