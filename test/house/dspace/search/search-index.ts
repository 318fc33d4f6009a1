import { type Item, isOpen } from '../model.ts';
import { prefixOf, type Query, solrDate, wildcard } from './lucene.ts';

/**
 * What Solr knows of the items: a picture of each at the time it was indexed. Prefixes of ids and times of
 * modification are found by binary search, everything else by looking.
 */
export interface IndexedItem {
  readonly item: Item;
  readonly uuid: string;
  /** In ms. */
  readonly modified: number;
  readonly indexed: number;
  /** Solr's own order: what is indexed again moves to the end. */
  readonly order: number;
  readonly listed: boolean;
  readonly latest: boolean;
  /** Everybody could read it when it was indexed. */
  readonly open: boolean;
}

export class SearchIndex {
  #byUuid: IndexedItem[] = [];
  #byModified: IndexedItem[] = [];
  #known = new Map<string, IndexedItem>();
  #order = 0;
  /** Changes whenever anything was indexed. */
  generation = 0;

  /** Indexes everything anew. */
  load(items: Iterable<Item>, now: number): void {
    this.#known.clear();
    for (const item of items) this.#known.set(item.uuid, this.#picture(item, now));
    this.#byUuid = [...this.#known.values()].sort(uuidOrder);
    this.#byModified = [...this.#byUuid].sort(modifiedOrder);
    this.generation += 1;
  }

  put(item: Item, now: number): void {
    this.remove(item.uuid);
    const entry = this.#picture(item, now);
    this.#known.set(entry.uuid, entry);
    this.#byUuid.splice(lowerBound(this.#byUuid, entry, uuidOrder), 0, entry);
    this.#byModified.splice(lowerBound(this.#byModified, entry, modifiedOrder), 0, entry);
    this.generation += 1;
  }

  remove(uuid: string): void {
    const entry = this.#known.get(uuid);
    if (entry === undefined) return;
    this.#known.delete(uuid);
    this.#byUuid.splice(lowerBound(this.#byUuid, entry, uuidOrder), 1);
    this.#byModified.splice(lowerBound(this.#byModified, entry, modifiedOrder), 1);
    this.generation += 1;
  }

  /** In Solr's own order. @throws QuerySyntaxError */
  find(query: Query, accepts: (entry: IndexedItem) => boolean, now: number): IndexedItem[] {
    const matches = predicate(query, now);
    return this.#candidates(query, now)
      .filter((entry) => accepts(entry) && matches(entry))
      .sort((a, b) => a.order - b.order);
  }

  /** The smallest stretch of an order which one condition of the query leaves. */
  #candidates(query: Query, now: number): IndexedItem[] {
    const conditions = query.kind === 'and' ? query.members : [query];
    let best = this.#byUuid;
    for (const condition of conditions) {
      const [low, high] = stretch(condition, now) ?? [undefined, undefined];
      if (low === undefined && high === undefined) continue;
      const list =
        'field' in condition && condition.field === 'lastModified' ? this.#byModified : this.#byUuid;
      const order = list === this.#byUuid ? uuidOrder : modifiedOrder;
      const from = low === undefined ? 0 : lowerBound(list, low, order);
      const to = high === undefined ? list.length : lowerBound(list, high, order);
      if (to - from < best.length) best = list.slice(from, Math.max(from, to));
    }
    return best;
  }

  #picture(item: Item, now: number): IndexedItem {
    this.#order += 1;
    return {
      item,
      uuid: item.uuid,
      modified: item.lastModified,
      indexed: now,
      order: this.#order,
      listed: (item.inArchive || !item.isLatest) && !item.withdrawn && item.discoverable,
      latest: item.isLatest,
      open: isOpen(item.read, now),
    };
  }
}

type Position = Pick<IndexedItem, 'uuid' | 'modified'>;

const uuidOrder = (a: Position, b: Position): number => (a.uuid < b.uuid ? -1 : a.uuid > b.uuid ? 1 : 0);
const modifiedOrder = (a: Position, b: Position): number => a.modified - b.modified || uuidOrder(a, b);

