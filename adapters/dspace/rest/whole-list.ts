import { asText, type EmbeddedList, embeddedList, type JsonObject, totalOf } from './json-value.ts';
import type { Query, RestService } from './rest-service.ts';
import { UnreadableItem } from './unreadable-item.ts';

/** More would be a mistake; memory is bounded all the same. */
const mostRows = 100_000;
/** Rows per request: with embeds in each row, more would take a server too long. */
const pageSize = 100;
/** What DSpace embeds of a list when nobody asks for more. */
const embedDefault = 20;

/** A list of the API, with the relation by which it is embedded. */
export interface ListAddress {
  readonly relation: string;
  /** Below the base: `/core/bundles/{uuid}/bitstreams`. */
  readonly path: string;
  /** What each row is to have embedded. */
  readonly query: Query;
  /** Rows of it are often withheld, so that an embedded page that could hold them all is believed. */
  readonly withheld?: boolean;
}

/** The rows that everybody may read. DSpace takes out the others after it has counted them. */
export interface PublicRows {
  readonly rows: readonly JsonObject[];
  /** False: the server counts rows that it does not show, or shows none of them to the public. */
  readonly isWhole: boolean;
}

/** Whether the rows are all there are. Without a total, a list that is as long as a page may be one. */
export function isWhole({ rows, total }: EmbeddedList): boolean {
  if (total === undefined) return rows.length < embedDefault;
  return distinct(rows, new Map()).size >= total;
}

/**
 * A list from its own endpoint, page by page to the end of what the server counts. Pages are asked for by number:
 * `next` links lose what was to be embedded. A row that is counted and on no page is withheld from the public, unless
 * the answers themselves show that the list is cut off.
 * @param known rows that were embedded: the list has at least these
 * @throws UnreadableItem when it is cut off: a shorter list would be taken for deletions
 * @throws RestError
 */
export async function readWholeList(
  rest: RestService,
  address: ListAddress,
  known: readonly JsonObject[],
  signal: AbortSignal,
): Promise<PublicRows> {
  const list = new ListPages(rest, address, signal);
  let walk = await list.walk(pageSize);
  const cap = walk.isWhole ? undefined : await list.capOf(walk);
  if (cap !== undefined) walk = await list.walk(cap);
  const { rows, stated } = walk;
  const lost = known.some((row) => typeof row.uuid === 'string' && !rows.has(row.uuid.toLowerCase()));
  if (!walk.isWhole && (walk.repeats || lost)) throw cutOff(address, rows.size, stated);
  return { rows: [...rows.values()], isWhole: walk.isWhole };
}

interface Walk {
  readonly rows: Map<string, JsonObject>;
  readonly size: number;
  /** What the server counts. */
  stated: number | undefined;
  isWhole: boolean;
  /** Rows came again on another page, or twice on one. */
  repeats: boolean;
  first: ReadonlySet<string>;
}

/** The pages of one list. */
class ListPages {
  readonly #rest: RestService;
  readonly #address: ListAddress;
  readonly #signal: AbortSignal;

  constructor(rest: RestService, address: ListAddress, signal: AbortSignal) {
    this.#rest = rest;
    this.#address = address;
    this.#signal = signal;
  }

  async walk(asked: number): Promise<Walk> {
    const rows = new Map<string, JsonObject>();
    let walk: Walk = {
      rows,
      size: asked,
      stated: undefined,
      isWhole: false,
      repeats: false,
      first: new Set(),
    };
    for (let page = 0; ; page += 1) {
      const found = await this.#page(page, walk.size);
      // The count is that of the whole list on every page but the last, where Spring corrects it (DSpace#8105).
      if (found.total !== undefined) walk.stated = Math.max(walk.stated ?? 0, found.total);
      const before = rows.size;
      distinct(found.rows, rows);
      if (rows.size - before < found.rows.length) walk.repeats = true;
      if (page === 0) {
        // A server that says it gives fewer counts its pages by that.
        const size = Math.max(1, Math.min(walk.size, found.size ?? walk.size));
        walk = { ...walk, size, first: new Set(rows.keys()) };
      }
      const { stated, size } = walk;
      if (stated === undefined ? found.rows.length < size : rows.size >= stated) {
        return { ...walk, isWhole: true };
      }
      if (stated !== undefined && (page + 1) * size >= stated) return walk;
      const isStuck = found.rows.length > 0 && rows.size === before;
      if (isStuck || (page + 1) * size > mostRows) throw cutOff(this.#address, rows.size, stated);
    }
  }

  /**
   * Rows that a page really has room for, where that is fewer than asked for and than the server says (DSpace#8723);
   * undefined: pages are short because rows of them are withheld.
   */
  async capOf({ rows, first, size, stated = 0 }: Walk): Promise<number | undefined> {
    const position = first.size;
    if (position === 0 || position >= size) return undefined;
    const name = await this.#at(position);
    if (name === undefined) return undefined;
    const isSuspect = name === [...rows.keys()][0];
    // Whatever position is asked for, even one behind the end, it begins anew.
    if (isSuspect && (await this.#at(stated)) !== undefined) throw cutOff(this.#address, rows.size, stated);
    return first.has(name) ? undefined : position;
  }

  /** The UUID of the row at a position; undefined: it is withheld, or there is none. */
  async #at(position: number): Promise<string | undefined> {
    const { rows } = await this.#page(position, 1);
    return asText(rows[0]?.uuid)?.toLowerCase();
  }

  async #page(page: number, size: number): Promise<EmbeddedList> {
    const { path, query, relation } = this.#address;
    const paging = [
      ['page', String(page)],
      ['size', String(size)],
    ] as const;
    const answer = await this.#rest.get(path, [...query, ...paging], { signal: this.#signal });
    if (answer === undefined) return { rows: [], total: 0, size: undefined };
    const list = embeddedList(answer, relation);
    if (list !== undefined) return list;
    // Of an empty list nothing is embedded at all; but then it says that it has nothing.
    const total = totalOf(answer);
    if (total === undefined) throw new UnreadableItem(`its list of ${relation} is answered with no list`);
    return { rows: [], total, size: undefined };
  }
}

function cutOff({ relation }: ListAddress, found: number, stated: number | undefined): UnreadableItem {
  return new UnreadableItem(`its list of ${relation} has ${found} of ${stated ?? 'too many'} entries`);
}

/** Adds rows by their UUID, each once; those without one only count for themselves. */
function distinct(rows: readonly JsonObject[], into: Map<string, JsonObject>): Map<string, JsonObject> {
  for (const row of rows) {
    const key = typeof row.uuid === 'string' ? row.uuid.toLowerCase() : `row ${into.size}`;
    if (!into.has(key)) into.set(key, row);
  }
  return into;
}
