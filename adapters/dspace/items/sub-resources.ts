import { asObject, embedded, embeddedList, isEmbedded, type JsonObject } from '../rest/json-value.ts';
import { isRestError } from '../rest/rest-error.ts';
import type { RestService } from '../rest/rest-service.ts';
import { isWhole, type ListAddress, type PublicRows, readWholeList } from '../rest/whole-list.ts';

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
   * What of a list is for everybody. A list that is refused while the resource is not, or of which rows are counted and
   * not shown, has parts that are not.
   * @throws UnreadableItem when it is cut off; RestError
   */
  async list(json: JsonObject, address: ListAddress, signal: AbortSignal): Promise<PublicRows> {
    const list = embeddedList(json, address.relation);
    if (list !== undefined) {
      const whole = isWhole(list);
      const hasRoom = address.withheld === true && (list.size ?? 0) >= (list.total ?? 1);
      if (whole || hasRoom) return { rows: list.rows, isWhole: whole };
    }
    const known = list?.rows ?? [];
    try {
      return await readWholeList(this.#rest, address, known, signal);
    } catch (error) {
      if (!isRestError(error, 401, 403, 404, 410)) throw error;
      return { rows: known, isWhole: false };
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
      if (!isRestError(error, 401, 403, 404, 410)) throw error;
      this.#refusals.set(relation, refusals + 1);
      return undefined;
    }
  }
}

export function isLinked(json: JsonObject, relation: string): boolean {
  const links = asObject(json._links);
  return links !== undefined && Object.hasOwn(links, relation);
}
