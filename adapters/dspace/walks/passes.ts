import { BridgeError } from '../../../src/core/errors.ts';
import { asUuid } from '../rest/json-value.ts';
import { restUrl } from '../rest/rest-service.ts';
import { restHeaders } from '../rest/root.ts';
import type { SearchContext, Selection } from '../search/search.ts';

/** A list that is read from its beginning to its end; where nothing is selected, there is one. */
export interface SearchPass {
  /** The same in every run with the same configuration. */
  readonly key: string;
  readonly selection: Selection;
  /** Keys of the collections that were read before: what is in one of them was delivered there. */
  readonly earlier: readonly string[];
}

/**
 * The configured collections and types, each combination for itself.
 * @throws BridgeError `unknown-collection`
 */
export async function passesOf(context: SearchContext, signal: AbortSignal): Promise<readonly SearchPass[]> {
  const { collections, entityTypes } = context.settings;
  const types =
    entityTypes === undefined || entityTypes.length === 0 ? [undefined] : [...new Set(entityTypes)];
  const keys =
    collections === undefined || collections.length === 0 ? [undefined] : [...new Set(collections)];
  const passes: SearchPass[] = [];
  for (const [index, key] of keys.entries()) {
    const scope = key === undefined ? undefined : await scopeOf(context, key, signal);
    const earlier = keys.slice(0, index).filter((other) => other !== undefined);
    for (const entityType of types) {
      passes.push({
        key: [key ?? '', entityType ?? ''].join(' '),
        selection: { scope, entityType },
        earlier,
      });
    }
  }
  return passes;
}

async function scopeOf(context: SearchContext, key: string, signal: AbortSignal): Promise<string> {
  const uuid = asUuid(key);
  if (uuid !== undefined) return uuid;
  const found = (await findPlace(context, key, signal)) ?? (await context.collections?.uuidOf(key, signal));
  if (found !== undefined) return found;
  throw new BridgeError('unknown-collection', `${context.rest.base} knows no community or collection ${key}`);
}

/** By its handle: `col_123456789_2` is `123456789/2`. Undefined: it leads to nothing of the kind. */
async function findPlace(
  { rest, context: { http } }: SearchContext,
  key: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const handle = /^co[lm]_([^_]+)_(.+)$/.exec(key);
  if (handle === null) return undefined;
  const url = restUrl(rest.base, '/pid/find', [['id', `hdl:${handle[1]}/${handle[2]}`]]);
  const response = await http.get(url, { signal, headers: restHeaders, redirects: 'reported' });
  await response.discard();
  const location = (response.headers.location ?? '').replace(/[?#].*$/s, '');
  const place = /\/(?:communities|collections)\/([^/]+)\/*$/.exec(location);
  return asUuid(place?.[1]);
}
