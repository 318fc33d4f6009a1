import type { ChangeKind } from '../../core/resource.ts';
import type { Queryable } from '../engine/database.ts';
import { factOfChange, versionOfChange } from '../rows/change-facts.ts';
import { ofSource, sameSource } from '../rows/one-source.ts';
import type { StoredCollection } from '../sources/collections.ts';

/** A change of something in a collection, for the moment in which it happened. */
export interface CollectionChange {
  /** By the journal's clock. */
  readonly at: string;
  readonly path: string;
  readonly change: ChangeKind;
  /** When the state began that it had from then on. */
  readonly lastmod: string;
}

/** When something changed among the items that are in a collection now. */
export interface CollectionTimeline {
  /** What came first of all that was ever published of them. */
  readonly first?: CollectionChange | undefined;
  /** The latest change. */
  readonly last?: CollectionChange | undefined;
  /** The latest change of the moment before that. */
  readonly prev?: CollectionChange | undefined;
  /** In a large collection: `prev` or `last` is not among so many changes of the source. */
  readonly quietFor?: number | undefined;
}

/** Changes of the whole source that are looked through for one of a large collection. */
const reach = 50_000;

type ChangeRow = {
  readonly seq: number;
  readonly at: string;
  readonly path: string;
  readonly kind: ChangeKind;
  readonly lastmod: string;
};

/** What it costs does not depend on how large the collection is. */
export async function readCollectionTimeline(
  db: Queryable,
  { source, spec, isLarge }: StoredCollection,
): Promise<CollectionTimeline> {
  const place: Place | undefined = await db('collection')
    .join('source', 'source.id', 'collection.source_id')
    .where({ 'source.name': source, 'collection.spec': spec })
    .first('collection.id', 'collection.source_id', 'source.journal_seq');
  const first = place && (await findFirst(db, place));
  if (!place || !first) return {};
  // One that is not is read as a whole: in a large repository it may rest for long.
  const look = isLarge ? lookBack : lookAtMembers;
  const last = await look(db, place, Number(place.journal_seq));
  const before = last && (await endOfMomentBefore(db, place, last.at));
  const prev = before === undefined ? undefined : await look(db, place, before);
  const isQuiet = isLarge && !(prev ?? (last && last.seq === first.seq));
  return {
    first: toChange(first),
    last: toChange(last),
    prev: toChange(prev),
    ...(isQuiet && { quietFor: reach }),
  };
}

interface Place {
  /** Of the collection. */
  readonly id: number;
  readonly source_id: number;
  readonly journal_seq: number;
}

/** Items are numbered as they come: of the first one that anything was published of, what was published first. */
async function findFirst(db: Queryable, { id, source_id }: Place): Promise<ChangeRow | undefined> {
  const item: { item_id: number } | undefined = await db('item_collection')
    .where({ collection_id: id })
    .modify(ofSource, 'item_collection', source_id)
    .whereExists(
      db('resource')
        .select('id')
        .whereRaw('resource.item_id = item_collection.item_id')
        .modify(ofSource, 'resource', source_id),
    )
    .orderBy('item_id')
    .first('item_id');
  if (!item) return undefined;
  const found: { seq?: number | null } | undefined = await db('resource')
    .join('change', 'change.resource_id', 'resource.id')
    .where('resource.item_id', item.item_id)
    .modify(ofSource, 'resource', source_id)
    .modify(ofSource, 'change', source_id)
    .min({ seq: 'change.seq' })
    .first();
  return found?.seq == null ? undefined : findChange(db, source_id, Number(found.seq));
}

/** The last change of the moment before this one. */
async function endOfMomentBefore(
  db: Queryable,
  { source_id }: Place,
  at: string,
): Promise<number | undefined> {
  const moment: { seq: number } | undefined = await db('moment')
    .where({ source_id })
    .where('at', '<', at)
    .orderBy('at', 'desc')
    .first('seq');
  return moment && Number(moment.seq);
}

async function lookAtMembers(
  db: Queryable,
  { id, source_id }: Place,
  seq: number,
): Promise<ChangeRow | undefined> {
  const found: { seq?: number | null } | undefined = await db('item_collection')
    .join('resource', 'resource.item_id', 'item_collection.item_id')
    .join('change', 'change.resource_id', 'resource.id')
    .where('item_collection.collection_id', id)
    .modify(ofSource, 'item_collection', source_id)
    .modify(ofSource, 'resource', source_id)
    .modify(ofSource, 'change', source_id)
    .where('change.seq', '<=', seq)
    .max({ seq: 'change.seq' })
    .first();
  return found?.seq == null ? undefined : findChange(db, source_id, Number(found.seq));
}

async function lookBack(
  db: Queryable,
  { id, source_id }: Place,
  seq: number,
): Promise<ChangeRow | undefined> {
  return selectChanges(db, source_id)
    .where('change.seq', '<=', seq)
    .where('change.seq', '>', seq - reach)
    .whereExists(
      db('item_collection')
        .select('item_id')
        .where('collection_id', id)
        .modify(ofSource, 'item_collection', source_id)
        .whereRaw('item_collection.item_id = resource.item_id'),
    )
    .orderBy('change.seq', 'desc')
    .first();
}

function findChange(db: Queryable, sourceId: number, seq: number): Promise<ChangeRow | undefined> {
  return selectChanges(db, sourceId).where('change.seq', seq).first();
}

function selectChanges(db: Queryable, sourceId: number) {
  return db('change')
    .join('resource', 'resource.id', 'change.resource_id')
    .modify(sameSource, 'resource', 'change')
    .where('change.source_id', sourceId)
    .leftJoin('version', versionOfChange)
    .select(
      'change.seq',
      'change.at',
      'change.kind',
      'resource.path',
      db.raw(`${factOfChange('lastmod')} as lastmod`),
    );
}

function toChange(row: ChangeRow | undefined): CollectionChange | undefined {
  return row && { at: row.at, path: row.path, change: row.kind, lastmod: row.lastmod };
}
