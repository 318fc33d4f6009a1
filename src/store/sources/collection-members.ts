import type { ResourceKind } from '../../core/resource.ts';
import { whereAnyOf } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { ofSource } from '../rows/one-source.ts';
import { type RepresentationRow, toRepresentation } from '../rows/representation-columns.ts';

/** What is in a collection: living resources of the items that belong to it. No question of here costs more with a larger one. */
export interface CollectionMember {
  readonly path: string;
  readonly kind: ResourceKind;
  readonly mediaType: string | undefined;
  readonly length: number | undefined;
}

export interface MemberCounts {
  readonly resourceCount: number;
  /** Of these, files. */
  readonly fileCount: number;
  /** There may be more, of either: so many are counted and no further. */
  readonly isLeast: boolean;
  /** Too many items belong to it to look at each. */
  readonly isLarge: boolean;
}

export interface MemberPage {
  readonly members: readonly CollectionMember[];
  /** What `after` has to be for the next page; undefined on the last one. */
  readonly next: string | undefined;
}

/** A row of `collection`, as far as it says which members are meant. */
export interface CollectionPlace {
  readonly id: number;
  readonly source_id: number;
}

/** Resources, and items, that are counted; a larger collection has at least so many. */
export const countedUpTo = 1000;

/** So many items can still be looked at one by one. */
const largeFrom = 5000;

export async function countMembers(db: Queryable, place: CollectionPlace): Promise<MemberCounts> {
  const hasMore = async (items: number) =>
    (await itemsOf(db, place).offset(items).first('item_id')) !== undefined;
  const isLarge = await hasMore(largeFrom);
  const some = itemsOf(db, place).limit(countedUpTo).select('item_id').as('some');
  const counted = db(some)
    .join('resource', 'resource.item_id', 'some.item_id')
    .modify((query) => whereLiving(query, place))
    .limit(countedUpTo + 1)
    .select('resource.kind')
    .as('counted');
  const rows: { kind: ResourceKind; count: number | string }[] = await db(counted)
    .groupBy('kind')
    .select('kind')
    .count({ count: '*' });
  const countOf = (kind: ResourceKind) => Number(rows.find((row) => row.kind === kind)?.count ?? 0);
  const files = countOf('file');
  const all = files + countOf('metadata');
  return {
    resourceCount: Math.min(all, countedUpTo),
    fileCount: Math.min(files, countedUpTo),
    isLeast: isLarge || all > countedUpTo || (await hasMore(countedUpTo)),
    isLarge,
  };
}

const itemsAtATime = 200;
/** Items of which nothing lives are passed over as far as this; behind them the next page goes on. */
const roundsAtMost = 25;

/**
 * Members in the order in which the bridge first met their items, and within an item their resources.
 * @param after `next` of the page before, or the path of a member: that has always been one, too. One that there is not begins again.
 */
export async function listMembers(
  db: Queryable,
  place: CollectionPlace,
  after: string,
  limit: number,
): Promise<MemberPage> {
  let { item, resource } = await cursorOf(db, place, after);
  const found: MemberRow[] = [];
  for (let round = 0; round < roundsAtMost; round += 1) {
    const items: { item_id: number | string }[] = await itemsOf(db, place)
      .where('item_id', '>=', item)
      .limit(itemsAtATime)
      .select('item_id');
    found.push(...(await readMembers(db, place, items, { item, resource }, limit + 1 - found.length)));
    const last = items.at(-1);
    if (found.length > limit) {
      const members = found.slice(0, limit).map(toMember);
      return { members, next: members.at(-1)?.path };
    }
    if (!last || items.length < itemsAtATime) return { members: found.map(toMember), next: undefined };
    item = Number(last.item_id) + 1;
    resource = 0;
  }
  return { members: found.map(toMember), next: `${itemMark}${item}` };
}

/** No path begins like this, nor does any address. */
const itemMark = '~';

type MemberRow = RepresentationRow & Pick<CollectionMember, 'path' | 'kind'>;

/** The place behind which members are wanted: all of items behind `item`, and of this one those behind `resource`. */
interface Cursor {
  readonly item: number;
  readonly resource: number;
}

async function cursorOf(db: Queryable, { source_id }: CollectionPlace, after: string): Promise<Cursor> {
  const beginning = { item: 0, resource: 0 };
  if (after === '') return beginning;
  if (after.startsWith(itemMark)) {
    const item = /^\d{1,15}$/.test(after.slice(1)) ? Number(after.slice(1)) : 0;
    return { item, resource: 0 };
  }
  const row: { id: number | string; item_id: number | string } | undefined = await db('resource')
    .where({ path: after, source_id })
    .first('id', 'item_id');
  return row ? { item: Number(row.item_id), resource: Number(row.id) } : beginning;
}

async function readMembers(
  db: Queryable,
  place: CollectionPlace,
  items: readonly { readonly item_id: number | string }[],
  behind: Cursor,
  limit: number,
): Promise<readonly MemberRow[]> {
  if (items.length === 0) return [];
  const ids = items.map(({ item_id }) => Number(item_id));
  return db('resource')
    .modify((query) => whereAnyOf(query, 'resource.item_id', ids))
    .modify((query) => whereLiving(query, place))
    .where((query) =>
      query.where('resource.item_id', '>', behind.item).orWhere('resource.id', '>', behind.resource),
    )
    .orderBy(['resource.item_id', 'resource.id'])
    .limit(limit)
    .select('resource.path', 'resource.kind', 'resource.media_type', 'resource.length', 'resource.hash');
}

function itemsOf(db: Queryable, { id, source_id }: CollectionPlace) {
  return db('item_collection')
    .where('collection_id', id)
    .modify(ofSource, 'item_collection', source_id)
    .orderBy('item_id');
}

function whereLiving(query: ReturnType<Queryable>, { source_id }: CollectionPlace): void {
  query
    .modify(ofSource, 'resource', source_id)
    .whereNull('resource.deleted_at')
    .whereNull('resource.withdrawn_at');
}

function toMember({ path, kind, ...row }: MemberRow): CollectionMember {
  const { mediaType, length } = toRepresentation(row);
  return { path, kind, mediaType, length };
}
