import type { FastifyRequest } from 'fastify';
import { isAbsolute } from '../../core/uris.ts';
import { createOriginalReader } from '../past/original.ts';
import type { Privacy } from '../privacy.ts';

/** What a request is about, as far as its address says. */
export interface AskedFor {
  readonly places: readonly Place[];
  /** Addresses of others, which files of a source may have. */
  readonly foreign: readonly string[];
}

/** Something of a source. */
export interface Place {
  readonly source: string;
  /** Below `baseUrl`; undefined: any of it. */
  readonly path: string | undefined;
  /** Where it is, below `baseUrl`, for whoever may have it: a private set is a source of its own. */
  readonly instead?: string | undefined;
}

/** Behind the name of the service, a moment or a form, and perhaps the number of a page. */
export const within = /^\/(?:memento|timegate|timemap)\/(.*)$/s;
/** Wherever a URI may begin: what is read as one elsewhere is among them. */
const beginnings = /https?(?::|%3a)/gi;
const first = /^\/([^/?#]+)/;

/** Before anything else is looked at: whatever is wrong with a request is told to those alone who may read the source. */
export function createAskedFor(
  baseUrl: string,
  privacy: Pick<Privacy, 'sourceAt'> = {},
): (request: FastifyRequest) => AskedFor {
  const read = createOriginalReader(baseUrl);
  const placeAt = createPlaceAt(privacy);
  return (request) => {
    const [, rest] = within.exec(request.url) ?? [];
    if (rest === undefined)
      return { places: [...placeAt(request.url.replace(/\?.*$/s, '')), ...searchedIn(request)], foreign: [] };
    // None of ours has a query, and the link to another language adds one.
    const own = urisIn(decode(rest.replace(/\?.*$/s, ''))).flatMap(read);
    const others = urisIn(decode(rest.replace(/[?&]lang=[^&]*$/, ''))).flatMap(read);
    return {
      places: own.flatMap((path) => (isAbsolute(path) ? [] : placeAt(`/${path}`))),
      foreign: others.filter(isAbsolute),
    };
  };
}

function urisIn(text: string): readonly string[] {
  return [...text.matchAll(beginnings)].map(({ index }) => text.slice(index));
}

function createPlaceAt({ sourceAt }: Pick<Privacy, 'sourceAt'>): (path: string) => readonly Place[] {
  return (address) => {
    const named = first.exec(address)?.[1];
    if (named === undefined || named.startsWith('.')) return [];
    const path = address.slice(1);
    const source = sourceAt?.(path);
    if (source === undefined) return [{ source: named, path }];
    return [{ source, path, instead: path.replace(/^(?:[^/]+\/){2}[^/]+/, source) }];
  };
}

function searchedIn(request: FastifyRequest): readonly Place[] {
  if (request.routeOptions.config?.operationId !== 'search') return [];
  const { source } = request.query as { source?: unknown };
  const names = [source].flat().filter((name) => typeof name === 'string' && name !== '') as string[];
  return names.map((name) => ({ source: name, path: undefined }));
}

/** A URI within an address is encoded once (`http/base-path.ts`). */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
