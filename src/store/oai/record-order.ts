import type { Knex } from 'knex';
import { xmlType } from '../../core/uris.ts';
import { setsOf } from '../../oai/sets/set-spec.ts';
import { insertRows, whereAnyOf } from '../engine/bulk.ts';
import type { Database, Queryable } from '../engine/database.ts';
import { question } from '../engine/question.ts';
import { ofSource, sameSource } from '../rows/one-source.ts';
import { placedAs, wholeItems } from './stored-item.ts';
import { collectionsOfItems } from './stored-record.ts';

/** Counted up when records are put in order by other rules: then all of them are, anew. */
const rules = 2;

/** Changes that are taken up at a time. */
export const changesAtATime = 1000;

/** How far the order of a source's records has followed its journal. */
export interface OrderedSource {
  readonly sourceId: number;
  readonly source: string;
  readonly seq: number;
  readonly journalSeq: number;
  /** There may be rows of it. */
  readonly isKnown: boolean;
  /** Of the sets that are configured here: what they are (`definitionOfSets`), and how far they have followed. */
  readonly own: { readonly definition: string; readonly seq: number } | undefined;
}

/** Of every source, in one query. */
export async function readOrdered(db: Queryable): Promise<readonly OrderedSource[]> {
  const rows: {
    id: number;
    name: string;
    journal_seq: number;
    seq: number | null;
    rules: number | null;
    definition: string | null;
    own_seq: number | string | null;
  }[] = await db('source')
    .leftJoin('oai_followed', 'oai_followed.source_id', 'source.id')
    .leftJoin('oai_own_set', 'oai_own_set.source_id', 'source.id')
    .orderBy('source.id')
    .select('source.id', 'source.name', 'source.journal_seq', 'oai_followed.seq', 'oai_followed.rules')
    .select('oai_own_set.definition', 'oai_own_set.seq as own_seq');
  return rows.map((row) => ({
    sourceId: row.id,
    source: row.name,
    seq: row.rules === rules ? Number(row.seq ?? 0) : 0,
    journalSeq: Number(row.journal_seq),
    isKnown: row.seq !== null,
    own: row.definition === null ? undefined : { definition: row.definition, seq: Number(row.own_seq) },
  }));
}

/** The sequence up to which a source's records are in order; 0: none are. */
export async function orderedUpTo(db: Queryable, sourceId: number): Promise<number> {
  const [row] = await followed(db, sourceId);
  return Number(row?.seq ?? 0);
}

const followed = question<{ seq: number | string }, [sourceId: number]>(1, (db, sourceId) =>
  db('oai_followed').select('seq').where({ source_id: sourceId, rules }),
);

/**
 * Takes up the next changes of a source's journal: the records that they are of move to their new places. One transaction
 * with its place: whoever is killed leaves it as it was, and of two that do the same, one does nothing.
 * @returns how far it is now; undefined where it is at the end
 */
export async function orderRecords(
  database: Database,
  { sourceId, seq, journalSeq }: Pick<OrderedSource, 'sourceId' | 'seq' | 'journalSeq'>,
): Promise<number | undefined> {
  const changes = await changesAfter(database.reader, sourceId, seq);
  const last = Number(changes.at(-1)?.seq ?? 0);
  // Where there are no more, the journal is read to its end, whatever its last changes were of.
  const next = changes.length < changesAtATime ? Math.max(last, journalSeq) : last;
  if (next <= seq) return undefined;
  const { leaving, places } = placesAfter(changes);
  const collections = await collectionsOfItems(
    database.reader,
    sourceId,
    places.map(({ itemId }) => itemId),
  );
  const isOurs = await database.transaction(async (trx) => {
    // It may have been removed for good meanwhile.
    if (!(await trx('source').where({ id: sourceId }).first('id'))) return false;
    if (seq === 0)
      await trx('oai_followed')
        .insert({ source_id: sourceId, seq: 0, rules })
        .onConflict('source_id')
        .ignore();
    // Written first: another process that does the same waits here, and finds that it is done.
    const own = trx('oai_followed').where({ source_id: sourceId });
    if (seq === 0) {
      own.where((any) => any.where({ seq: 0 }).orWhereNot({ rules }));
      // Their rows go with all others.
      await trx('oai_own_set').where({ source_id: sourceId }).delete();
    }
    if (seq > 0) own.where({ seq, rules });
    if ((await own.update({ seq: next, rules })) === 0) return false;
    await removePlaces(trx, sourceId, leaving);
    await insertRows(
      trx,
      'oai_record',
      places.flatMap(({ itemId, format, seq: at, resourceId }) =>
        ['', ...setsOf(collections.get(itemId) ?? [])].map((spec) => ({
          source_id: sourceId,
          format,
          spec,
          seq: at,
          resource_id: resourceId,
        })),
      ),
    );
    return true;
  });
  return isOurs ? next : undefined;
}

