import { type Collection, type Community, type Item, isOpen, type Metadata } from '../model.ts';
import type { Repository } from '../repository.ts';
import { xml } from '../xml.ts';
import { oaiFormats } from './oai-records.ts';

/**
 * DSpace's OAI-PMH endpoint. It has an index of its own, which stays as it is until `reindex()`; a file changed in
 * the meantime shows at once, though.
 *
 *     server.oai?.reindex();        // the nightly `dspace oai import`
 *     server.oaiUrl                 // http://…/server/oai/request
 */
export interface OaiFaceOptions {
  readonly repository: Repository;
  /** Of identifiers: `oai:{host}:{handle}` */
  readonly host: string;
  readonly ui: string;
  readonly legacyUrls?: boolean;
  readonly pageSize?: number;
}

interface Entry {
  readonly item: Item;
  readonly handle: string;
  /** `2026-01-01T00:00:00Z` */
  readonly datestamp: string;
  readonly deleted: boolean;
  readonly metadata: () => Metadata;
  readonly collections: readonly Collection[];
}

class OaiError extends Error {
  readonly code: string;

  constructor(code: string, message = code) {
    super(message);
    this.code = code;
  }
}

export class OaiFace {
  readonly #options: OaiFaceOptions;
  #entries: Entry[] = [];
  readonly #selected = new Map<string, Entry[]>();
  /** What Identify says. */
  baseUrl = 'http://localhost/oai/request';
  /** Requests by verb. */
  readonly counts: Record<string, number> = {};

  constructor(options: OaiFaceOptions) {
    this.#options = options;
    this.reindex();
  }

