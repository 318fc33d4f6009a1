import { describeError } from '../../../src/core/errors.ts';
import { asObject, type JsonObject } from '../rest/json-value.ts';
import { isBroken, isForeign, isNotFound, isRefused, isSlow, RestError } from '../rest/rest-error.ts';
import { handlePath, type LegacyRest, type Query } from '../rest/rest-service.ts';
import type { CollectionTree } from './collection-tree.ts';
import { type ItemReader, itemExpand, type ReadItem } from './item-reader.ts';
import { isAnswering } from './witness.ts';

export type ItemKey = { readonly handle: string } | { readonly id: string };

/**
 * `unknown`: there is no such item; `refused`: it is not for everybody; `broken`: the server answers,
 * but not clearly about this one, and why.
 */
export type FoundItem = ReadItem | 'unknown' | 'refused' | { readonly broken: string };

export interface LookupParts {
  readonly rest: LegacyRest;
  readonly tree: CollectionTree;
  readonly reader: ItemReader;
}

const expanded: Query = [['expand', itemExpand]];

/** Reads items one by one. */
export class ItemLookup {
  readonly #parts: LookupParts;

  constructor(parts: LookupParts) {
    this.#parts = parts;
  }

  /** @throws BridgeError when the service as such cannot be asked */
  async find(key: ItemKey, signal: AbortSignal): Promise<FoundItem> {
    const path = 'handle' in key ? handlePath(key.handle) : `/items/${key.id}`;
    const json = await this.#try(path, expanded, signal);
    if (json === undefined) return 'unknown';
    if (!('error' in json)) return this.#parts.reader.read(json.item);
    // An unknown handle is answered with 500, and so is an item that the server fails over.
    const bare = isFinal(json.error) ? json : await this.#try(path, [], signal);
    if (bare === undefined) return 'unknown';
    if (!('error' in bare)) return { broken: describeError(json.error) };
    const { rest, tree } = this.#parts;
    if (!(await isAnswering(rest, tree, signal))) throw bare.error;
    if (isRefused(bare.error)) return 'refused';
    const isUnknown = isNotFound(bare.error) || ('handle' in key && isUnknownHandle(bare.error));
    return isUnknown ? 'unknown' : { broken: describeError(json.error) };
  }

  /** @returns undefined: what is there is no item */
  async #try(
    path: string,
    query: Query,
    signal: AbortSignal,
  ): Promise<{ readonly item: JsonObject } | { readonly error: unknown } | undefined> {
    try {
      const json = asObject(await this.#parts.rest.get(path, query, signal));
      return json?.type === 'item' ? { item: json } : undefined;
    } catch (error) {
      signal.throwIfAborted();
      if (isFinal(error) || isForeign(error) || isBroken(error) || isSlow(error)) return { error };
      throw error;
    }
  }
}

function isFinal(error: unknown): boolean {
  return isRefused(error) || isNotFound(error);
}

function isUnknownHandle(error: unknown): boolean {
  return error instanceof RestError && error.isSpoken && error.status === 500;
}
