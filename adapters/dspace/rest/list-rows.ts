import { asCount, asObject, asText, type JsonObject, objectsOf } from './json-value.ts';
import type { Query, RestService } from './rest-service.ts';

/** Far below the thousand at which lists are cut without a word (DSpace#8648), because of what is embedded. */
const pageSize = 200;
/** Of more it could only be the server's mistake. */
const mostPages = 1000;

/** Whatever asks for it: as everybody, or as an account. */
export type Ask = (path: string, query: Query) => Promise<JsonObject | undefined>;

/**
 * All rows of an ordinary list, page after page by number: `next` loses what was to be embedded. A row may come twice
 * where the list changes meanwhile; a page may be empty in the middle, where all of it is not for the asker.
 * @throws RestError
 */
export async function* rowsOf(ask: Ask, path: string, query: Query): AsyncGenerator<JsonObject> {
  const seen = new Set<string>();
  for (let page = 0; ; page += 1) {
    const json = await ask(path, [...query, ['size', String(pageSize)], ['page', String(page)]]);
    if (json === undefined) return;
    const rows = rowsIn(json);
    const before = seen.size;
    for (const row of rows) {
      seen.add(asText(row.uuid) ?? String(row.id));
      yield row;
    }
    const pages = asCount(asObject(json.page)?.totalPages) ?? 0;
    // A server that repeats itself would do so for ever.
    const repeats = rows.length > 0 && seen.size === before;
    if (page + 1 >= Math.min(pages, mostPages) || repeats) return;
  }
}

/** The same, as everybody. */
export function listRows(
  rest: RestService,
  path: string,
  query: Query,
  signal: AbortSignal,
): AsyncGenerator<JsonObject> {
  return rowsOf((where, how) => rest.get(where, how, { signal }), path, query);
}

/** The one list that an answer holds, under whatever name. */
function rowsIn(json: JsonObject): readonly JsonObject[] {
  return objectsOf(Object.values(asObject(json._embedded) ?? {}).find(Array.isArray));
}
