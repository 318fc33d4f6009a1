import type { AdapterContext, Collection } from '../../../src/core/adapter.ts';
import { failure } from '../../../src/core/errors.ts';
import { asUuid, embedded, isEmbedded, type JsonObject } from '../rest/json-value.ts';
import { listRows } from '../rest/list-rows.ts';
import { isNotFound, isRefused, isRestError } from '../rest/rest-error.ts';
import type { RestService } from '../rest/rest-service.ts';
import { type Place, placeOf } from './collection-place.ts';

/** Collections that are read one by one before all are: an incremental run meets few. */
const singlesFirst = 3;

/** Communities in one another that come along with one request; of deeper ones the next request tells. */
const chain = ['embed', Array.from({ length: 5 }, () => 'parentCommunity').join('/')] as const;

/** More than this is a circle. */
const deepest = 50;

/** Communities and collections, read once per run and not before somebody needs them. */
export class CollectionTree {
  readonly #rest: RestService;
  readonly #context: Pick<AdapterContext, 'log'>;
  readonly #places = new Map<string, Place>();
  /** By UUID, what is being asked for alone, or was in vain. */
  readonly #asked = new Map<string, Promise<void>>();
  #all: Promise<void> | undefined;

  constructor(rest: RestService, context: Pick<AdapterContext, 'log'>) {
    this.#rest = rest;
    this.#context = context;
  }

  /**
   * Keys of collections and of every community above them, without repetition, the collections first:
   * `col_123456789_2`, `com_123456789_1`; the UUID where there is no handle.
   * @param collections as embedded in an item: the owning one, then those it is mapped to
   */
  async keysOf(collections: readonly JsonObject[], signal: AbortSignal): Promise<readonly string[]> {
    const own: string[] = [];
    const above: string[] = [];
    for (const json of collections) {
      const place = placeOf(json, 'collection');
      if (place === undefined) continue;
      own.push(place.key);
      await this.#need(place.uuid, signal);
      above.push(...(await this.#keysAbove(place.uuid, signal)));
    }
    return [...new Set([...own, ...above])];
  }

  /** Every community and collection that everybody may list, each once, communities first. @throws RestError */
  async *list(signal: AbortSignal): AsyncGenerator<Collection> {
    await this.#loadAll(signal);
    const byKey = new Set<string>();
    for (const { key, name, description } of this.#places.values()) {
      if (byKey.has(key)) continue;
      byKey.add(key);
      yield { spec: key, name: name ?? key, ...(description === undefined ? {} : { description }) };
    }
  }

  /** The UUID of a community or collection by its key, as configured; undefined: nobody knows it. */
  async uuidOf(key: string, signal: AbortSignal): Promise<string | undefined> {
    const uuid = asUuid(key);
    if (uuid !== undefined) return uuid;
    await this.#loadAll(signal);
    for (const place of this.#places.values()) if (place.key === key) return place.uuid;
    return undefined;
  }

  async #keysAbove(uuid: string, signal: AbortSignal): Promise<readonly string[]> {
    const keys: string[] = [];
    let above = this.#places.get(uuid)?.parent;
    while (above !== undefined && keys.length < deepest) {
      const community = this.#places.get(above) ?? (await this.#readCommunity(above, signal));
      if (community === undefined || keys.includes(community.key)) break;
      keys.push(community.key);
      above = community.parent;
    }
    return keys;
  }

  /** Sees to it that a collection is known, if it can be. */
  async #need(uuid: string, signal: AbortSignal): Promise<void> {
    if (this.#places.has(uuid)) return;
    if (!this.#asked.has(uuid) && this.#asked.size >= singlesFirst) {
      await this.#loadAll(signal).catch((error: unknown) => {
        if (!isRestError(error)) throw error;
      });
      if (this.#places.has(uuid)) return;
    }
    await this.#askOnce(`/core/collections/${uuid}`, uuid, 'collection', signal);
  }

  async #readCommunity(uuid: string, signal: AbortSignal): Promise<Place | undefined> {
    await this.#askOnce(`/core/communities/${uuid}`, uuid, 'community', signal);
    return this.#places.get(uuid);
  }

  #askOnce(path: string, uuid: string, kind: Place['kind'], signal: AbortSignal): Promise<void> {
    const asked = this.#asked.get(uuid) ?? this.#ask(path, kind, signal);
    this.#asked.set(uuid, asked);
    // What failed for a while may be asked for again.
    asked.catch(() => this.#asked.delete(uuid));
    return asked;
  }

  async #ask(path: string, kind: Place['kind'], signal: AbortSignal): Promise<void> {
    let json: JsonObject | undefined;
    try {
      json = await this.#rest.get(path, [chain], { signal });
    } catch (error) {
      // It is not for us, or moved away in this moment: the item's own word on it is all there is.
      if (isRefused(error) || isNotFound(error)) return;
      throw error;
    }
    let place = json === undefined ? undefined : this.#keep(json, kind);
    while (json !== undefined && place !== undefined) {
      json = embedded(json, 'parentCommunity');
      // The last of the chain has nothing embedded: whether it has a parent is not known yet.
      if (json === undefined || !isEmbedded(json, 'parentCommunity')) break;
      place = this.#keep(json, 'community');
    }
  }

  #keep(json: JsonObject, kind: Place['kind'], parent?: string): Place | undefined {
    const place = placeOf(json, kind, parent);
    if (place !== undefined) this.#places.set(place.uuid, place);
    return place;
  }

  #loadAll(signal: AbortSignal): Promise<void> {
    this.#all ??= this.#load(signal);
    return this.#all;
  }

  async #load(signal: AbortSignal): Promise<void> {
    try {
      for (const kind of ['community', 'collection'] as const) {
        const path = kind === 'community' ? '/core/communities' : '/core/collections';
        const rows = listRows(this.#rest, path, [['embed', 'parentCommunity']], signal);
        for await (const json of rows) this.#keep(json, kind);
      }
    } catch (error) {
      if (!isRestError(error)) throw error;
      this.#context.log.warn(
        { ...failure(error) },
        'communities are not listed; they are read level by level',
      );
      await this.#walk(signal).catch((refusal: unknown) => {
        // Nobody may list them; those of items are read as the items name them.
        if (!isRefused(refusal)) throw refusal;
      });
    }
  }

  /** From the top down, where the lists of all are refused. */
  async #walk(signal: AbortSignal): Promise<void> {
    const waiting: string[] = [];
    const keepCommunities = async (path: string, parent: string | undefined) => {
      for await (const json of listRows(this.#rest, path, [], signal)) {
        const uuid = asUuid(json.uuid);
        if (uuid === undefined || this.#places.has(uuid)) continue;
        this.#keep(json, 'community', parent);
        waiting.push(uuid);
      }
    };
    const keepCollections = async (path: string, parent: string) => {
      for await (const json of listRows(this.#rest, path, [], signal)) this.#keep(json, 'collection', parent);
    };
    await keepCommunities('/core/communities/search/top', undefined);
    for (let uuid = waiting.shift(); uuid !== undefined; uuid = waiting.shift()) {
      const path = `/core/communities/${uuid}`;
      await unlessClosed(keepCommunities(`${path}/subcommunities`, uuid));
      await unlessClosed(keepCollections(`${path}/collections`, uuid));
    }
  }
}

/** What is in one community may not be for everybody: that hides nothing of the others. */
async function unlessClosed(reading: Promise<void>): Promise<void> {
  try {
    await reading;
  } catch (error) {
    if (!isRefused(error) && !isNotFound(error)) throw error;
  }
}
