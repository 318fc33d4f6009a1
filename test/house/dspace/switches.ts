import type { IncomingHttpHeaders } from 'node:http';
import type { Viewer } from './viewer.ts';

/** How a server behaves; all of it can be changed while it runs: `server.switches.versions = 'off'`. */
export interface Switches {
  /** Rows a search page has at most (`rest.search.max.results`). `page.size` echoes what was asked (#8723). */
  maxResults: number;
  /** Rows an ordinary list has at most (#8648). */
  maxListSize: number;
  /** false: what was asked is cut to the cap before it is used, as one would expect. */
  echoSize: boolean;
  /** Spring's PageImpl corrects the total at the end of a list, wrongly where the cap bites (#8105). */
  springTotals: boolean;
  /** Any other lie about the total. */
  total: ((total: number) => number) | undefined;
  /** So many hits are missing from the end of each page, as where the index knows what the database does not. */
  shortBy: number;
  /** After each search so many of the first hits are indexed again and move to the end of the order. */
  drift: number;
  /** Status of a query nobody understands: 422, older 400. */
  syntaxErrorStatus: number;
  facets: boolean;
  /** ms that each embedded hit costs (#7971). */
  embedDelay: number;
  /** A front end answers requests with brackets by 403 and HTML. */
  refuseBrackets: boolean;
  /** Ids of items which no answer can contain: 500. */
  poisonous: Set<string>;
  /** undefined: as the release does it. */
  lazyCsrf: boolean | undefined;
  /** Life of a login in ms. */
  tokenLife: number;
  /** A token that is no longer valid: 200 as anonymous (DSpace), or 401. */
  expiredToken: 'anonymous' | '401';
  /** Anything unknown is 401 instead of 404. undefined: bitstreams before 9. */
  unknownIs401: boolean | undefined;
  /** A malformed id is 401 (#13127); false: 400. */
  malformedIs401: boolean;
  versions: 'on' | 'hidden' | 'off';
  /** Totals of lists with rows that are not shown: as Spring corrects them, or as they were counted. */
  listTotals: 'spring' | 'counted';
  /** Rows that are not shown leave a null. */
  emptyPlaces: boolean;
  /** Files that the viewer may not read are not shown in their bundles. */
  hidesClosedFiles: boolean;
  /** By relation (`bundles`, `owningCollection`): it is embedded nowhere, and asking for it is answered so. */
  refusedRelations: ReadonlyMap<string, 401 | 403 | 404>;
  /** false: 7.0 to 7.2, which have none. */
  accessStatus: boolean;
  /** undefined: as the release does it. */
  localeFiltering: boolean | undefined;
  /** Lists of communities and collections are refused (401). */
  refuseLists: boolean;
  /** archivedItemsCount is -1. */
  countItems: boolean;
  signposting: boolean;
  /** PDFs of the bundle ORIGINAL are delivered with one more page. */
  coverPages: boolean;
  /** Content is a 302 to another origin. */
  redirectContent: boolean;
  /** Content has no Last-Modified. */
  lastModified: boolean;
}

export const honest: Readonly<Switches> = {
  maxResults: 100,
  maxListSize: 1000,
  echoSize: true,
  springTotals: true,
  total: undefined,
  shortBy: 0,
  drift: 0,
  syntaxErrorStatus: 422,
  facets: true,
  embedDelay: 0,
  refuseBrackets: false,
  poisonous: new Set(),
  lazyCsrf: undefined,
  tokenLife: 30 * 60_000,
  expiredToken: 'anonymous',
  unknownIs401: undefined,
  malformedIs401: true,
  versions: 'on',
  listTotals: 'spring',
  emptyPlaces: false,
  hidesClosedFiles: false,
  refusedRelations: new Map(),
  accessStatus: true,
  localeFiltering: undefined,
  refuseLists: false,
  countItems: true,
  signposting: true,
  coverPages: false,
  redirectContent: false,
  lastModified: true,
};

/** A request as it was seen. */
export interface SeenRequest {
  readonly method: string;
  /** Without query: `/server/api/core/items/…` */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** `search`, `item`, `content`, … — see `kindOf` */
  readonly kind: string;
  /** Whom the server took it from. */
  readonly viewer: Viewer;
  /** Of the answer, once there is one. */
  status?: number;
}

/** Something that stands in front of the server, or breaks in it. */
export interface Fault {
  /** All requests unless told. */
  readonly when?: (request: SeenRequest) => boolean;
  /** How often; always unless told. */
  times?: number;
  /** A number is a status with a JSON body of DSpace's form. */
  readonly reply: number | 'challenge' | 'forbidden-html' | 'disconnect' | 'cut-off' | 'hang';
  /** Of 429 and 503. */
  readonly retryAfter?: string;
  /** The body instead of ours. */
  readonly body?: string;
  readonly contentType?: string;
}
