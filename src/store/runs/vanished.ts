import type { Knex } from 'knex';
import type { Problem } from '../../core/adapter.ts';
import { addSeconds } from '../../core/datetime.ts';
import { say } from '../../core/reasons/reason.ts';
import { insertRows, type Row, whereAnyOf } from '../engine/bulk.ts';
import type { Database, Queryable } from '../engine/database.ts';
import { ofSource, resourceRanges, sameSource } from '../rows/one-source.ts';
import { type Lease, renewLease } from './leases.ts';
import type { Run, RunKind } from './runs.ts';
import { foldSeen, forgetSeenBefore, unseenBy } from './seen.ts';

/** A pass that came to its end, and did not meet what is suspected of having vanished. */
export interface Suspicion {
  readonly runId: number;
  readonly pass: RunKind;
  /** When the pass ended. */
  readonly at: string;
}

/** An item of which metadata is published that the latest finished pass did not meet. */
export interface VanishedItem extends Suspicion {
  readonly itemId: number;
  readonly identifier: string;
  readonly formats: readonly string[];
  /** When the first pass in a row that did not meet it ended. */
  readonly since: string;
  /** It was asked for since, and the upstream gave no clear answer. */
  readonly isUnclear: boolean;
}

/** A part more costs a comparison per suspected resource; a list with more of them was not read at all. */
const keptParts = 200;

/** Remembers which parts of its list a run could not read. */
export async function recordUnreadParts(
  trx: Knex.Transaction,
  sourceId: number,
  runId: number,
  problems: readonly Problem[],
): Promise<void> {
  const doubts = problems.filter(({ code }) => code === 'list-doubtful');
  if (doubts.length === 0) return;
  const [before] = await trx('unread_part')
    .where({ source_id: sourceId, run_id: runId })
    .count({ count: '*' });
  const isWhole = Number(before?.count ?? 0) + doubts.length > keptParts;
  const rows = (isWhole ? [{}] : doubts).map(toPart);
  await insertRows(
    trx,
    'unread_part',
    rows.map((row): Row => ({ ...row, source_id: sourceId, run_id: runId })),
  );
}

const day = 86_400;

/** With a day more on either side, for servers with a clock of their own. */
function toPart({ format, part = {} }: Partial<Problem>): Row {
  const { from, until, collection } = part;
  return {
    format: format ?? null,
    spec: collection ?? null,
    from_at: from === undefined ? null : addSeconds(from, -day),
    until_at: until === undefined ? null : addSeconds(until, 2 * day),
  };
}

/**
 * At the end of a pass: everything that it did not meet is suspected of having vanished, apart from what may be in a
 * part that it could not read. What was suspected before and is not now, is not any more. All of the source is looked through, some
 * at a time: requests that write to its row, and the heartbeat of whoever asks for its files, wait for a moment only.
 * @throws BridgeError `lease-lost`
 */
export async function recordVanished(
  database: Database,
  lease: Lease,
  { id: runId, mode }: Pick<Run<RunKind>, 'id' | 'mode'>,
  now: { iso: string; milliseconds: number },
): Promise<void> {
  const { sourceId } = lease;
  const held = (work: (trx: Knex.Transaction) => Promise<unknown>) =>
    database.transaction(async (trx) => {
      await renewLease(trx, lease, now.milliseconds);
      await work(trx);
    });
  for await (const range of resourceRanges(database.writer, sourceId)) {
    await held(async (trx) => {
      await trx.raw(
        `insert into vanished (resource_id, source_id, item_id, run_id, pass, at, first_at)
        select resource.id, resource.source_id, resource.item_id, ${runId}, '${mode}', ?, ?
        from resource join item on item.id = resource.item_id and item.source_id = resource.source_id
        where resource.source_id = ? and resource.id > ? and resource.id <= ?
          and resource.kind = 'metadata' and resource.deleted_at is null
          and ${unseenBy(runId, sourceId)}
          and not exists (select 1 from unread_part as part where part.source_id = ? and part.run_id = ?
            and (part.format is null or part.format = resource.format)
            and (part.from_at is null or item.datestamp is null or item.datestamp >= part.from_at)
            and (part.until_at is null or item.datestamp is null or item.datestamp <= part.until_at)
            and (part.spec is null or ${isInPart(sourceId)}))
        on conflict (resource_id) do update
        set run_id = excluded.run_id, pass = excluded.pass, at = excluded.at`,
        [now.iso, now.iso, sourceId, range.after, range.last, sourceId, runId],
      );
      await foldSeen(trx, sourceId, runId, range);
    });
  }
  await held(async (trx) => {
    await trx('vanished').where({ source_id: sourceId }).where('run_id', '<>', runId).delete();
    await trx('unread_part').where({ source_id: sourceId }).where('run_id', '<>', runId).delete();
    await forgetSeenBefore(trx, sourceId, runId);
    await resolveRuns(trx, sourceId);
  });
}

