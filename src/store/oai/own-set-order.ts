import type { Knex } from 'knex';
import { mapPrefix } from '../../oai/formats.ts';
import {
  definitionOfSets,
  isInOwnSet,
  type OwnSet,
  ownSetSpec,
  specsOfDefinition,
} from '../../oai/sets/own-sets.ts';
import { insertRows, whereAnyOf } from '../engine/bulk.ts';
import type { Database, Queryable } from '../engine/database.ts';
import { ofSource } from '../rows/one-source.ts';
import { changesAfter, changesAtATime, type OrderedSource, placesAfter } from './record-order.ts';
import { wholeItems } from './stored-item.ts';
import { collectionsOfItems } from './stored-record.ts';

/**
 * Records in the order of their last changes, by the sets that are configured here. They follow the order of all records and
 * never overtake it: that takes away whatever has changed, these rows among it.
 */
interface FollowedSets {
  readonly definition: string;
  readonly seq: number;
}

async function readFollowed(db: Queryable, sourceId: number): Promise<FollowedSets | undefined> {
  const row: { definition: string; seq: number | string } | undefined = await db('oai_own_set')
    .where({ source_id: sourceId })
    .first('definition', 'seq');
  return row && { definition: row.definition, seq: Number(row.seq) };
}

/** The sequence up to which records are in order by these sets; 0: none are. */
export async function ownSetsUpTo(db: Queryable, sourceId: number, sets: readonly OwnSet[]): Promise<number> {
  const followed = await readFollowed(db, sourceId);
  return followed?.definition === definitionOfSets(sets) ? followed.seq : 0;
}

/** Whether they have to follow the order of all records, or to go. */
export function ownSetsAreDue(
  { own, seq }: Pick<OrderedSource, 'own' | 'seq'>,
  sets: readonly OwnSet[],
): boolean {
  if (sets.length === 0) return own !== undefined;
  return own?.definition !== definitionOfSets(sets) || own.seq < seq;
}

/**
 * Takes up the next changes of a source, up to where all records are in order. One transaction with its place.
 * @param upTo of the source's journal
 * @returns whether there may be more
 */
export async function orderOwnSets(
  database: Database,
  sourceId: number,
  sets: readonly OwnSet[],
  upTo: number,
): Promise<boolean> {
  const definition = definitionOfSets(sets);
  const followed = await readFollowed(database.reader, sourceId);
  if (followed?.definition !== definition) {
    if (followed || sets.length > 0) await beginAnew(database, sourceId, followed, sets);
    return sets.length > 0;
  }
  if (followed.seq >= upTo) return false;
  const changes = (await changesAfter(database.reader, sourceId, followed.seq)).filter(
    ({ seq }) => Number(seq) <= upTo,
  );
  const isAll = changes.length < changesAtATime;
  const next = isAll ? upTo : Number(changes.at(-1)?.seq ?? upTo);
  const { leaving, places } = placesAfter(changes);
  const collections = await collectionsOfItems(
    database.reader,
    sourceId,
    places.map(({ itemId }) => itemId),
  );
  await database.transaction(async (trx) => {
    const moved = await trx('oai_own_set')
      .where({ source_id: sourceId, definition, seq: followed.seq })
      .update({ seq: next });
    if (moved === 0) return;
    await removeRows(trx, sourceId, sets.map(ownSetSpec), leaving);
    await insertRows(
      trx,
      'oai_record',
      places.flatMap(({ itemId, format, seq, resourceId }) => {
        const told = format === wholeItems ? mapPrefix : format;
        return sets
          .filter((set) => isInOwnSet(set, { format: told, collections: collections.get(itemId) ?? [] }))
          .map((set) => ({
            ...{ source_id: sourceId, format, spec: ownSetSpec(set) },
            ...{ seq, resource_id: resourceId },
          }));
      }),
    );
  });
  return !isAll;
}

/** What the sets were before goes, and their order begins. */
async function beginAnew(
  database: Database,
  sourceId: number,
  followed: FollowedSets | undefined,
  sets: readonly OwnSet[],
): Promise<void> {
  const specs = followed ? specsOfDefinition(followed.definition) : [];
  for (const format of specs.length > 0 ? await formatsOf(database.reader, sourceId) : [])
    for (const spec of specs) while (await forgetSome(database, { source_id: sourceId, format, spec }));
  await database.transaction(async (trx) => {
    await trx('oai_own_set').where({ source_id: sourceId }).delete();
    if (sets.length === 0 || !(await trx('source').where({ id: sourceId }).first('id'))) return;
    await trx('oai_own_set').insert({ source_id: sourceId, definition: definitionOfSets(sets), seq: 0 });
  });
}

/** Each is found by the key, without reading what is between them. */
async function formatsOf(db: Queryable, sourceId: number): Promise<readonly string[]> {
  const found: string[] = [wholeItems];
  for (;;) {
    const row: { format: string } | undefined = await db('oai_record')
      .where({ source_id: sourceId })
      .where('format', '>', found.at(-1) ?? wholeItems)
      .orderBy('format')
      .first('format');
    if (!row) return found;
    found.push(row.format);
  }
}

/** @returns whether there may be more */
function forgetSome(
  database: Database,
  list: { readonly source_id: number; readonly format: string; readonly spec: string },
): Promise<boolean> {
  return database.transaction(async (trx) => {
    const rows: { seq: number | string }[] = await trx('oai_record')
      .where(list)
      .orderBy('seq')
      .limit(changesAtATime)
      .select('seq');
    const last = rows.at(-1);
    if (!last) return false;
    await trx('oai_record').where(list).where('seq', '<=', last.seq).delete();
    return true;
  });
}

async function removeRows(
  trx: Knex.Transaction,
  sourceId: number,
  specs: readonly string[],
  resourceIds: readonly number[],
): Promise<void> {
  if (resourceIds.length === 0) return;
  await trx('oai_record')
    .modify((query) => whereAnyOf(query, 'resource_id', resourceIds))
    .modify((query) => whereAnyOf(query, 'spec', specs))
    .modify(ofSource, 'oai_record', sourceId)
    .delete();
}
