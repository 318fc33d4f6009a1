import type { Item } from '../model.ts';
import { Refusal } from '../refusal.ts';
import { parseQuery, QuerySyntaxError } from '../search/lucene.ts';
import { communitiesOf, type IndexedItem } from '../search/search-index.ts';
import { mayRead } from '../viewer.ts';
import { type Face, type Json, type Look, pathOf, type Resource, typed } from './rest-json.ts';
import { pageLinks, pageOf } from './rest-paging.ts';
import { type EmbedTree, renderWith } from './rest-relations.ts';

type Hit = { readonly uuid: string; readonly resource: Resource | undefined };

const sortFields: Readonly<Record<string, (item: Item) => string>> = {
  'dc.title': (item) => item.name.toLowerCase(),
  'dc.date.issued': (item) => item.metadata['dc.date.issued']?.[0]?.value ?? '',
  'dc.date.accessioned': (item) => String(item.accessioned).padStart(16, '0'),
};

const filterValues: Readonly<Record<string, (item: Item) => readonly string[]>> = {
  title: (item) => texts(item, 'dc.title'),
  author: (item) => [...texts(item, 'dc.contributor.author'), ...texts(item, 'dc.creator')],
  subject: (item) => texts(item, 'dc.subject'),
  dateIssued: (item) => texts(item, 'dc.date.issued'),
  entityType: (item) => (item.entityType === null ? [] : [item.entityType]),
  has_content_in_original_bundle: (item) => [String(item.files.length > 0)],
};

function texts(item: Item, field: string): string[] {
  return (item.metadata[field] ?? []).map(({ value }) => value);
}

/** `discover/search/objects`: what Solr finds and the database still has. */
export class DiscoverSearch {
  readonly #face: Face;
  /** The last few results, since every page of a list asks for all of it. */
  readonly #results = new Map<string, readonly IndexedItem[]>();
  #generation = -1;

  constructor(face: Face) {
    this.#face = face;
  }