/** In the part's collection, in one below it (`spec:…`), or nobody knows in which. */
const isInPart = (sourceId: number) => `(
  exists (select 1 from item_collection join collection on collection.id = item_collection.collection_id
    where item_collection.source_id = ${sourceId} and item_collection.item_id = item.id and (collection.spec = part.spec
      or substr(collection.spec, 1, length(part.spec) + 1) = part.spec || ':'))
  or not exists (select 1 from item_collection
    where item_collection.source_id = ${sourceId} and item_collection.item_id = item.id))`;

/** These have been met: nobody suspects them any more. */
export async function clearVanished(
  trx: Knex.Transaction,
  sourceId: number,
  resourceIds: readonly number[],
): Promise<void> {
  if (resourceIds.length === 0) return;
  if (!(await trx('vanished').where({ source_id: sourceId }).first('resource_id'))) return;
  await trx('vanished')
    .where({ source_id: sourceId })
    .modify((query) => whereAnyOf(query, 'resource_id', resourceIds))
    .delete();
  await resolveRuns(trx, sourceId);
}

/**
 * A person says that what a run missed is there: it stays, until another pass misses it. What waited for that person does
 * not wait any longer.
 * @returns how many resources were suspected; 0 too where another run has shown something else since
 */
export function dismissVanished(database: Database, sourceId: number, runId: number): Promise<number> {
  return database.transaction(async (trx) => {
    const dismissed = await trx('vanished').where({ source_id: sourceId, run_id: runId }).delete();
    if (dismissed > 0) await resolveRuns(trx, sourceId);
    return dismissed;
  });
}

export interface VanishedCounts {
  readonly items: number;
  readonly resources: number;
  readonly runId: number | undefined;
}

/** What is suspected, and by which pass; `items` is 0 where nothing is. */
export async function countVanished(db: Queryable, sourceId: number): Promise<VanishedCounts> {
  return (await countVanishedOf(db, [sourceId]))(sourceId);
}

/** The same of several sources. */
export async function countVanishedOf(
  db: Queryable,
  sourceIds: readonly number[],
): Promise<(sourceId: number) => VanishedCounts> {
  const [first] = sourceIds;
  const isOne = first !== undefined && sourceIds.length === 1;
  const rows = (await (isOne ? suspected(db, first) : suspectedOfSeveral(db))
    .modify((query) => whereAnyOf(query, 'vanished.source_id', sourceIds))
    .groupBy('vanished.source_id')
    .select('vanished.source_id')
    .countDistinct({ items: 'vanished.item_id' })
    .count({ resources: '*' })
    .max({ run: 'vanished.run_id' })) as readonly VanishedSum[];
  const counts = new Map(
    rows.map(({ source_id, items, resources, run }): [number, VanishedCounts] => [
      source_id,
      { items: Number(items), resources: Number(resources), runId: Number(run) },
    ]),
  );
  return (sourceId) => counts.get(sourceId) ?? { items: 0, resources: 0, runId: undefined };
}

interface VanishedSum {
  readonly source_id: number;
  readonly items: number | string;
  readonly resources: number | string;
  readonly run: number | string;
}

