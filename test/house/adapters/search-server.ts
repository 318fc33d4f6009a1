import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An item as the index has it. */
export interface IndexedItem {
  readonly uuid: string;
  /** ISO UTC. */
  readonly lastModified?: string;
  readonly lastIndexed?: string;
  readonly accessioned?: string;
  readonly collections?: readonly string[];
  readonly entityType?: string;
  readonly handle?: string;
}

/** What is wrong with it. */
export interface Faults {
  /** Rows in one page; `page.size` repeats what was asked for all the same. */
  cap?: number;
  /** Pages with embeds of more rows than this are answered with this status. */
  heavy?: { rows: number; status: number };
  /** `or`: only the first member of an OR counts; `all`: everything is found; `refused`: 422. */
  or?: 'first' | 'all' | 'refused';
  /** HTML 403 for queries with brackets. */
  brackets?: boolean;
  /** 422 for this field. */
  unknownField?: string;
  /** Stale documents: counted, never shown. */
  stale?: ReadonlySet<string>;
  /** Counted, and left out of every page this many times. */
  shy?: Map<string, number>;
  /** Items that break the pages they are on: those with embeds, or all. */
  poison?: ReadonlyMap<string, 'embeds' | 'always'>;
  /** Everything fails. */
  outage?: boolean;
  /** Called before each answer. */
  before?: (request: number) => void;
  /** Added to every total. */
  extra?: number;
}

export interface Answer {
  readonly status: number;
  readonly json?: object;
  readonly html?: string;
}

/** As much of `discover/search/objects` and of `core/items` as an enumeration asks for. */
export class SearchDouble {
  readonly items = new Map<string, IndexedItem>();
  faults: Faults = {};
  /** Every request, as path and query. */
  readonly asked: URLSearchParams[] = [];
  readonly paths: string[] = [];

  constructor(items: Iterable<IndexedItem> = []) {
    for (const item of items) this.items.set(item.uuid, item);
  }

  answer(path: string, query: URLSearchParams): Answer {
    this.asked.push(query);
    this.paths.push(path);
    if (this.asked.length > 20_000) throw new Error('there is no end to it');
    this.faults.before?.(this.asked.length);
    if (this.faults.outage) return failure(500);
    if (path === '/discover/search/objects') return this.#search(query);
    const uuid = /^\/core\/items\/(.+)$/.exec(path)?.[1] ?? '';
    const item = this.items.get(uuid);
    if (item === undefined) return failure(404);
    return this.faults.poison?.has(uuid) ? failure(500) : { status: 200, json: toJson(item) };
  }

  #search(query: URLSearchParams): Answer {
    const { cap = 100, heavy, poison, stale, shy, extra = 0 } = this.faults;
    const text = query.get('query') ?? '';
    if (this.faults.brackets && text.includes('[')) return { status: 403, html: '<html>no</html>' };
    if (this.faults.unknownField !== undefined && text.includes(this.faults.unknownField))
      return failure(422);
    if (this.faults.or === 'refused' && / OR /.test(text)) return failure(422);
    const matches = this.#predicate(text);
    const type = query.get('f.entityType')?.replace(/,equals$/, '');
    const scope = query.get('scope');
    const found = [...this.items.values()].filter(
      (item) =>
        matches(item) &&
        (type === undefined || item.entityType === type) &&
        (scope === null || (item.collections ?? []).includes(scope)),
    );
    if (query.get('sort')?.endsWith(',DESC')) {
      found.sort((a, b) => ((a.accessioned ?? '') < (b.accessioned ?? '') ? 1 : -1));
    }
    const size = Number(query.get('size'));
    const page = Number(query.get('page') ?? 0);
    const hasEmbeds = query.has('embed');
    if (heavy && hasEmbeds && Math.min(size, found.length) > heavy.rows) return failure(heavy.status);
    const offset = page * size;
    const shown = found.slice(offset, offset + Math.min(size, cap));
    if (shown.some(({ uuid }) => poison?.get(uuid) === 'always' || (hasEmbeds && poison?.has(uuid))))
      return failure(500);
    // Spring's PageImpl: what does not reach to the end must be all there is (DSpace#8105).
    const total = (offset + size > found.length ? offset + shown.length : found.length) + extra;
    const rows = shown.filter(({ uuid }) => !stale?.has(uuid) && !isShy(shy, uuid));
    const objects = rows.map((item) => ({
      type: 'discover',
      _links: { indexableObject: { href: `http://elsewhere.example/api/core/items/${item.uuid}` } },
      _embedded: { indexableObject: toJson(item) },
    }));
    const searchResult = {
      _embedded: { objects },
      page: { number: page, size, totalElements: total, totalPages: Math.ceil(total / size) },
    };
    return { status: 200, json: { type: 'discover', _embedded: { searchResult, facets: [] } } };
  }

  #predicate(text: string): (item: IndexedItem) => boolean {
    const parts = text === '' ? [] : text.split(' AND ');
    const all = parts.map((part) => {
      const members = part
        .replace(/^\(|\)$/g, '')
        .split(' OR ')
        .map(toMember);
      const first = members[0];
      if (members.length > 1 && this.faults.or === 'all') return () => true;
      if (members.length > 1 && this.faults.or === 'first' && first) return first;
      return (item: IndexedItem) => members.some((member) => member(item));
    });
    return (item) => all.every((matches) => matches(item));
  }
}

