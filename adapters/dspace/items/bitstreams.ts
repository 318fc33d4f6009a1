import type { Bitstream } from '../../../src/core/dspace/dspace-item.ts';
import { mediaTypeOf } from '../../../src/core/dspace/source-files.ts';
import {
  asCount,
  asObject,
  asText,
  asUuid,
  embeddedList,
  isEmbedded,
  type JsonObject,
} from '../rest/json-value.ts';
import { isRestError } from '../rest/rest-error.ts';
import { UnreadableItem } from '../rest/unreadable-item.ts';
import type { PublicRows } from '../rest/whole-list.ts';
import { readAccess, type StatedAccess, unknownAccess } from './access.ts';
import { isLinked, type SubResources } from './sub-resources.ts';

/** What DSpace publishes files from, unless something else is configured. */
const original = 'ORIGINAL';

export interface ListedBitstream {
  readonly bitstream: Bitstream;
  readonly stated: StatedAccess;
}

/** What of an item's files is for everybody to see. */
export interface ListedFiles {
  readonly listed: readonly ListedBitstream[];
  /** There are no others that are hidden. */
  readonly isWhole: boolean;
}

const bitstreamQuery = [
  ['embed', 'format'],
  ['embed', 'accessStatus'],
] as const;

const bundleQuery = [
  ['embed', 'bitstreams/format'],
  ['embed', 'bitstreams/accessStatus'],
  ['embed.size', 'bitstreams=100'],
] as const;

/**
 * The files in some bundles of an item, with who may read each: by its own word where the server has one (DSpace 9 and
 * later); by the item's, which is about its first file, where there is no other file it could be about; else nobody
 * knows without asking for it.
 */
export class Bitstreams {
  readonly #parts: SubResources;
  readonly #bundles: readonly string[];

  /** @param bundles by name; undefined: ORIGINAL */
  constructor(parts: SubResources, bundles: readonly string[] | undefined) {
    this.#parts = parts;
    this.#bundles = bundles ?? [original];
  }

  /**
   * @param item with what is embedded in it
   * @throws UnreadableItem when one of the lists is cut off
   */
  async read(item: JsonObject, uuid: string, signal: AbortSignal): Promise<ListedFiles> {
    const address = { relation: 'bundles', path: `/core/items/${uuid}/bundles`, query: bundleQuery };
    const bundles = await this.#parts.list(item, address, signal);
    const found = new Map<string, { readonly json: JsonObject; readonly bundleName: string }>();
    let { isWhole } = bundles;
    for (const bundleName of this.#bundles) {
      for (const bundle of bundles.rows.filter(({ name }) => name === bundleName)) {
        const files = await this.#filesOf(bundle, signal);
        for (const json of files.rows) found.set(identityOf(json), { json, bundleName });
        isWhole &&= files.isWhole;
      }
    }
    const originals = [...found.values()].filter(({ bundleName }) => bundleName === original);
    // The word of the item may be about a file that is not shown.
    const onlyOne = originals.length === 1 && isWhole;
    const listed: ListedBitstream[] = [];
    for (const [id, { json, bundleName }] of found) {
      const bitstream = {
        ...readBitstream(json, id, bundleName),
        ...(await this.#typeOf(json, id, signal)),
      };
      const decides = onlyOne && bundleName === original;
      listed.push({
        bitstream,
        stated: await this.#accessOf(json, id, decides ? item : undefined, uuid, signal),
      });
    }
    return { listed, isWhole };
  }

  /** A bundle may be closed to the public: then nothing in it is for everybody. */
  async #filesOf(bundle: JsonObject, signal: AbortSignal): Promise<PublicRows> {
    const uuid = asUuid(bundle.uuid);
    const list = embeddedList(bundle, 'bitstreams');
    if (uuid === undefined && list === undefined) throw new UnreadableItem('one of its bundles has no UUID');
    const path = `/core/bundles/${uuid ?? ''}/bitstreams`;
    return this.#parts.list(bundle, { relation: 'bitstreams', path, query: bitstreamQuery }, signal);
  }

  async #typeOf(
    json: JsonObject,
    id: string,
    signal: AbortSignal,
  ): Promise<Pick<Bitstream, 'mimeType' | 'format'>> {
    const found = await this.#parts.optional(json, 'format', `/core/bitstreams/${id}/format`, signal);
    const format = asText(found?.mimetype);
    const mimeType = mediaTypeOf(format);
    return { mimeType, ...(format === mimeType ? {} : { format }) };
  }

  async #accessOf(
    json: JsonObject,
    id: string,
    item: JsonObject | undefined,
    itemUuid: string,
    signal: AbortSignal,
  ): Promise<StatedAccess> {
    const relation = 'accessStatus';
    try {
      if (isEmbedded(json, relation) || isLinked(json, relation)) {
        return readAccess(
          await this.#parts.one(json, relation, `/core/bitstreams/${id}/${relation}`, signal),
        );
      }
      if (item === undefined) return unknownAccess;
      return readAccess(
        await this.#parts.optional(item, relation, `/core/items/${itemUuid}/${relation}`, signal),
      );
    } catch (error) {
      // The file itself can still be asked for.
      if (!isRestError(error)) throw error;
      return unknownAccess;
    }
  }
}

function identityOf(json: JsonObject): string {
  const uuid = asUuid(json.uuid) ?? asUuid(json.id);
  if (uuid === undefined) throw new UnreadableItem('one of its files has no UUID');
  return uuid;
}

function readBitstream(json: JsonObject, id: string, bundleName: string): Bitstream {
  const checkSum = asObject(json.checkSum);
  const algorithm = asText(checkSum?.checkSumAlgorithm);
  const value = asText(checkSum?.value);
  const sequenceId = asCount(json.sequenceId);
  return {
    id,
    name: asText(json.name)?.trim() || id,
    bundleName,
    description: asText(json.description),
    sizeBytes: asCount(json.sizeBytes),
    checkSum: algorithm === undefined || value === undefined ? undefined : { algorithm, value },
    mimeType: undefined,
    sequenceId: sequenceId === 0 ? undefined : sequenceId,
  };
}
