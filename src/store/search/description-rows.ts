import type { Knex } from 'knex';
import { insertRows, isPostgres, whereAnyOf } from '../engine/bulk.ts';
import type { DescribedItem } from './described-items.ts';
import { placeOf } from './places.ts';

/** Writes what is said of items in the place of what was; those of `itemIds` of which nothing is said are forgotten. */
export async function replaceDescriptions(
  trx: Knex.Transaction,
  sourceId: number,
  itemIds: readonly number[],
  described: readonly DescribedItem[],
): Promise<void> {
  await forgetItems(trx, sourceId, itemIds);
  const rows = described.map((item) => toRow(sourceId, item));
  if (rows.length === 0) return;
  if (isPostgres(trx)) await insertIntoPostgres(trx, rows);
  else await insertIntoSqlite(trx, rows);
}

export async function forgetItems(
  trx: Knex.Transaction,
  sourceId: number,
  itemIds: readonly number[],
): Promise<number> {
  const own = () =>
    trx('description')
      .where({ source_id: sourceId })
      .modify((query) => whereAnyOf(query, 'item_id', itemIds));
  if (!isPostgres(trx)) await forgetTerms(trx, await own().select('place'));
  return own().delete();
}

/** Some of what is said of a source. @returns how many items there were */
export async function forgetSome(trx: Knex.Transaction, sourceId: number, limit: number): Promise<number> {
  const rows: { item_id: number }[] = await trx('description')
    .where({ source_id: sourceId })
    .orderBy('item_id')
    .limit(limit)
    .select('item_id');
  const ids = rows.map(({ item_id }) => Number(item_id));
  if (ids.length > 0) await forgetItems(trx, sourceId, ids);
  return ids.length;
}

async function forgetTerms(trx: Knex.Transaction, rows: readonly { place: number }[]): Promise<void> {
  if (rows.length === 0) return;
  const places = JSON.stringify(rows.map(({ place }) => place));
  await trx.raw('delete from item_search where rowid in (select value from json_each(?))', [places]);
}

type DescriptionRow = ReturnType<typeof toRow>;

function toRow(sourceId: number, item: DescribedItem) {
  return {
    place: placeOf(item.lastmod, item.itemId),
    source_id: sourceId,
    item_id: item.itemId,
    resource_id: item.resourceId,
    hash: item.hash,
    lastmod: item.lastmod,
    title: item.title ?? null,
    language: item.language ?? null,
    other_titles: JSON.stringify(item.otherTitles),
    creators: JSON.stringify(item.creators),
    date: item.date ?? null,
    type: item.type ?? null,
    terms: item.terms,
  };
}

async function insertIntoSqlite(trx: Knex.Transaction, rows: readonly DescriptionRow[]): Promise<void> {
  await insertRows(
    trx,
    'description',
    rows.map(({ terms: _, ...row }) => row),
  );
  await insertRows(
    trx,
    'item_search',
    rows.map(({ place, terms }) => ({ rowid: place, terms: terms.join(' ') })),
  );
}

/** Terms hold no blanks: as one text they are read faster than as a list. */
async function insertIntoPostgres(trx: Knex.Transaction, rows: readonly DescriptionRow[]): Promise<void> {
  await trx.raw(
    `insert into description (place, source_id, item_id, resource_id, hash, lastmod, title, language, other_titles,
      creators, date, type, terms)
    select place, source_id, item_id, resource_id, decode(hash, 'hex'), lastmod, title, language, other_titles, creators,
      date, type, array_to_tsvector(string_to_array(terms, ' '))
    from jsonb_to_recordset(?::jsonb) as given(place bigint, source_id integer, item_id bigint, resource_id bigint,
      hash text, lastmod text, title text, language text, other_titles text, creators text, date text, type text, terms text)`,
    [JSON.stringify(rows.map((row) => ({ ...row, hash: hexOf(row.hash), terms: row.terms.join(' ') })))],
  );
}

/** As every column of hashes has them: the octets of an SHA-256. Metadata has no other. */
function hexOf(hash: string): string {
  return hash.slice(hash.indexOf(':') + 1);
}