function lowerBound(
  list: readonly IndexedItem[],
  position: Position,
  order: (a: Position, b: Position) => number,
): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (order(list[middle] as IndexedItem, position) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** From the first of several UUIDs, or beginnings of UUIDs, to the last. */
function hull(members: readonly Query[], now: number): [Position, Position] | undefined {
  let [low, high]: (Position | undefined)[] = [];
  for (const member of members) {
    const isUuid = 'field' in member && member.field === 'search.resourceid';
    const [from, to] = (isUuid && stretch(member, now)) || [];
    if (from === undefined || to === undefined) return undefined;
    if (low === undefined || uuidOrder(from, low) < 0) low = from;
    if (high === undefined || uuidOrder(to, high) > 0) high = to;
  }
  return low && high && [low, high];
}

/** Where a condition begins and ends in its order; may be wider than the condition, never narrower. */
function stretch(query: Query, now: number): [Position | undefined, Position | undefined] | undefined {
  if (query.kind === 'wildcard' && query.field === 'search.resourceid') {
    const prefix = prefixOf(query.pattern);
    return prefix === undefined || prefix === ''
      ? undefined
      : [
          { uuid: prefix, modified: 0 },
          { uuid: `${prefix}\uffff`, modified: 0 },
        ];
  }
  if (query.kind === 'term' && query.field === 'search.resourceid')
    return [
      { uuid: query.text, modified: 0 },
      { uuid: `${query.text}\uffff`, modified: 0 },
    ];
  if (query.kind === 'or') return hull(query.members, now);
  if (query.kind !== 'range') return undefined;
  if (query.field === 'search.resourceid')
    return [
      query.low === undefined ? undefined : { uuid: query.low, modified: 0 },
      query.high === undefined ? undefined : { uuid: `${query.high}\uffff`, modified: 0 },
    ];
  if (query.field === 'lastModified')
    return [
      query.low === undefined ? undefined : { uuid: '', modified: solrDate(query.low, now) },
      query.high === undefined ? undefined : { uuid: '', modified: solrDate(query.high, now) + 1 },
    ];
  return undefined;
}

type Predicate = (entry: IndexedItem) => boolean;

function predicate(query: Query, now: number): Predicate {
  switch (query.kind) {
    case 'all':
      return () => true;
    case 'and': {
      const members = query.members.map((member) => predicate(member, now));
      return (entry) => members.every((matches) => matches(entry));
    }
    case 'or': {
      const members = query.members.map((member) => predicate(member, now));
      return (entry) => members.some((matches) => matches(entry));
    }
    case 'not': {
      const matches = predicate(query.member, now);
      return (entry) => !matches(entry);
    }
    case 'range':
      return rangePredicate(query, now);
    default:
      return valuePredicate(query, now);
  }
}

const timeFields: Readonly<Record<string, (entry: IndexedItem) => number>> = {
  lastModified: ({ modified }) => modified,
  'SolrIndexer.lastIndexed': ({ indexed }) => indexed,
};

function rangePredicate(query: Extract<Query, { kind: 'range' }>, now: number): Predicate {
  const time = timeFields[query.field ?? ''];
  if (time !== undefined) {
    const low = query.low === undefined ? -Infinity : solrDate(query.low, now);
    const high = query.high === undefined ? Infinity : solrDate(query.high, now);
    return (entry) => {
      const at = time(entry);
      return (query.withLow ? at >= low : at > low) && (query.withHigh ? at <= high : at < high);
    };
  }
  const { low, high } = query;
  return (entry) =>
    valuesOf(entry, query.field).some(
      (value) =>
        (low === undefined || (query.withLow ? value >= low : value > low)) &&
        (high === undefined || (query.withHigh ? value <= high : value < high)),
    );
}

function valuePredicate(query: Extract<Query, { kind: 'term' | 'wildcard' }>, now: number): Predicate {
  const { field } = query;
  if (query.kind === 'wildcard') {
    if (field !== undefined && query.pattern === '*') return (entry) => valuesOf(entry, field).length > 0;
    const prefix = prefixOf(query.pattern);
    if (field === 'search.resourceid' && prefix !== undefined) return ({ uuid }) => uuid.startsWith(prefix);
    const pattern = wildcard(query.pattern, exactFields.has(field ?? '') ? '' : 'i');
    if (field !== undefined && exactFields.has(field))
      return (entry) => valuesOf(entry, field).some((value) => pattern.test(value));
    return (entry) => valuesOf(entry, field).some((value) => words(value).some((word) => pattern.test(word)));
  }
  const time = timeFields[field ?? ''];
  if (time !== undefined) {
    const at = solrDate(query.text, now);
    return (entry) => time(entry) === at;
  }
  if (field !== undefined && exactFields.has(field))
    return (entry) => valuesOf(entry, field).includes(query.text);
  const wanted = words(query.text).join(' ');
  return (entry) =>
    valuesOf(entry, field).some((value) => ` ${words(value).join(' ')} `.includes(` ${wanted} `));
}

/** Fields which Solr keeps as they are; every other one is cut into words. */
const exactFields = new Set([
  'search.resourceid',
  'search.uniqueid',
  'search.resourcetype',
  'handle',
  'location',
  'location.coll',
  'location.comm',
  'entityType',
  'search.entitytype',
  'latestVersion',
  'withdrawn',
  'discoverable',
  'archived',
]);

function words(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function valuesOf(entry: IndexedItem, field: string | undefined): string[] {
  const { item } = entry;
  switch (field) {
    case undefined:
    case 'search_text':
      return Object.values(item.metadata).flatMap((values) => values.map(({ value }) => value));
    case 'search.resourceid':
      return [item.uuid];
    case 'search.uniqueid':
      return [`Item-${item.uuid}`];
    case 'search.resourcetype':
      return ['Item'];
    case 'handle':
      return item.handle === undefined ? [] : [item.handle];
    case 'location.coll':
      return [item.collection, ...item.mapped].map(({ uuid }) => uuid);
    case 'location.comm':
      return [...communitiesOf(item)];
    case 'entityType':
    case 'search.entitytype':
    case 'dspace.entity.type':
      return item.entityType === null ? [] : [item.entityType];
    case 'latestVersion':
      return [String(entry.latest)];
    case 'withdrawn':
      return [String(item.withdrawn)];
    case 'discoverable':
      return [String(item.discoverable)];
    case 'archived':
      return [String(item.inArchive)];
    default:
      return (item.metadata[field.replace(/_(keyword|text|filter|partial|dt)$/, '')] ?? []).map(
        ({ value }) => value,
      );
  }
}

/** The ids of all communities above an item. */
export function communitiesOf(item: Item): Set<string> {
  const ids = new Set<string>();
  for (const collection of [item.collection, ...item.mapped]) {
    for (let above: Item['collection']['parent'] | undefined = collection.parent; above; above = above.parent)
      ids.add(above.uuid);
  }
  return ids;
}
