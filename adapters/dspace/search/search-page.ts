import { BridgeError } from '../../../src/core/errors.ts';
import { asList, asObject, asText, asUuid, embedded, type JsonObject, totalOf } from '../rest/json-value.ts';
import { uuidOfLink } from '../rest/rest-service.ts';

/** An item that a search found. */
export interface Hit {
  readonly uuid: string;
  readonly handle: string | undefined;
  /** The item, with what was asked to be embedded. */
  readonly json: JsonObject;
}

/** One page of `discover/search/objects`. */
export interface SearchPage {
  /** Each item once. */
  readonly hits: readonly Hit[];
  /** As they came, counted by us: `page.size` repeats what was asked (DSpace#8723). */
  readonly rows: number;
  /** `totalElements`; wrong on some pages (DSpace#8105). */
  readonly total: number | undefined;
  /** Rows that name no item. */
  readonly nameless: number;
  /** Empty rows: the index still lists an item that is not for everybody any more. */
  readonly withheld: number;
}

/** @throws BridgeError `upstream-protocol` when it is no answer to a search */
export function toSearchPage(json: JsonObject | undefined): SearchPage {
  // The contract calls it `searchResults`, every server `searchResult`.
  const result = json && (embedded(json, 'searchResult') ?? embedded(json, 'searchResults'));
  if (result === undefined) {
    throw new BridgeError('upstream-protocol', 'discover/search/objects answered with no result of a search');
  }
  const rows = asList(asObject(result._embedded)?.objects);
  const hits = new Map<string, Hit>();
  let nameless = 0;
  let withheld = 0;
  for (const row of rows) {
    const hit = row === null ? 'withheld' : toHit(asObject(row));
    if (hit === 'other') continue;
    if (hit === 'withheld') withheld += 1;
    else if (hit === undefined) nameless += 1;
    else hits.set(hit.uuid, hit);
  }
  return { hits: [...hits.values()], rows: rows.length, total: totalOf(result), nameless, withheld };
}

/** `other`: something that is no item; `withheld`: a place without one; undefined: nobody can say what it is. */
function toHit(row: JsonObject | undefined): Hit | 'other' | 'withheld' | undefined {
  if (row === undefined) return undefined;
  const isEmpty = embedded(row, 'indexableObject') === undefined;
  if (isEmpty && uuidOfLink(row, 'indexableObject') === undefined) return 'withheld';
  const json = embedded(row, 'indexableObject') ?? {};
  if (typeof json.type === 'string' && json.type !== 'item') return 'other';
  const uuid = asUuid(json.uuid) ?? asUuid(json.id) ?? uuidOfLink(row, 'indexableObject');
  return uuid === undefined ? undefined : { uuid, handle: asText(json.handle), json };
}
