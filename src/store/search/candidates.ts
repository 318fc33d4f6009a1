import type { Knex } from 'knex';
import { facets, type Wanted } from '../../core/search/words.ts';
import { isPostgres } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { placeAt } from './places.ts';

/** What is looked for; all of it has to be true of an item. */
export interface SearchQuestion {
  readonly wanted: Wanted;
  readonly sourceId?: number | undefined;
  readonly collectionId?: number | undefined;
  readonly format?: string | undefined;
  /** Four digits. */
  readonly year?: string | undefined;
  /** ISO UTC. */
  readonly since?: string | undefined;
  /** Behind this place; default: from the newest on. */
  readonly after?: number | undefined;
  readonly limit: number;
}

export interface DescriptionRow {
  readonly place: number;
  readonly source_id: number;
  readonly item_id: number;
  readonly resource_id: number;
  readonly hash: string;
  readonly lastmod: string;
  readonly title: string | null;
  readonly language: string | null;
  readonly other_titles: string;
  readonly creators: string;
  readonly date: string | null;
  readonly type: string | null;
}

export const descriptionColumns = [
  'description.place',
  'description.source_id',
  'description.item_id',
  'description.resource_id',
  'description.hash',
  'description.lastmod',
  'description.title',
  'description.language',
  'description.other_titles',
  'description.creators',
  'description.date',
  'description.type',
] as const;

/** The next ones that the index has, from the newest on; whether they may be shown is another question. */
export function candidates(
  db: Queryable,
  question: SearchQuestion,
  after: number | undefined,
  limit: number,
  reach: Reach = usualReach,
): Promise<readonly DescriptionRow[]> {
  if (isPostgres(db)) return inPostgres(db, question, after, limit, reach);
  const terms = termsOf(question);
  const query =
    terms.length > 0
      ? db('item_search')
          .joinRaw('cross join description')
          .whereRaw('description.place = item_search.rowid')
          .whereRaw('item_search match ?', [terms.map((term) => `"${term}"`).join(' ')])
      : db('description');
  // The index comes first, in its own order: what it finds has its row by its number.
  const place = terms.length > 0 ? 'item_search.rowid' : 'description.place';
  return rowsOf(
    query
      .modify(within, db.raw('??', [place]), question, after)
      .orderBy(place, 'desc')
      .limit(limit)
      .select(...descriptionColumns),
  );
}

export interface Reach {
  /** So many of the newest are looked through before the index is asked. */
  readonly lookedThrough: number;
  /** Among so many of the newest a page of what was met a few times before is found as a rule. */
  readonly lookedUp: number;
}

const usualReach: Reach = { lookedThrough: 3000, lookedUp: 40_000 };

/**
 * What is common is among the newest: those are looked through. What is met there a few times is asked of two indexes at once,
 * that of words and that of places, so that no more rows are read than some hundreds; by its word alone a page took 7,000 blocks
 * in a million items. What is hardly met is rare, and the index of words has it at once; PostgreSQL, which knows how often
 * common words are and not how rare others are, would look through all items.
 */
async function inPostgres(
  db: Queryable,
  question: SearchQuestion,
  after: number | undefined,
  limit: number,
  { lookedThrough, lookedUp }: Reach,
): Promise<readonly DescriptionRow[]> {
  // The source is a column, too, which says what partition to look into.
  const terms = termsOf({ ...question, sourceId: undefined });
  const own = () => {
    const all = db('description').select(...descriptionColumns);
    return question.sourceId === undefined ? all : all.where('source_id', question.sourceId);
  };
  const place = db.raw('description.place');
  const ordered = () => own().modify(within, place, question, after).orderBy('description.place', 'desc');
  if (terms.length === 0) return rowsOf(ordered().limit(limit));
  const match = terms.map((term) => `'${term}'`).join(' & ');
  const newest = ordered().select('description.terms').limit(lookedThrough).as('description');
  const met = await rowsOf(
    db(newest)
      .whereRaw('description.terms @@ ?::tsquery', [match])
      .orderBy('description.place', 'desc')
      .limit(limit)
      .select(...descriptionColumns),
  );
  if (met.length === limit) return met;
  const fromIndex = (place: Knex.Raw) =>
    own()
      .whereRaw('description.terms @@ ?::tsquery', [match])
      .modify(within, place, question, after)
      // Not the column itself: in its order all rows would be looked through.
      .orderByRaw('(description.place + 0) desc')
      .limit(limit);
  if (met.length * (lookedUp / lookedThrough) > limit) {
    const last: { place: number } | undefined = await ordered()
      .clearSelect()
      .select('description.place')
      .offset(lookedUp)
      .first();
    const found = await rowsOf(
      fromIndex(place).modify((query) => {
        if (last) query.whereRaw('description.place > cast(? as bigint)', [String(last.place)]);
      }),
    );
    if (found.length === limit || !last) return found;
  }
  return rowsOf(fromIndex(db.raw('(description.place + 0)')));
}

function within(
  query: Knex.QueryBuilder,
  place: Knex.Raw,
  { since }: SearchQuestion,
  after: number | undefined,
): void {
  // Places are greater than what a driver takes for a whole number by itself.
  if (after !== undefined) query.whereRaw('? < cast(? as bigint)', [place, String(after)]);
  if (since === undefined) return;
  query.whereRaw('? >= cast(? as bigint)', [place, String(placeAt(since))]).where('lastmod', '>=', since);
}

function rowsOf(query: Knex.QueryBuilder): Promise<readonly DescriptionRow[]> {
  return query as unknown as Promise<readonly DescriptionRow[]>;
}

/** They have letters, digits and marks of ours alone: nothing in them has to be escaped. */
function termsOf({ wanted, sourceId, collectionId, format, year }: SearchQuestion): readonly string[] {
  return [
    ...wanted.terms,
    ...(sourceId === undefined ? [] : [facets.source(sourceId)]),
    ...(collectionId === undefined ? [] : [facets.collection(collectionId)]),
    ...(format === undefined ? [] : [facets.format(format)]),
    ...(year === undefined ? [] : [facets.year(year)]),
  ];
}
