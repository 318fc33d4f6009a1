import { dspaceLegacy } from '../../../adapters/dspace-legacy/adapter.ts';
import { oaiPmh } from '../../../adapters/oai-pmh/adapter.ts';
import type { Adapter, AdapterContext, AdapterSettings, Page } from '../../../src/core/adapter.ts';
import { type ContextDouble, createContext } from './http-double.ts';
import { type Answer, envelope, failure, type Provider, provide } from './scripted-provider.ts';

export interface LegacyItem {
  readonly id: string | number;
  readonly handle?: string;
  readonly title: string;
  /** The owning one first. */
  readonly collections: readonly string[];
  readonly lastModified?: string;
  readonly metadata?: readonly object[];
  readonly bitstreams?: readonly object[];
  /** Answered for, but in no list. */
  readonly isPrivate?: boolean;
  readonly isRestricted?: boolean;
  readonly isWithdrawn?: boolean;
  /** `details`: only without `expand` it can be had; `all`: not at all. */
  readonly breaks?: 'details' | 'all';
  /** When OAI-PMH has it from; undefined: not at all. */
  readonly datestamp?: string;
  readonly isDeletedInOai?: boolean;
  /** OAI-PMH alone remembers it. */
  readonly isGone?: boolean;
}

export interface LegacyCollection {
  readonly id: string | number;
  readonly handle: string;
  readonly name: string;
  readonly community: string | number;
  readonly numberItems?: number | null;
  readonly isDenied?: boolean;
}

export interface LegacyRepository {
  items: readonly LegacyItem[];
  collections: readonly LegacyCollection[];
  readonly oai?: boolean;
  /** Identify does not say what identifiers are made with. */
  readonly hasBareIdentify?: boolean;
  /** Larger pages are answered 504. */
  readonly mostAtOnce?: number;
  readonly ignoresOffset?: boolean;
  /** Where the service is; default `/rest`. */
  readonly path?: string;
  /** What a proxy makes of errors about single items. */
  readonly hasOwnErrorPages?: boolean;
}

const tomcat = (status: number, title: string) => ({
  status,
  headers: { 'content-type': 'text/html;charset=utf-8' },
  body: `<!doctype html><html lang="en"><head><title>HTTP Status ${status} – ${title}</title></head><body><h1>HTTP Status ${status} – ${title}</h1><h3>Apache Tomcat/7.0.109</h3></body></html>`,
});

const proxied = (status: number) => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: '<!doctype html><html><head><title>Sorry</title></head><body>Please try again later.</body></html>',
});

const communities = [
  { uuid: 'c0000000-0000-4000-8000-000000000001', id: undefined, handle: '1/1', parent: undefined },
  {
    uuid: 'c0000000-0000-4000-8000-000000000002',
    id: undefined,
    handle: '1/2',
    parent: 'c0000000-0000-4000-8000-000000000001',
  },
];
export const topCommunity = 'c0000000-0000-4000-8000-000000000001';
export const subCommunity = 'c0000000-0000-4000-8000-000000000002';

/** A `/rest` as DSpace 5 and 6 have it, with its OAI-PMH beside. */
export function serve(repository: LegacyRepository): Promise<Provider> {
  return provide((query, _nth, raw) => reply(repository, new URL(raw, 'http://127.0.0.1').pathname, query));
}

function reply(repository: LegacyRepository, path: string, query: URLSearchParams): Answer {
  const { path: base = '/rest' } = repository;
  if (path === '/oai/request' && repository.oai !== false) return oaiReply(repository, query);
  if (!path.startsWith(`${base}/`)) return tomcat(404, 'Not Found');
  const parts = path
    .slice(base.length + 1)
    .split('/')
    .map(decodeURIComponent);
  const [first = '', second = '', third = ''] = parts;
  const expand = (query.get('expand') ?? '').split(',');
  if (first === 'test') return { headers: { 'content-type': 'text/plain' }, body: 'REST api is running.' };
  if (first === 'status') return json({ okay: true, sourceVersion: '6.3', apiVersion: '6' });
  if (first === 'communities')
    return json(slice(communities, query).map((community) => communityJson(community, expand)));
  if (first === 'collections' && second === '')
    return json(
      slice(repository.collections, query).map((collection) =>
        collectionJson(repository, collection, expand),
      ),
    );
  if (first === 'collections' && third === 'items') return listItems(repository, second, query, expand);
  if (first === 'items') return oneItem(repository, (item) => String(item.id) === second, expand, 404);
  if (first === 'handle') {
    const handle = `${second}/${parts.slice(2).join('/')}`;
    const collection = repository.collections.find((candidate) => candidate.handle === handle);
    if (collection) return json(collectionJson(repository, collection, expand));
    return oneItem(repository, (item) => item.handle === handle, expand, 500);
  }
  return tomcat(404, 'Not Found');
}

