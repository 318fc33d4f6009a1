import { comparable } from '../../core/search/words.ts';
import { whereAnyOf } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { ofSources } from '../rows/one-source.ts';
import { candidates, type DescriptionRow, type SearchQuestion } from './candidates.ts';
import type { ShortDescription } from './described-items.ts';

export type { SearchQuestion } from './candidates.ts';

/** An item as lists name it. */
export interface NamedItem extends ShortDescription {
  readonly source: string;
  readonly identifier: string;
}

export interface SearchAnswer {
  readonly items: readonly NamedItem[];
  /** Where the next page begins; undefined: there is no more. */
  readonly next: number | undefined;
}

/** What is found is judged so many times at most, each time as many as a page has; then the reader goes on. */
const mostRounds = 8;

/** @param isServed whether items of a source are shown at all */
export async function search(
  db: Queryable,
  question: SearchQuestion,
  isServed: (source: string) => boolean | Promise<boolean>,
): Promise<SearchAnswer> {
  const items: NamedItem[] = [];
  let after = question.after;
  const atATime = question.limit + 1;
  for (let round = 0; round < mostRounds; round += 1) {
    const found = await candidates(db, question, after, atATime);
    const judged = await judge(db, found, question, isServed);
    for (const row of found) {
      const item = judged.get(Number(row.place));
      // One more than fits tells that there is a next page.
      if (item && items.length === question.limit) return { items, next: after };
      if (item) items.push(item);
      after = Number(row.place);
    }
    if (found.length < atATime) return { items, next: undefined };
  }
  return { items, next: after };
}

/** Those of the rows that may be shown now, by their places: the index may be behind what is published. */
async function judge(
  db: Queryable,
  rows: readonly DescriptionRow[],
  { wanted, collectionId }: SearchQuestion,
  isServed: (source: string) => boolean | Promise<boolean>,
): Promise<ReadonlyMap<number, NamedItem>> {
  if (rows.length === 0) return new Map();
  const named = await nameItems(db, rows);
  const members = collectionId === undefined ? undefined : await membersAmong(db, rows, collectionId);
  const judged = new Map<number, NamedItem>();
  for (const row of rows) {
    const item = named.get(Number(row.item_id));
    if (!item || !holds(item, wanted.stretches) || (members && !members.has(Number(row.item_id)))) continue;
    if (await isServed(item.source)) judged.set(Number(row.place), item);
  }
  return judged;
}

/** Pairs of characters may stand in an item apart from one another. */
function holds(item: NamedItem, stretches: readonly string[]): boolean {
  if (stretches.length === 0) return true;
  const { title = '', identifier, otherTitles, creators } = item;
  const text = comparable([title, identifier, ...otherTitles, ...creators].join('\n'));
  return stretches.every((stretch) => text.includes(stretch));
}

/** By item: what is said of it, as long as the metadata that says so is published and has not changed. */
export async function nameItems(
  db: Queryable,
  rows: readonly DescriptionRow[],
): Promise<ReadonlyMap<number, NamedItem>> {
  const sourceIds = [...new Set(rows.map(({ source_id }) => source_id))];
  const resources: { id: number; hash: string | null }[] = await db('resource')
    .modify(ofSources, 'resource', sourceIds)
    .modify((query) =>
      whereAnyOf(
        query,
        'id',
        rows.map(({ resource_id }) => Number(resource_id)),
      ),
    )
    .whereNull('deleted_at')
    .whereNull('withdrawn_at')
    .select('id', 'hash');
  const items: { id: number; identifier: string }[] = await db('item')
    .modify(ofSources, 'item', sourceIds)
    .modify((query) =>
      whereAnyOf(
        query,
        'id',
        rows.map(({ item_id }) => Number(item_id)),
      ),
    )
    .select('id', 'identifier');
  const sources: { id: number; name: string }[] = await db('source')
    .modify((query) => whereAnyOf(query, 'id', sourceIds))
    .select('id', 'name');
  const hashes = new Map(resources.map(({ id, hash }) => [Number(id), hash]));
  const identifiers = new Map(items.map(({ id, identifier }) => [Number(id), identifier]));
  const names = new Map(sources.map(({ id, name }) => [id, name]));
  return new Map(
    rows.flatMap((row) => {
      const identifier = identifiers.get(Number(row.item_id));
      const source = names.get(row.source_id);
      const isTrue = hashes.get(Number(row.resource_id)) === row.hash;
      if (!isTrue || identifier === undefined || source === undefined) return [];
      return [[Number(row.item_id), toNamed(row, source, identifier)] as const];
    }),
  );
}

function toNamed(row: DescriptionRow, source: string, identifier: string): NamedItem {
  const { title, language, other_titles, creators, date, type, lastmod } = row;
  return {
    source,
    identifier,
    title: title ?? undefined,
    language: language ?? undefined,
    otherTitles: JSON.parse(other_titles) as string[],
    creators: JSON.parse(creators) as string[],
    date: date ?? undefined,
    type: type ?? undefined,
    lastmod,
  };
}

async function membersAmong(
  db: Queryable,
  rows: readonly DescriptionRow[],
  collectionId: number,
): Promise<ReadonlySet<number>> {
  const found: { item_id: number }[] = await db('item_collection')
    .modify((query) => whereAnyOf(query, 'source_id', [...new Set(rows.map(({ source_id }) => source_id))]))
    .where({ collection_id: collectionId })
    .modify((query) =>
      whereAnyOf(
        query,
        'item_id',
        rows.map(({ item_id }) => Number(item_id)),
      ),
    )
    .select('item_id');
  return new Set(found.map(({ item_id }) => Number(item_id)));
}
