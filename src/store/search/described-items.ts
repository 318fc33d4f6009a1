import {
  describeMetadata,
  inOrderOfDetail,
  longestDescribed,
  mostCompared,
} from '../../core/descriptions/describe.ts';
import { type Description, fullWeight, weightOf } from '../../core/descriptions/description.ts';
import { isBridgeError } from '../../core/errors.ts';
import { facets, indexTerms } from '../../core/search/words.ts';
import { whereAnyOf } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { giveWay } from '../engine/time-slice.ts';
import { type Content, readContents } from '../payloads/contents.ts';
import { ofSource } from '../rows/one-source.ts';

/** What lists say of an item. */
export interface ShortDescription {
  readonly lastmod: string;
  readonly title: string | undefined;
  readonly language: string | undefined;
  readonly otherTitles: readonly string[];
  readonly creators: readonly string[];
  readonly date: string | undefined;
  readonly type: string | undefined;
}

/** What lists say of an item, and what it is found by. */
export interface DescribedItem extends ShortDescription {
  readonly itemId: number;
  /** The metadata that says it: only while that is published, and has these bytes, is any of this shown. */
  readonly resourceId: number;
  readonly hash: string;
  readonly terms: readonly string[];
}

interface MetadataRow {
  readonly id: number;
  readonly item_id: number;
  readonly path: string;
  readonly format: string;
  readonly media_type: string | null;
  readonly length: number | null;
  readonly hash: string | null;
  readonly lastmod: string;
}

/** More names than lists show; those who look for the hundredth author of a paper look elsewhere. */
const mostCreators = 30;
const mostTitles = 5;

/** Of a source: those of the items that have published metadata, described by the format that says most. */
export async function describeItems(
  db: Queryable,
  directory: string,
  sourceId: number,
  itemIds: readonly number[],
): Promise<readonly DescribedItem[]> {
  const metadata = await livingMetadata(db, sourceId, itemIds);
  const names = await namesOf(db, sourceId, [...metadata.keys()]);
  const collections = await collectionsOf(db, sourceId, [...metadata.keys()]);
  const best = await describeEach(db, directory, metadata);
  return [...metadata].flatMap(([itemId, rows]) => {
    const [first] = rows;
    const found = best.get(itemId);
    const row = found?.row ?? first;
    if (row?.hash === null || row === undefined) return [];
    return [
      toDescribed(row, rows, found?.description, {
        sourceId,
        identifier: names.get(itemId) ?? '',
        collections: collections.get(itemId) ?? [],
      }),
    ];
  });
}

function toDescribed(
  row: MetadataRow,
  all: readonly MetadataRow[],
  description: Description | undefined,
  {
    sourceId,
    identifier,
    collections,
  }: { sourceId: number; identifier: string; collections: readonly number[] },
): DescribedItem {
  const { title, date, type, doi, handle } = description ?? {};
  const otherTitles = (description?.otherTitles ?? []).slice(0, mostTitles).map(({ text }) => text);
  const creators = (description?.creators ?? []).slice(0, mostCreators);
  const year = date?.slice(0, 4);
  return {
    itemId: Number(row.item_id),
    resourceId: Number(row.id),
    hash: row.hash ?? '',
    lastmod: all.reduce((latest, { lastmod }) => (lastmod > latest ? lastmod : latest), ''),
    title: title?.text,
    language: title?.language,
    otherTitles,
    creators,
    date,
    type,
    terms: [
      ...indexTerms([title?.text ?? '', identifier, ...creators, ...otherTitles, doi ?? '', handle ?? '']),
      facets.source(sourceId),
      ...(year === undefined ? [] : [facets.year(year)]),
      ...[...new Set(all.map(({ format }) => format))].map(facets.format),
      ...collections.map(facets.collection),
    ],
  };
}