  /** @throws Refusal */
  reply(query: URLSearchParams, look: Look, tree: EmbedTree): Json {
    const face = this.#face;
    const { switches, repository } = face;
    const asked = pageOf(query);
    const hits = this.#hits(query, look);
    const size = switches.echoSize ? asked.size : Math.min(asked.size, switches.maxResults);
    const offset = asked.number * size;
    const rows = hits.slice(offset, offset + Math.min(size, switches.maxResults));
    const found = rows.filter(({ uuid, resource }) => {
      if (resource !== undefined) return true;
      // DSpace notices what is gone when it fetches it, and only then tells its index.
      repository.index.remove(uuid);
      return false;
    });
    const shown = found.slice(0, Math.max(0, found.length - switches.shortBy));
    const poisoned = shown.some(({ uuid }) => switches.poisonous.has(uuid));
    if (poisoned) throw new Refusal(500);
    let total = hits.length;
    if (switches.springTotals && shown.length > 0 && offset + size > total) total = offset + shown.length;
    if (switches.total !== undefined) total = switches.total(total);
    const page = { number: asked.number, size, totalPages: Math.ceil(total / size), totalElements: total };
    const href = `${face.api}/discover/search/objects${criteria(query)}`;
    const reply: Json = {
      id: null,
      scope: query.get('scope'),
      query: query.get('query'),
      appliedFilters: appliedFilters(query),
      sort: sortJson(query.get('sort')),
      configuration: query.get('configuration'),
      ...typed(face, 'discover', 'discover'),
      _links: { self: { href } },
      _embedded: {
        searchResult: {
          _embedded: { objects: shown.map(({ resource }) => this.#hit(resource, query, look, tree)) },
          page,
          _links: pageLinks(href, page, query.has('size')),
        },
        facets: switches.facets ? this.#facets(shown, href) : [],
      },
    };
    for (const { resource } of hits.slice(0, switches.drift)) {
      if (resource?.type === 'item') repository.index.put(resource.item, repository.now());
    }
    return reply;
  }

  #hit(resource: Resource | undefined, query: URLSearchParams, look: Look, tree: EmbedTree): Json {
    if (resource === undefined) throw new Refusal(500);
    // Of what the viewer may no longer read DSpace's converter makes null, while the index still lists it [inferred].
    const { repository } = this.#face;
    if (resource.type === 'item' && !mayRead(resource.item, look.viewer, repository.now()))
      return {
        hitHighlights: {},
        ...typed(this.#face, 'discover', 'discover'),
        _links: {},
        _embedded: { indexableObject: null },
      };
    const words = (query.get('query') ?? '').match(/^[\p{L}\p{N}]+$/u);
    const title = resource.type === 'item' ? resource.item.name : '';
    const marked = words === null ? title : title.replace(new RegExp(words[0], 'giu'), '<em>$&</em>');
    return {
      hitHighlights: marked === title ? {} : { 'dc.title': [marked] },
      ...typed(this.#face, 'discover', 'discover'),
      _links: { indexableObject: { href: `${this.#face.api}${pathOf(resource)}` } },
      _embedded: { indexableObject: renderWith(this.#face, resource, look, tree) },
    };
  }

  #hits(query: URLSearchParams, look: Look): Hits {
    const { repository } = this.#face;
    const types = query.getAll('dsoType').flatMap((type) => type.toLowerCase().split(','));
    const wanted = (type: string) => types.length === 0 || types.includes(type);
    if (types.some((type) => !['item', 'collection', 'community'].includes(type))) throw new Refusal(400);
    const entries = wanted('item') ? this.#find(query, look) : [];
    const others: Hit[] = [];
    const anything =
      (query.get('query') ?? '') === '' && ![...query.keys()].some((key) => key.startsWith('f.'));
    if (wanted('collection') && anything)
      for (const collection of repository.collections)
        others.push({ uuid: collection.uuid, resource: { type: 'collection', collection } });
    if (wanted('community') && anything)
      for (const community of repository.communities)
        others.push({ uuid: community.uuid, resource: { type: 'community', community } });
    return {
      length: entries.length + others.length,
      slice: (from, to) => [
        ...entries.slice(from, to).map(({ uuid }) => {
          const item = repository.item(uuid);
          return { uuid, resource: item && ({ type: 'item', item } as const) };
        }),
        ...others.slice(Math.max(0, from - entries.length), Math.max(0, to - entries.length)),
      ],
    };
  }

  #find(query: URLSearchParams, look: Look): readonly IndexedItem[] {
    const { repository, switches } = this.#face;
    const now = repository.now();
    const index = repository.currentIndex();
    const conditions = ['query', 'scope', 'configuration', 'sort'].map((name) => query.get(name) ?? '');
    const filters = [...query].filter(([name]) => name.startsWith('f.'));
    const key = JSON.stringify([
      ...conditions,
      filters,
      look.viewer?.user,
      query.get('query')?.includes('NOW') && now,
    ]);
    if (this.#generation !== index.generation) this.#results.clear();
    this.#generation = index.generation;
    const kept = this.#results.get(key);
    if (kept !== undefined) return kept;
    try {
      const tests = [
        this.#configuration(query.get('configuration'), look),
        this.#scope(query.get('scope')),
        ...filters.map(([name, value]) => filter(name.slice(2), value)),
      ].filter((test) => test !== undefined);
      const accepts = (entry: IndexedItem) => tests.every((test) => test(entry));
      const found = index.find(parseQuery(query.get('query') ?? ''), accepts, now);
      const sorted = sort(found, query.get('sort'));
      if (this.#results.size >= 4) this.#results.delete(this.#results.keys().next().value ?? '');
      this.#results.set(key, sorted);
      return sorted;
    } catch (error) {
      if (error instanceof QuerySyntaxError)
        throw new Refusal(switches.syntaxErrorStatus, 'Invalid search request');
      throw error;
    }
  }

  /** What a configuration filters by, and who may see it by what the index knew of policies. */
  #configuration(name: string | null, look: Look): (entry: IndexedItem) => boolean {
    const { repository } = this.#face;
    const seen = (entry: IndexedItem) =>
      entry.open || (look.viewer !== undefined && mayRead(entry.item, look.viewer, repository.now()));
    switch (name) {
      case 'default-relationships':
        return (entry) => entry.listed && seen(entry);
      case 'administrativeView':
        if (look.viewer?.admin !== true) return () => false;
        return () => true;
      case 'undiscoverable':
        if (look.viewer?.admin !== true) return () => false;
        return (entry) => !entry.listed;
      case 'workspace':
      case 'workflow':
      case 'supervision':
        return () => false;
      default:
        return (entry) => entry.listed && entry.latest && seen(entry);
    }
  }

  #scope(uuid: string | null): ((entry: IndexedItem) => boolean) | undefined {
    if (uuid === null || uuid === '') return undefined;
    const { repository } = this.#face;
    const collection = repository.collection(uuid);
    if (collection !== undefined)
      return ({ item }) => item.collection === collection || item.mapped.includes(collection);
    if (repository.community(uuid) === undefined) throw new Refusal(400);
    return ({ item }) => communitiesOf(item).has(uuid);
  }

  /** Of the rows shown only: the real ones count everything, which no harvester reads. */
  #facets(rows: readonly Hit[], href: string): Json[] {
    const face = this.#face;
    const discover = face.profile.uniqueType ? { uniqueType: 'discover.discover' } : {};
    const glue = href.includes('?') ? '&' : '?';
    const names = ['author', 'subject', 'dateIssued', 'has_content_in_original_bundle', 'entityType'];
    return names.map((name) => {
      const counts = new Map<string, number>();
      for (const { resource } of rows) {
        if (resource?.type !== 'item') continue;
        for (const value of filterValues[name]?.(resource.item) ?? [])
          counts.set(value, (counts.get(value) ?? 0) + 1);
      }
      const values = [...counts].slice(0, 5);
      const size = name === 'has_content_in_original_bundle' ? 2 : 5;
      const facetHref = `${href.replace('/search/objects', `/facets/${name}`)}${glue}`;
      return {
        name,
        facetType: name === 'subject' ? 'hierarchical' : name === 'dateIssued' ? 'date' : 'text',
        facetLimit: size,
        ...(face.profile.major > 7 && { openByDefault: name === 'author' }),
        ...discover,
        page: { number: 0, size },
        _links: {
          ...(counts.size > 5 && { next: { href: `${facetHref}page=1&size=${size}` } }),
          self: { href: `${facetHref}size=${size}` },
        },
        _embedded: {
          values: values.map(([label, count]) => ({
            label,
            count,
            authorityKey: null,
            ...typed(face, 'discover', 'discover'),
            _links: { search: { href: `${href}${glue}f.${name}=${encodeURIComponent(label)},equals` } },
          })),
        },
      };
    });
  }
}

/** Hits by their place, looked up in the database only where a page needs them. */
interface Hits {
  readonly length: number;
  slice(from: number, to: number): Hit[];
}

function sort(entries: IndexedItem[], text: string | null): IndexedItem[] {
  if (text === null || text === '') return entries;
  const [field = '', direction = 'ASC'] = text.split(',');
  const descending = direction.toUpperCase() === 'DESC' ? -1 : 1;
  if (field === 'score') return entries;
  const key = sortFields[field];
  if (key === undefined) throw new Refusal(422);
  return entries
    .map((entry) => ({ entry, value: key(entry.item) }))
    .sort((a, b) => descending * (a.value < b.value ? -1 : a.value > b.value ? 1 : 0))
    .map(({ entry }) => entry);
}

function filter(name: string, text: string): (entry: IndexedItem) => boolean {
  const values = filterValues[name];
  const comma = text.lastIndexOf(',');
  const [wanted, operator] = [text.slice(0, comma), text.slice(comma + 1)];
  if (values === undefined || comma === -1) throw new Refusal(422);
  switch (operator) {
    case 'equals':
      return ({ item }) => values(item).includes(wanted);
    case 'notequals':
      return ({ item }) => !values(item).includes(wanted);
    case 'contains':
    case 'query':
      return ({ item }) => values(item).some((value) => value.toLowerCase().includes(wanted.toLowerCase()));
    case 'notcontains':
      return ({ item }) => !values(item).some((value) => value.toLowerCase().includes(wanted.toLowerCase()));
    default:
      throw new Refusal(422);
  }
}

/** The query of the links: what was searched for, without page, embeds and projection. */
function criteria(query: URLSearchParams): string {
  const kept = [...query].filter(
    ([name]) => ['query', 'dsoType', 'scope', 'configuration'].includes(name) || name.startsWith('f.'),
  );
  return kept.length === 0
    ? ''
    : `?${kept.map(([name, value]) => `${name}=${encodeURI(value).replace(/[&#+]/g, encodeURIComponent)}`).join('&')}`;
}

function appliedFilters(query: URLSearchParams): Json[] | null {
  const filters = [...query].filter(([name]) => name.startsWith('f.'));
  if (filters.length === 0) return null;
  return filters.map(([name, text]) => {
    const comma = text.lastIndexOf(',');
    const value = text.slice(0, comma);
    return { filter: name.slice(2), operator: text.slice(comma + 1), value, label: value };
  });
}

function sortJson(text: string | null): Json | null {
  if (text === null) return null;
  const [by, order = 'asc'] = text.split(',');
  return { by, order: order.toLowerCase() };
}

/** `discover/search`: what can be filtered and sorted by. */
export function searchConfiguration(face: Face, query: URLSearchParams): Json {
  const operators = ['equals', 'notequals', 'authority', 'notauthority', 'contains', 'notcontains', 'query'];
  const modified = ['workspace', 'workflow', 'supervision'].includes(query.get('configuration') ?? '');
  return {
    id: null,
    scope: query.get('scope'),
    configuration: query.get('configuration'),
    filters: Object.keys(filterValues).map((name) => ({
      filter: name,
      hasFacets: name !== 'title',
      type: name === 'dateIssued' ? 'date' : 'text',
      operators: operators.map((operator) => ({ operator })),
      openByDefault: name === 'author',
      pageSize: 5,
    })),
    sortOptions: ['score', ...Object.keys(sortFields), ...(modified ? ['lastModified'] : [])].map((name) => ({
      name,
      sortOrder: name === 'dc.title' ? 'ASC' : 'DESC',
    })),
    ...typed(face, 'discover', 'discover'),
    _links: {
      self: { href: `${face.api}/discover/search` },
      objects: { href: `${face.api}/discover/search/objects` },
    },
  };
}