/** Within a statement about `source`: 1 where anything is suspected, else null. */
export function anyVanished(db: Queryable): Knex.QueryBuilder {
  return suspectedOfSeveral(db).whereRaw('vanished.source_id = source.id').select(db.raw('1')).limit(1);
}

/** The suspected items with ids beyond `after`, in the order of their ids. */
export async function listVanished(
  db: Queryable,
  sourceId: number,
  after: number,
  limit: number,
): Promise<readonly VanishedItem[]> {
  const ids: { item_id: number }[] = await suspected(db, sourceId)
    .where('vanished.item_id', '>', after)
    .distinct('vanished.item_id')
    .orderBy('vanished.item_id')
    .limit(limit);
  if (ids.length === 0) return [];
  const rows: VanishedRow[] = await suspected(db, sourceId)
    .join('item', 'item.id', 'vanished.item_id')
    .modify(sameSource, 'item', 'vanished')
    .modify((query) =>
      whereAnyOf(
        query,
        'vanished.item_id',
        ids.map(({ item_id }) => item_id),
      ),
    )
    .orderBy(['vanished.item_id', 'resource.format'])
    .select('vanished.*', 'item.identifier', 'resource.format', db.raw(`${isUnclear} as unclear`));
  const items = new Map<number, VanishedItem & { formats: string[] }>();
  for (const { item_id: itemId, identifier, run_id, pass, at, first_at, format, unclear } of rows) {
    const known = items.get(itemId);
    if (known) known.formats.push(format);
    else {
      const seen = { since: first_at, runId: run_id, pass, at, isUnclear: Boolean(unclear) };
      items.set(itemId, { itemId, identifier, formats: [format], ...seen });
    }
  }
  return [...items.values()];
}

/** The run that could not read parts of its list, if that was the latest pass; what is in there may be missing. */
export async function unreadBy(db: Queryable, sourceId: number): Promise<number | undefined> {
  const row: { run_id: number } | undefined = await db('unread_part')
    .where({ source_id: sourceId })
    .orderBy('run_id', 'desc')
    .first('run_id');
  return row?.run_id;
}

interface VanishedRow {
  readonly item_id: number;
  readonly identifier: string;
  readonly run_id: number;
  readonly pass: RunKind;
  readonly at: string;
  readonly first_at: string;
  readonly format: string;
  readonly unclear: number | boolean;
}

/** Within a statement over `vanished` and `item`: nothing could be read of it when it was asked for. */
const isUnclear = `exists (select 1 from unreadable where unreadable.source_id = vanished.source_id
  and unreadable.place = 'id:' || item.identifier and unreadable.format = '' and unreadable.run_id >= vanished.run_id)`;

function suspected(db: Queryable, sourceId: number): Knex.QueryBuilder {
  return allSuspected(db, sourceId)
    .where('vanished.source_id', sourceId)
    .modify(ofSource, 'resource', sourceId);
}

function suspectedOfSeveral(db: Queryable): Knex.QueryBuilder {
  return allSuspected(db, undefined);
}

/** A pass that is under way may have met some of them by now. */
function allSuspected(db: Queryable, sourceId: number | undefined): Knex.QueryBuilder {
  return db('vanished')
    .join('resource', 'resource.id', 'vanished.resource_id')
    .modify(sameSource, 'resource', 'vanished')
    .whereNull('resource.deleted_at')
    .whereRaw(unseenBy('vanished.run_id', sourceId));
}

/** Nothing is suspected any more: whatever waited for a person for that reason alone, waits no longer. */
async function resolveRuns(trx: Knex.Transaction, sourceId: number): Promise<void> {
  if (await trx('vanished').where({ source_id: sourceId }).first('resource_id')) return;
  const waiting = { source_id: sourceId, state: 'needs-attention', error_code: 'deletions-refused' };
  await trx('run')
    .where({ ...waiting, unidentified: 0 })
    .update({ state: 'succeeded', error_code: null, error_message: null });
  await trx('run')
    .where(waiting)
    .update({
      error_code: 'oai-list-incomplete',
      error_message: say('list-parts-unread', { parts: 'parts' }),
    });
}
