import { parseDatestamp } from '../../../src/core/datetime.ts';
import { asList, asObject, asText, type JsonObject } from '../rest/json-value.ts';
import type { Bring } from './brought.ts';
import { knownLimit, type SearchContext, type Selection, search } from './search.ts';
import type { Hit } from './search-page.ts';
import type { WindowContent } from './search-pages.ts';
import { SingleItems } from './single-items.ts';

const field = 'dc.date.accessioned';

/** A page of the newest items. */
export interface NewestPage<Value> {
  readonly content: WindowContent<Value>;
  /** The page that comes next. */
  readonly next: number;
}

/**
 * The newest items by the day of their accession, page after page until they are older than `since`: the one way
 * where no dates can be asked for. What comes in meanwhile moves the others on by a place, so that some come twice.
 */
export async function* readNewest<Value>(
  context: SearchContext,
  what: { selection: Selection; query: undefined; bring: Bring<Value> },
  { since, page: first }: { since: string; page: number },
  signal: AbortSignal,
): AsyncGenerator<NewestPage<Value>, void, undefined> {
  const limit = knownLimit(context.context);
  // Fewer than it ever gives: a page begins where the server thinks that it does (DSpace#8723).
  const size = Math.min(limit, 20);
  const singles = new SingleItems(context, what, limit);
  for (let page = first; ; page += 1) {
    const ask = { selection: what.selection, size, page, sort: `${field},DESC` };
    const { hits, total = 0 } = await search(context, ask, signal);
    const dates = hits.map(({ json }) => accessionedAt(json));
    const isNew = (_: Hit, index: number) => {
      const date = dates[index];
      return date !== undefined && date >= since;
    };
    const fresh = hits.filter(isNew);
    const brought = await singles.bring(fresh, [], signal);
    const content = {
      values: brought.flatMap(({ value }) => (value === undefined ? [] : [value])),
      problems: brought.flatMap(({ problem }) => (problem === undefined ? [] : [problem])),
      counts: new Map(),
      missing: 0,
    };
    yield { content, next: page + 1 };
    const oldest = dates.filter((date) => date !== undefined).at(-1);
    // Pages may be short or empty without being the last one.
    if ((page + 1) * size >= total || (oldest !== undefined && oldest < since)) return;
  }
}

/** The latest one; undefined: it says none. */
function accessionedAt(item: JsonObject): string | undefined {
  const dates = asList(asObject(item.metadata)?.[field]).map((value) =>
    parseDatestamp(asText(asObject(value)?.value) ?? ''),
  );
  return dates
    .filter((date) => date !== undefined)
    .sort()
    .at(-1);
}