  /** Public or withdrawn ones with a handle, and publications only where there are entities. */
  reindex(): void {
    const { repository } = this.#options;
    const now = repository.now();
    this.#selected.clear();
    this.#entries = repository.items.flatMap((item) => {
      const { handle, entityType } = item;
      if (handle === undefined || (entityType !== null && entityType !== 'Publication')) return [];
      if (!item.inArchive && !item.withdrawn) return [];
      return {
        item,
        handle,
        datestamp: seconds(item.lastModified),
        deleted: item.withdrawn || !item.discoverable || !isOpen(item.read, now),
        metadata: item.metadataPicture,
        collections: [item.collection, ...item.mapped],
      };
    });
  }

  /** The document that answers these arguments. */
  reply(query: URLSearchParams): string {
    const verb = query.get('verb') ?? '';
    this.counts[verb] = (this.counts[verb] ?? 0) + 1;
    const attributes = [...query].map(([name, value]) => ` ${name}="${xml(value)}"`);
    try {
      return this.#document(attributes.join(''), this.#answer(verb, query));
    } catch (error) {
      if (!(error instanceof OaiError)) throw error;
      return this.#document('', `<error code="${error.code}">${xml(error.message)}</error>`);
    }
  }

  #document(attributes: string, body: string): string {
    const date = seconds(this.#options.repository.now());
    return `<?xml version="1.0" encoding="UTF-8"?><?xml-stylesheet type="text/xsl" href="static/style.xsl"?><OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/ http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd"><responseDate>${date}</responseDate><request${attributes}>${this.baseUrl}</request>${body}</OAI-PMH>`;
  }

  #answer(verb: string, query: URLSearchParams): string {
    switch (verb) {
      case 'Identify':
        return this.#identify();
      case 'ListMetadataFormats':
        if (query.has('identifier')) this.#entry(query.get('identifier'));
        return `<ListMetadataFormats>${Object.entries(oaiFormats)
          .map(
            ([prefix, { schema, namespace }]) =>
              `<metadataFormat><metadataPrefix>${prefix}</metadataPrefix><schema>${schema}</schema><metadataNamespace>${namespace}</metadataNamespace></metadataFormat>`,
          )
          .join('')}</ListMetadataFormats>`;
      case 'ListSets':
        return this.#listSets(query);
      case 'ListIdentifiers':
      case 'ListRecords':
        return this.#list(verb, query);
      case 'GetRecord': {
        const prefix = query.get('metadataPrefix');
        if (prefix === null) throw new OaiError('badArgument');
        return `<GetRecord>${this.#record(this.#entry(query.get('identifier')), prefix)}</GetRecord>`;
      }
      default:
        throw new OaiError('badVerb', 'Illegal verb');
    }
  }

  #identify(): string {
    const { host } = this.#options;
    const earliest = this.#entries
      .map(({ datestamp }) => datestamp)
      .reduce((a, b) => (b < a ? b : a), '2026-01-01T00:00:00Z');
    const sample = `oai:${host}:${this.#entries[0]?.handle ?? '123456789/1'}`;
    return `<Identify><repositoryName>Sample Repository</repositoryName><baseURL>${this.baseUrl}</baseURL><protocolVersion>2.0</protocolVersion><adminEmail>admin@example.org</adminEmail><earliestDatestamp>${earliest}</earliestDatestamp><deletedRecord>transient</deletedRecord><granularity>YYYY-MM-DDThh:mm:ssZ</granularity><compression>gzip</compression><compression>deflate</compression><description><oai-identifier xmlns="http://www.openarchives.org/OAI/2.0/oai-identifier" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/oai-identifier http://www.openarchives.org/OAI/2.0/oai-identifier.xsd"><scheme>oai</scheme><repositoryIdentifier>${host}</repositoryIdentifier><delimiter>:</delimiter><sampleIdentifier>${sample}</sampleIdentifier></oai-identifier></description></Identify>`;
  }

  #listSets(query: URLSearchParams): string {
    const { repository, pageSize = 100 } = this.#options;
    const offset = Number(query.get('resumptionToken')?.split('/').at(-1) ?? 0);
    const sets = [
      ...repository.communities.map((community) => [setSpec('com', community), community.name] as const),
      ...repository.collections.map((collection) => [setSpec('col', collection), collection.name] as const),
    ].filter(([spec]) => spec !== undefined);
    const rows = sets
      .slice(offset, offset + pageSize)
      .map(([spec, name]) => `<set><setSpec>${spec}</setSpec><setName>${xml(name)}</setName></set>`);
    const token = this.#token(sets.length, offset, pageSize, '////');
    return `<ListSets>${rows.join('')}${token}</ListSets>`;
  }

  #list(verb: 'ListIdentifiers' | 'ListRecords', query: URLSearchParams): string {
    const { pageSize = 100 } = this.#options;
    const token = query.get('resumptionToken');
    const [prefix, from, until, set, at] = token === null ? argumentsOf(query) : token.split('/');
    const offset = Number(at ?? 0);
    if (token !== null && (prefix === undefined || at === undefined || Number.isNaN(offset)))
      throw new OaiError('badResumptionToken');
    if (prefix === undefined || prefix === '') throw new OaiError('badArgument', 'metadataPrefix is missing');
    if (oaiFormats[prefix] === undefined) throw new OaiError('cannotDisseminateFormat');
    const entries = this.#select(from ?? '', until ?? '', set ?? '');
    const rows = entries.slice(offset, offset + pageSize);
    if (rows.length === 0) throw new OaiError('noRecordsMatch', 'No matches for the query');
    const written = rows.map((entry) =>
      verb === 'ListRecords' ? this.#record(entry, prefix) : this.#header(entry),
    );
    const next = this.#token(
      entries.length,
      offset,
      pageSize,
      `${prefix}/${from ?? ''}/${until ?? ''}/${set ?? ''}/`,
    );
    return `<${verb}>${written.join('')}${next}</${verb}>`;
  }

  #select(from: string, until: string, set: string): Entry[] {
    const key = `${from}/${until}/${set}`;
    const kept = this.#selected.get(key);
    if (kept !== undefined) return kept;
    for (const date of [from, until]) {
      if (date !== '' && Number.isNaN(Date.parse(date)))
        throw new OaiError('badArgument', `not a date: ${date}`);
    }
    const low = from === '' ? '' : seconds(Date.parse(from));
    const high = until === '' ? '\uffff' : until.length === 10 ? `${until}T23:59:59Z` : until;
    const found = this.#entries.filter(
      (entry) =>
        entry.datestamp >= low && entry.datestamp <= high && (set === '' || setsOf(entry).includes(set)),
    );
    if (this.#selected.size > 4) this.#selected.clear();
    this.#selected.set(key, found);
    return found;
  }

  #token(total: number, offset: number, pageSize: number, prefix: string): string {
    const next = offset + pageSize;
    if (offset === 0 && next >= total) return '';
    return `<resumptionToken completeListSize="${total}" cursor="${Math.floor(offset / pageSize)}">${next < total ? `${prefix}${next}` : ''}</resumptionToken>`;
  }

  #entry(identifier: string | null): Entry {
    if (identifier === null) throw new OaiError('badArgument', 'identifier is missing');
    const entry = this.#entries.find(({ handle }) => `oai:${this.#options.host}:${handle}` === identifier);
    if (entry === undefined) throw new OaiError('idDoesNotExist');
    return entry;
  }

  #header(entry: Entry): string {
    const sets = setsOf(entry).map((spec) => `<setSpec>${spec}</setSpec>`);
    const status = entry.deleted ? ' status="deleted"' : '';
    return `<header${status}><identifier>oai:${this.#options.host}:${entry.handle}</identifier><datestamp>${entry.datestamp}</datestamp>${sets.join('')}</header>`;
  }

  #record(entry: Entry, prefix: string): string {
    const format = oaiFormats[prefix];
    if (format === undefined) throw new OaiError('cannotDisseminateFormat');
    if (entry.deleted) return `<record>${this.#header(entry)}</record>`;
    const { host, ui, legacyUrls = false } = this.#options;
    const { item, handle } = entry;
    const identifier = `oai:${host}:${handle}`;
    const askedAt = this.#options.repository.now();
    const source = { item, metadata: entry.metadata(), identifier, ui, legacyUrls, askedAt };
    return `<record>${this.#header(entry)}<metadata>${format.write(source)}</metadata></record>`;
  }
}

function argumentsOf(query: URLSearchParams): (string | undefined)[] {
  return ['metadataPrefix', 'from', 'until', 'set'].map((name) => query.get(name) ?? undefined);
}

function setsOf({ collections }: Entry): string[] {
  const specs = new Set<string>();
  for (const collection of collections) {
    const own = setSpec('col', collection);
    if (own !== undefined) specs.add(own);
    for (let above: Community | undefined = collection.parent; above !== undefined; above = above.parent) {
      const spec = setSpec('com', above);
      if (spec !== undefined) specs.add(spec);
    }
  }
  return [...specs];
}

function setSpec(kind: 'com' | 'col', { handle }: Collection | Community): string | undefined {
  return handle === undefined ? undefined : `${kind}_${handle.replaceAll('/', '_')}`;
}

function seconds(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}