function json(value: unknown): Answer {
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}

const described =
  '<description><oai-identifier xmlns="http://www.openarchives.org/OAI/2.0/oai-identifier"><scheme>oai</scheme><repositoryIdentifier>old.example.org</repositoryIdentifier>' +
  '<delimiter>:</delimiter><sampleIdentifier>oai:old.example.org:123456789/1234</sampleIdentifier></oai-identifier></description>';

function slice<Row>(rows: readonly Row[], query: URLSearchParams): readonly Row[] {
  const [limit, offset] = [Number(query.get('limit') ?? 100), Number(query.get('offset') ?? 0)];
  return rows.slice(offset, offset + limit);
}

function listItems(
  repository: LegacyRepository,
  id: string,
  query: URLSearchParams,
  expand: readonly string[],
): Answer {
  const collection = repository.collections.find((candidate) => String(candidate.id) === id);
  if (collection === undefined) return tomcat(404, 'Not Found');
  if (collection.isDenied) return tomcat(401, 'Unauthorized');
  const limit = Number(query.get('limit') ?? 100);
  const isDetailed = expand.includes('metadata');
  if (isDetailed && limit > (repository.mostAtOnce ?? limit)) return tomcat(504, 'Gateway Timeout');
  if (repository.ignoresOffset) query.set('offset', '0');
  const all = repository.items.filter(({ collections }) => collections.includes(id));
  const some = slice(all, query);
  if (some.some(({ breaks }) => breaks === 'all' || (breaks === 'details' && isDetailed)))
    return tomcat(500, 'Internal Server Error');
  const listed = some.filter(
    (item) => !item.isPrivate && !item.isRestricted && !item.isWithdrawn && !item.isGone,
  );
  return json(listed.map((item) => itemJson(repository, item, expand)));
}

function oneItem(
  repository: LegacyRepository,
  matches: (item: LegacyItem) => boolean,
  expand: readonly string[],
  unknown: 404 | 500,
): Answer {
  const item = repository.items.find(matches);
  if (repository.hasOwnErrorPages && (item === undefined || item.isGone)) return proxied(unknown);
  if (item === undefined || item.isGone)
    return tomcat(unknown, unknown === 404 ? 'Not Found' : 'Internal Server Error');
  if (item.isRestricted) return tomcat(401, 'Unauthorized');
  if (item.breaks === 'all' || (item.breaks === 'details' && expand.includes('metadata')))
    return tomcat(500, 'Internal Server Error');
  return json(itemJson(repository, item, expand));
}

/** With an int where there is one: `id`; else `uuid`. */
function keyed(id: string | number): object {
  return typeof id === 'number' ? { id } : { uuid: id };
}

function itemJson(repository: LegacyRepository, item: LegacyItem, expand: readonly string[]): object {
  const { id, handle = null, title, collections, lastModified = '2021-09-02 14:57:55.123' } = item;
  const shown = collections.map((of) =>
    repository.collections.find((candidate) => String(candidate.id) === of),
  );
  const whole = (key: string, value: unknown) => ({ [key]: expand.includes(key) ? value : null });
  return {
    ...keyed(id),
    name: title,
    handle,
    type: 'item',
    link: '/elsewhere/rest/items/1',
    lastModified,
    archived: 'true',
    withdrawn: item.isWithdrawn ? 'true' : 'false',
    ...whole('metadata', item.metadata ?? [{ key: 'dc.title', value: title, language: null }]),
    ...whole('bitstreams', item.bitstreams ?? []),
    ...whole('parentCollection', shown[0] && collectionJson(repository, shown[0], [])),
    ...whole(
      'parentCollectionList',
      shown.flatMap((collection) => (collection ? [collectionJson(repository, collection, [])] : [])),
    ),
    ...whole('parentCommunityList', []),
  };
}

