import { asObject, embedded, embeddedList, isEmbedded, type JsonObject } from './json-value.ts';
import { isRestError } from './rest-error.ts';
import type { RestService } from './rest-service.ts';
import { isWhole, type ListAddress, readWholeList } from './whole-list.ts';

/** After so many refusals in a row, what is not embedded is taken to be refused. */
const enoughRefusals = 3;

/**
 * What belongs to a resource: out of the answer it is embedded in, or, where that has left it out, from its own
 * endpoint. A key is left out when everybody is denied it, or when the server does not know how to embed it.
 */
export class SubResources {
  readonly #rest: RestService;
  /** Relations that this server embeds. */
  readonly #embeds = new Set<string>();
  readonly #refusals = new Map<string, number>();

  constructor(rest: RestService) {
    this.#rest = rest;
  }

  /**
   * @param address below the base, e.g. `/core/items/{uuid}/owningCollection`
   * @returns undefined: there is none, or not for everybody
   */
  async one(
    json: JsonObject,
    relation: string,
    address: string,
    signal: AbortSignal,
  ): Promise<JsonObject | undefined> {
    if (isEmbedded(json, relation)) {
      this.#embeds.add(relation);
      return embedded(json, relation);
    }
    return this.#unlessRefused(relation, () => this.#rest.get(address, [], { signal }));
  }

  /** The same for what a server may not know at all: it is asked only where the resource links to it. */
  async optional(
    json: JsonObject,
    relation: string,
    address: string,
    signal: AbortSignal,
  ): Promise<JsonObject | undefined> {
    const isKnown = isEmbedded(json, relation) || isLinked(json, relation);
    return isKnown ? this.one(json, relation, address, signal) : undefined;
  }

  /**
   * @returns undefined: the list is not for everybody
   * @throws UnreadableItem when there are more rows than can be had; RestError
   */
  async list(
    json: JsonObject,
    address: ListAddress,
    signal: AbortSignal,
  ): Promise<readonly JsonObject[] | undefined> {
    const list = embeddedList(json, address.relation);
    if (list !== undefined && isWhole(list, address.withheld === true)) return list.rows;
    try {
      return await readWholeList(this.#rest, address, signal);
    } catch (error) {
      // What is embedded in part is for everybody, and then so is the rest.
      if (list !== undefined || !isRestError(error, 401, 403)) throw error;
      return undefined;
    }
  }

  async #unlessRefused<T>(relation: string, read: () => Promise<T>): Promise<T | undefined> {
    const refusals = this.#refusals.get(relation) ?? 0;
    if (refusals >= enoughRefusals && this.#embeds.has(relation)) return undefined;
    try {
      const answer = await read();
      this.#refusals.delete(relation);
      return answer;
    } catch (error) {
      if (!isRestError(error, 401, 403, 404)) throw error;
      this.#refusals.set(relation, refusals + 1);
      return undefined;
    }
  }
}

export function isLinked(json: JsonObject, relation: string): boolean {
  const links = asObject(json._links);
  return links !== undefined && Object.hasOwn(links, relation);
}
