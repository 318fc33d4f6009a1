import { type EmbeddedList, embeddedList, type JsonObject, totalOf } from './json-value.ts';
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
  /** It counts rows that not everybody may see. */
  readonly withheld?: boolean;
}

/**
 * Whether the rows are all there are. Without a total, a list that is as long as a page may be one.
 * @param withheld rows that not everybody may see may be missing, though the server counts them
 */
export function isWhole({ rows, total, size }: EmbeddedList, withheld: boolean): boolean {
  if (total === undefined) return rows.length < embedDefault;
  return distinct(rows, new Map()).size >= total || (withheld && size !== undefined && size >= total);
}

/**
 * A list from its own endpoint, page by page until every row that the server counts is there. Pages are asked for by
 * number: `next` links lose what was to be embedded.
 * @throws UnreadableItem when the rows do not add up: a shorter list would be taken for deletions
 * @throws RestError
 */
export async function readWholeList(
  rest: RestService,
  { relation, path, query, withheld = false }: ListAddress,
  signal: AbortSignal,
): Promise<readonly JsonObject[]> {
  const rows = new Map<string, JsonObject>();
  let size = pageSize;
  for (let page = 0; ; page += 1) {
    const paging = [
      ['page', String(page)],
      ['size', String(size)],
    ] as const;
    const answer = await rest.get(path, [...query, ...paging], { signal });
    const total = answer === undefined ? 0 : totalOf(answer);
    // Of an empty list nothing is embedded at all.
    const found = (answer && embeddedList(answer, relation)?.rows) ?? [];
    const before = rows.size;
    distinct(found, rows);
    if (total !== undefined && rows.size >= total) return [...rows.values()];
    if (total === undefined && found.length < size) return [...rows.values()];
    if (withheld && total !== undefined && (page + 1) * size >= total) return [...rows.values()];
    if (found.length === 0 || rows.size === before || rows.size > mostRows) {
      throw new UnreadableItem(`its list of ${relation} has ${rows.size} of ${total ?? 'too many'} entries`);
    }
    // A server with a lower limit counts its pages by that, whatever size it says they have (DSpace#8723).
    if (page === 0 && !withheld) size = Math.min(size, found.length);
  }
}

/** Adds rows by their UUID, each once; those without one only count for themselves. */
function distinct(rows: readonly JsonObject[], into: Map<string, JsonObject>): Map<string, JsonObject> {
  for (const row of rows) {
    const key = typeof row.uuid === 'string' ? row.uuid.toLowerCase() : `row ${into.size}`;
    if (!into.has(key)) into.set(key, row);
  }
  return into;
}