function collectionJson(
  { items }: LegacyRepository,
  { id, handle, name, community, numberItems }: LegacyCollection,
  expand: readonly string[],
): object {
  const counted = items.filter(({ collections }) => collections.includes(String(id))).length;
  const direct = communities.find(({ uuid }) => uuid === community);
  return {
    ...keyed(id),
    name,
    handle,
    type: 'collection',
    parentCommunity: expand.includes('parentCommunity') && direct ? communityJson(direct, []) : null,
    parentCommunityList: [],
    numberItems: numberItems === undefined ? counted : numberItems,
  };
}

function communityJson(
  { uuid, handle, parent }: (typeof communities)[number],
  expand: readonly string[],
): object {
  const above = communities.find((candidate) => candidate.uuid === parent);
  return {
    uuid,
    name: `Community ${handle}`,
    handle,
    type: 'community',
    shortDescription: '',
    parentCommunity: expand.includes('parentCommunity') && above ? communityJson(above, []) : null,
  };
}

function oaiReply({ items, hasBareIdentify }: LegacyRepository, query: URLSearchParams): string {
  const dated = items.filter(({ datestamp, handle }) => datestamp !== undefined && handle !== undefined);
  const from = query.get('from') ?? '';
  const changed = dated.filter(({ datestamp = '' }) => datestamp >= from);
  const header = ({ handle, datestamp, isDeletedInOai }: LegacyItem) =>
    `<header${isDeletedInOai ? ' status="deleted"' : ''}><identifier>oai:old.example.org:${handle}</identifier><datestamp>${datestamp}</datestamp></header>`;
  const record = (item: LegacyItem) =>
    `<record>${header(item)}${item.isDeletedInOai ? '' : `<metadata><mets:mets xmlns:mets="http://www.loc.gov/METS/" OBJID="${item.handle}"/></metadata>`}</record>`;
  switch (query.get('verb')) {
    case 'Identify':
      return envelope(
        '<Identify><repositoryName>Old &amp; Good</repositoryName><baseURL>http://x</baseURL><protocolVersion>2.0</protocolVersion>' +
          '<earliestDatestamp>2000-01-01T00:00:00Z</earliestDatestamp><deletedRecord>transient</deletedRecord><granularity>YYYY-MM-DDThh:mm:ssZ</granularity>' +
          (hasBareIdentify ? '' : described) +
          '</Identify>',
      );
    case 'ListMetadataFormats':
      return envelope(
        '<ListMetadataFormats><metadataFormat><metadataPrefix>mets</metadataPrefix><schema>http://www.loc.gov/standards/mets/mets.xsd</schema>' +
          '<metadataNamespace>http://www.loc.gov/METS/</metadataNamespace></metadataFormat></ListMetadataFormats>',
      );
    case 'ListIdentifiers':
      if (changed.length === 0) return failure('noRecordsMatch');
      return envelope(`<ListIdentifiers>${changed.map(header).join('')}</ListIdentifiers>`);
    case 'ListRecords':
      if (changed.length === 0) return failure('noRecordsMatch');
      return envelope(`<ListRecords>${changed.map(record).join('')}</ListRecords>`);
    case 'GetRecord': {
      const item = dated.find(({ handle }) => query.get('identifier') === `oai:old.example.org:${handle}`);
      return item ? envelope(`<GetRecord>${record(item)}</GetRecord>`) : failure('idDoesNotExist');
    }
    default:
      return failure('badVerb');
  }
}

const settings: AdapterSettings = {
  url: '',
  overlapSeconds: 0,
  requestsPerHost: 1,
  files: {},
  timeZone: 'UTC',
};

/** The adapter, with the endpoint's OAI-PMH as the program composes it. */
export function adapterAt(
  url: string,
  own: Partial<AdapterSettings> = {},
  base: ContextDouble = createContext(),
): { adapter: Adapter; context: ContextDouble } {
  const context: ContextDouble & Pick<AdapterContext, 'oaiAt'> = {
    ...base,
    oaiAt: (at) => oaiPmh.create({ ...settings, url: at, files: undefined, overlapSeconds: 172_800 }, base),
  };
  return { adapter: dspaceLegacy.create({ ...settings, url, ...own }, context), context };
}

export async function pagesOf(
  adapter: Adapter,
  request: Parameters<Adapter['pages']>[0] = { mode: 'full' },
): Promise<Page[]> {
  const pages: Page[] = [];
  for await (const page of adapter.pages(request, AbortSignal.timeout(180_000))) pages.push(page);
  return pages;
}