/** Forgets some of the order of a source that is offered no more. @returns whether anything is left */
export function forgetOrder(database: Database, sourceId: number): Promise<boolean> {
  return database.transaction(async (trx) => {
    await trx('oai_followed').where({ source_id: sourceId }).update({ seq: 0 });
    const isLeft = (await forgetSomeRecords(trx, sourceId)) > 0;
    await trx('oai_own_set').where({ source_id: sourceId }).delete();
    if (!isLeft) await trx('oai_followed').where({ source_id: sourceId }).delete();
    return isLeft;
  });
}

/** @returns how many rows went */
export async function forgetSomeRecords(trx: Knex.Transaction, sourceId: number): Promise<number> {
  const rows: { resource_id: number }[] = await trx('oai_record')
    .where({ source_id: sourceId })
    .limit(changesAtATime)
    .select('resource_id');
  await removePlaces(trx, sourceId, [...new Set(rows.map(({ resource_id }) => Number(resource_id)))]);
  return rows.length;
}

async function removePlaces(
  trx: Knex.Transaction,
  sourceId: number,
  resourceIds: readonly number[],
): Promise<void> {
  if (resourceIds.length === 0) return;
  await trx('oai_record')
    .modify((query) => whereAnyOf(query, 'resource_id', resourceIds))
    .modify(ofSource, 'oai_record', sourceId)
    .delete();
}

/** Where something stands in the order. */
export interface Place {
  readonly itemId: number;
  /** `wholeItems`: it is the item itself. */
  readonly format: string;
  readonly seq: number;
  /** Of an item `placedAs`. */
  readonly resourceId: number;
}

/**
 * What some changes make of the order. A file moves its item, and no record: those say what the repository delivered.
 * @param changes in their order
 * @returns whose places are free, and the places that are taken instead. What has changed once more after these changes has
 * none until those are taken up.
 */
export function placesAfter(changes: readonly ChangeRow[]): {
  readonly leaving: readonly number[];
  readonly places: readonly Place[];
} {
  const leaving = new Set<number>();
  const places: Place[] = [];
  const items = new Map<number, number>();
  for (const change of changes) {
    const [itemId, resourceId, seq] = [change.item_id, change.resource_id, change.seq].map(Number) as [
      number,
      number,
      number,
    ];
    const isLast = seq === Number(change.last_seq);
    leaving.add(placedAs(itemId));
    if (isLast) items.set(itemId, seq);
    if (!isRecord(change)) continue;
    leaving.add(resourceId);
    if (isLast) places.push({ itemId, format: change.format, seq, resourceId });
  }
  for (const [itemId, seq] of items)
    places.push({ itemId, format: wholeItems, seq, resourceId: placedAs(itemId) });
  return { leaving: [...leaving], places };
}

/** A change of the journal with what it was of. */
export interface ChangeRow {
  readonly seq: number;
  readonly resource_id: number;
  readonly item_id: number;
  readonly kind: string;
  readonly format: string;
  readonly media_type: string | null;
  readonly last_seq: number;
}

/** The next changes of a source, `changesAtATime` of them. */
export function changesAfter(db: Queryable, sourceId: number, seq: number): Promise<readonly ChangeRow[]> {
  return db('change')
    .join('resource', 'resource.id', 'change.resource_id')
    .modify(sameSource, 'resource', 'change')
    .where('change.source_id', sourceId)
    .where('change.seq', '>', seq)
    .orderBy('change.seq')
    .limit(changesAtATime)
    .select(
      'change.seq',
      'change.resource_id',
      'resource.item_id',
      'resource.kind',
      'resource.format',
      'resource.media_type',
      'resource.last_seq',
    );
}

/** What OAI-PMH can hold: metadata in XML. */
export function isRecord({ kind, media_type }: ChangeRow): boolean {
  return kind === 'metadata' && isXml(media_type);
}

/** Deleted metadata has no media type any more in the journal, but in its row. */
export function isXml(mediaType: string | null): boolean {
  return (
    mediaType === null || mediaType === xmlType || /^(?:text\/xml|application\/[^;]+\+xml)$/.test(mediaType)
  );
}
