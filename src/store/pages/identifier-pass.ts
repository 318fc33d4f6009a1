import type { Knex } from 'knex';
import type { Checkpoint, Problem } from '../../core/adapter.ts';
import { whereAnyOf } from '../engine/bulk.ts';
import type { Database, Queryable } from '../engine/database.ts';
import { ofSource, resourceRanges } from '../rows/one-source.ts';
import { type Lease, renewLease } from '../runs/leases.ts';
import { type Run, recordProblems } from '../runs/runs.ts';
import { markSeen, unseenBy } from '../runs/seen.ts';
import { recordUnreadParts } from '../runs/vanished.ts';
import { countDoubts, storeProgress } from './store-page.ts';

/** A part of the upstream's list of identifiers, as it is stored. */
export interface ListedPage {
  /** Of living items. */
  readonly identifiers: readonly string[];
  /** Entries of the list, deleted ones included. */
  readonly entries: number;
  readonly problems: readonly Problem[];
  readonly checkpoint: Checkpoint | undefined;
}

/**
 * Marks the items of a page as met, in everything that is published of them: that a list of one format has an
 * item says nothing of its other formats, and this is not the pass that asks. The mark is the one of full passes
 * (`runs/seen.ts`), which ask for those of their own run or a later one: one that begins later meets them anew.
 * @throws BridgeError `lease-lost`
 */
export async function storeListed(
  database: Database,
  lease: Lease,
  run: Run<'identifiers'>,
  page: ListedPage,
  now: { iso: string; milliseconds: number },
): Promise<Pick<Run, 'problems' | 'unidentified'>> {
  const { sourceId } = lease;
  const { identifiers, entries, problems, checkpoint } = page;
  const unidentified = await countDoubts(database, sourceId, problems);
  const result = {
    items: entries,
    created: 0,
    updated: 0,
    deleted: 0,
    unchanged: 0,
    problems: problems.length,
    unidentified,
  };
  await database.transaction(async (trx) => {
    await renewLease(trx, lease, now.milliseconds);
    await markListed(trx, sourceId, run.id, identifiers);
    await recordProblems(trx, run, problems);
    await recordUnreadParts(trx, sourceId, run.id, problems);
    await storeProgress(trx, run.id, { items: [], problems, checkpoint }, result, now.iso);
  });
  return { problems: problems.length, unidentified };
}

async function markListed(
  trx: Knex.Transaction,
  sourceId: number,
  runId: number,
  identifiers: readonly string[],
): Promise<void> {
  if (identifiers.length === 0) return;
  const items = trx('item')
    .select('id')
    .where({ source_id: sourceId })
    .modify((query) => whereAnyOf(query, 'identifier', identifiers));
  const unseen: { id: number }[] = await trx('resource')
    .whereIn('item_id', items)
    .modify(ofSource, 'resource', sourceId)
    .whereNull('deleted_at')
    .whereRaw(unseenBy(runId, sourceId))
    .select('id');
  await markSeen(trx, sourceId, runId, idsOf(unseen));
}

/**
 * Marks the items that are published in none of the listed formats: their absence from the list says nothing. All of the
 * source is looked through, some at a time, and its row is held for a moment only, where something is found.
 * @throws BridgeError `lease-lost`
 */
export async function excuseUnlisted(
  database: Database,
  lease: Lease,
  runId: number,
  formats: readonly string[],
  now: { milliseconds: number },
): Promise<void> {
  const { sourceId } = lease;
  const { writer } = database;
  for await (const { after, last } of resourceRanges(writer, sourceId)) {
    const unlisted: { id: number }[] = await writer('resource')
      .where({ source_id: sourceId, kind: 'metadata' })
      .where('id', '>', after)
      .where('id', '<=', last)
      .whereNull('deleted_at')
      .whereRaw(unseenBy(runId, sourceId))
      .whereNotExists(
        writer('resource as listed')
          .whereRaw('listed.item_id = resource.item_id')
          .modify(ofSource, 'listed', sourceId)
          .where({ 'listed.kind': 'metadata' })
          .whereNull('listed.deleted_at')
          .whereIn('listed.format', [...formats])
          .select(writer.raw('1')),
      )
      .select('id');
    if (unlisted.length === 0) continue;
    await database.transaction(async (trx) => {
      await renewLease(trx, lease, now.milliseconds);
      await markSeen(trx, sourceId, runId, idsOf(unlisted));
    });
  }
}

function idsOf(rows: readonly { readonly id: number }[]): readonly number[] {
  return rows.map(({ id }) => id);
}

/** Those of the identifiers of which nothing is published, and might be. */
export async function findAbsent(
  db: Queryable,
  sourceId: number,
  identifiers: readonly string[],
): Promise<readonly string[]> {
  if (identifiers.length === 0) return [];
  const rows: { identifier: string }[] = await db('item')
    .distinct('item.identifier')
    .join('resource', 'resource.item_id', 'item.id')
    .where({ 'item.source_id': sourceId })
    .modify(ofSource, 'resource', sourceId)
    .whereNull('resource.deleted_at')
    .modify((query) => whereAnyOf(query, 'item.identifier', identifiers));
  const hidden: { identifier: string }[] = await db('private_item')
    .join('source', 'source.name', 'private_item.source')
    .where({ 'source.id': sourceId })
    .modify((query) => whereAnyOf(query, 'private_item.identifier', identifiers))
    .select('private_item.identifier');
  const here = new Set([...rows, ...hidden].map(({ identifier }) => identifier));
  return identifiers.filter((identifier) => !here.has(identifier));
}