function toMember(text: string): (item: IndexedItem) => boolean {
  const prefix = /^search\.resourceid:([\da-f-]+)(\*?)$/.exec(text);
  if (prefix) {
    const [, value = '', star] = prefix;
    return ({ uuid }) => (star === '*' ? uuid.startsWith(value) : uuid === value);
  }
  const date = /^(lastModified|SolrIndexer\.lastIndexed):\[(\S+) TO \*\]$/.exec(text);
  if (!date) throw new Error(`not understood: ${text}`);
  const since = Date.parse(date[2] ?? '');
  return (item) => {
    const value = date[1] === 'lastModified' ? item.lastModified : (item.lastIndexed ?? item.lastModified);
    return value !== undefined && Date.parse(value) >= since;
  };
}

function isShy(shy: Map<string, number> | undefined, uuid: string): boolean {
  const left = shy?.get(uuid) ?? 0;
  if (left > 0) shy?.set(uuid, left - 1);
  return left > 0;
}

function toJson({ uuid, lastModified, accessioned, handle, collections }: IndexedItem): object {
  return {
    id: uuid,
    uuid,
    handle: handle ?? null,
    name: `Item ${uuid}`,
    metadata: { 'dc.date.accessioned': accessioned === undefined ? [] : [{ value: accessioned, place: 0 }] },
    inArchive: true,
    discoverable: true,
    withdrawn: false,
    lastModified: lastModified ?? '2020-01-01T00:00:00.000+00:00',
    collections,
    type: 'item',
  };
}

function failure(status: number): Answer {
  return { status, json: { status, error: 'Error', message: 'An exception has occurred' } };
}

export interface SearchServer {
  readonly url: string;
  close(): Promise<void>;
}

/** The double on loopback, below `/server/api`. */
export async function serveSearch(double: SearchDouble): Promise<SearchServer> {
  const server: Server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://loopback');
    const path = url.pathname.replace(/^\/server\/api/, '');
    const place = /^hdl:(.+)$/.exec(url.searchParams.get('id') ?? '')?.[1];
    if (path === '/pid/find') {
      const location =
        place === '10/2' ? '/server/api/core/collections/c0000000-0000-4000-8000-000000000002' : '';
      response.writeHead(location === '' ? 404 : 302, location === '' ? {} : { location }).end();
      return;
    }
    const answer: Answer =
      path === ''
        ? {
            status: 200,
            json: { type: 'root', dspaceName: 'Double', dspaceVersion: 'DSpace 9.1', _links: {} },
          }
        : double.answer(path, url.searchParams);
    const [type, body] =
      answer.html === undefined
        ? ['application/hal+json;charset=UTF-8', JSON.stringify(answer.json)]
        : ['text/html', answer.html];
    response.writeHead(answer.status, { 'content-type': type }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/server/api`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