/** By item; of each, those that say more before those that say less. */
async function livingMetadata(
  db: Queryable,
  sourceId: number,
  itemIds: readonly number[],
): Promise<ReadonlyMap<number, readonly MetadataRow[]>> {
  const rows: MetadataRow[] = await db('resource')
    .modify((query) => whereAnyOf(query, 'item_id', itemIds))
    .modify(ofSource, 'resource', sourceId)
    .where('kind', 'metadata')
    .whereNull('deleted_at')
    .whereNull('withdrawn_at')
    .select('id', 'item_id', 'path', 'format', 'media_type', 'length', 'hash', 'lastmod');
  const found = new Map<number, MetadataRow[]>();
  for (const row of rows) {
    const own = found.get(Number(row.item_id));
    if (own) own.push(row);
    else found.set(Number(row.item_id), [row]);
  }
  return new Map([...found].map(([id, own]) => [id, inOrderOfDetail(own)]));
}

interface Best {
  readonly row: MetadataRow;
  readonly description: Description;
}

/** In rounds: first the most detailed format of each item, then the next of those that it does not say everything of. */
async function describeEach(
  db: Queryable,
  directory: string,
  metadata: ReadonlyMap<number, readonly MetadataRow[]>,
): Promise<ReadonlyMap<number, Best>> {
  const best = new Map<number, Best>();
  const weight = (itemId: number) => {
    const found = best.get(itemId);
    return found ? weightOf(found.description) : 0;
  };
  for (let round = 0; round < mostCompared; round += 1) {
    const due = [...metadata].flatMap(([itemId, rows]) => {
      const row = rows.filter(isShort)[round];
      return row && weight(itemId) < fullWeight ? [row] : [];
    });
    if (due.length === 0) break;
    for await (const { row, bytes } of readWhole(db, directory, due)) {
      const turn = giveWay();
      if (turn) await turn;
      const description = describeMetadata(bytes, row.media_type ?? undefined);
      const itemId = Number(row.item_id);
      if (description && weightOf(description) > weight(itemId)) best.set(itemId, { row, description });
    }
  }
  return best;
}

function isShort({ hash, length }: MetadataRow): boolean {
  return hash !== null && (length ?? 0) <= longestDescribed;
}

/** What is damaged is left out; `rsbridge check` speaks of it. */
async function* readWhole(
  db: Queryable,
  directory: string,
  rows: readonly MetadataRow[],
): AsyncGenerator<{ readonly row: MetadataRow; readonly bytes: Uint8Array }> {
  for (let start = 0; start < rows.length; ) {
    const owners = rows
      .slice(start)
      .map((row) => ({ row, path: row.path, hash: row.hash ?? undefined, length: row.length ?? undefined }));
    try {
      for await (const { owner, content } of readContents(db, directory, owners)) {
        const bytes = await bytesOf(content);
        start += 1;
        yield { row: owner.row, bytes };
      }
    } catch (error) {
      if (!isBridgeError(error, 'content-damaged')) throw error;
      start += 1;
    }
  }
}

async function bytesOf(content: Content): Promise<Uint8Array> {
  if (content.coding !== 'file') return content.bytes;
  const chunks: Uint8Array[] = [];
  for await (const chunk of content.chunks) chunks.push(Uint8Array.from(chunk));
  return Buffer.concat(chunks);
}

async function namesOf(
  db: Queryable,
  sourceId: number,
  itemIds: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const rows: { id: number; identifier: string }[] = await db('item')
    .modify((query) => whereAnyOf(query, 'id', itemIds))
    .modify(ofSource, 'item', sourceId)
    .select('id', 'identifier');
  return new Map(rows.map(({ id, identifier }) => [Number(id), identifier]));
}

async function collectionsOf(
  db: Queryable,
  sourceId: number,
  itemIds: readonly number[],
): Promise<ReadonlyMap<number, readonly number[]>> {
  const rows: { item_id: number; collection_id: number }[] = await db('item_collection')
    .where({ source_id: sourceId })
    .modify((query) => whereAnyOf(query, 'item_id', itemIds))
    .select('item_id', 'collection_id');
  const found = new Map<number, number[]>();
  for (const { item_id, collection_id } of rows) {
    const own = found.get(Number(item_id));
    if (own) own.push(collection_id);
    else found.set(Number(item_id), [collection_id]);
  }
  return found;
}
