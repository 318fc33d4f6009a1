import type { Knex } from 'knex';
import { storeChanges } from '../changes/journal-writing.ts';
import { insertRows, isPostgres, whereAnyOf } from '../engine/bulk.ts';
import type { Database, Queryable } from '../engine/database.ts';
import { leaveJoints } from '../joint/lost-changes.ts';
import { forgetSomeOfJoint } from '../oai/joint-order.ts';
import { forgetSomeRecords } from '../oai/record-order.ts';
import { urgentlyDue } from '../payloads/released-for-good.ts';
import type { KnownResource } from '../plans/resource-changes.ts';
import { ofSource } from '../rows/one-source.ts';
import { patchesIn } from '../rows/representation-columns.ts';
import { type Lease, renewLease } from '../runs/leases.ts';
import { forgetSome } from '../search/description-rows.ts';
import { uncountFiles } from '../tally/file-tally.ts';

/** A source as the store has it, configured or not. */
export interface KnownSource {
  readonly name: string;
  /** When everything of it was deleted because it was removed. */
  readonly removedAt: string | undefined;
}

export async function listKnownSources(db: Queryable): Promise<readonly KnownSource[]> {
  const rows: { name: string; removed_at: string | null }[] = await db('source')
    .orderBy('name')
    .select('name', 'removed_at');
  return rows.map(({ name, removed_at }) => ({ name, removedAt: removed_at ?? undefined }));
}

export async function isRemoved(db: Queryable, name: string): Promise<boolean> {
  // PostgreSQL refuses NUL even in a question.
  if (name.includes('\0')) return false;
  return (await db('source').where({ name }).whereNotNull('removed_at').first('id')) !== undefined;
}

type Moment = { readonly iso: string; readonly milliseconds: number };

const resourcesAtATime = 500;

/**
 * Deletes everything of a source, as its journal tells those who follow it; should it be configured again, it is read from
 * the beginning. A transaction for some resources at a time; whoever is interrupted continues.
 * @returns how many resources were deleted
 * @throws BridgeError `lease-lost`
 */
export async function deleteAll(
  database: Database,
  lease: Lease,
  now: () => Moment,
  signal: AbortSignal,
): Promise<number> {
  const { sourceId } = lease;
  // What is deleted stays where it is: without its place, each step would read past all of it again.
  for (let [total, place] = [0, 0]; ; ) {
    signal.throwIfAborted();
    const { iso, milliseconds } = now();
    const { deleted, last } = await database.transaction(async (trx) => {
      await renewLease(trx, lease, milliseconds);
      const rows: (KnownResource & { item_id: number })[] = await trx('resource')
        .where({ source_id: sourceId })
        .where('id', '>', place)
        .whereNull('deleted_at')
        .orderBy('id')
        .limit(resourcesAtATime)
        .select('*');
      const itemIds = new Map(rows.map(({ item_id }) => [String(item_id), item_id]));
      const plans = rows.map((known) => ({
        change: 'deleted' as const,
        identifier: String(known.item_id),
        datestamp: undefined,
        known,
        desired: undefined,
        links: '[]',
        newBytes: false,
        seenRun: known.seen_run,
      }));
      await storeChanges(trx, sourceId, { id: 0 }, plans, itemIds, iso);
      if (rows.length < resourcesAtATime) {
        const anew = { as_of: null, selection: null, last_full_at: null };
        await trx('source')
          .where({ id: sourceId })
          .update({ ...anew, removed_at: iso });
      }
      return { deleted: rows.length, last: rows.at(-1)?.id ?? place };
    });
    total += deleted;
    place = last;
    if (deleted < resourcesAtATime) return total;
  }
}

const rowsAtATime = 2000;

/**
 * Removes all rows of a source that `deleteAll` has emptied, in the order in which a later call finds what an earlier one
 * has left; its bytes are given up, and go with the next `removeUnreferenced` where nobody else has them. What was withdrawn
 * of it stays withdrawn.
 */
export async function purgeSource(
  database: Database,
  lease: Lease,
  now: () => Moment,
  signal: AbortSignal,
): Promise<void> {
  const { sourceId } = lease;
  const step = async (work: (trx: Knex.Transaction) => Promise<number>): Promise<void> => {
    for (;;) {
      signal.throwIfAborted();
      const done = await database.transaction(async (trx) => {
        await renewLease(trx, lease, now().milliseconds);
        return work(trx);
      });
      if (done === 0) return;
    }
  };
  await step(async (trx) => {
    await leaveJoints(trx, sourceId, now().iso);
    return 0;
  });
  await step((trx) => purgeChanges(trx, sourceId));
  await step((trx) => purgeResources(trx, sourceId));
  await step((trx) => purgeFiles(trx, sourceId));
  await step((trx) => purgeItems(trx, sourceId));
  await step((trx) => deleteSome(trx, 'file_recount', sourceId));
  await step((trx) => trx('file_tally').where({ source_id: sourceId }).delete());
  await step((trx) => trx('described').where({ source_id: sourceId }).delete());
  await step((trx) => forgetSome(trx, sourceId, resourcesAtATime));
  await step((trx) => trx('oai_followed').where({ source_id: sourceId }).delete());
  await step((trx) => trx('oai_own_set').where({ source_id: sourceId }).delete());
  await step((trx) => forgetSomeRecords(trx, sourceId));
  await step((trx) => trx('oai_joint_source').where({ source_id: sourceId }).delete());
  await step((trx) => forgetSomeOfJoint(trx, sourceId));
  await step((trx) => trx('oai_harvester').where({ source_id: sourceId }).delete());
  for (const table of ['series', 'run_settings', 'former_item'])
    await step((trx) => trx(table).where({ source_id: sourceId }).delete());
  for (const table of ['moment', 'link_form', 'vanished', 'unread_part', 'unreadable', 'collection']) {
    await step((trx) => deleteSome(trx, table, sourceId));
  }
  // A row tells of many resources, and is found by its key.
  await step((trx) => trx('seen').where({ source_id: sourceId }).delete());
  await step((trx) => purgeRuns(trx, sourceId));
  await database.writer('source').where({ id: sourceId }).delete();
}

/** Some rows of a table, so that nobody waits long for it. @returns how many */
function deleteSome(trx: Knex.Transaction, table: string, sourceId: number): Promise<number> {
  const place = isPostgres(trx) ? 'ctid' : 'rowid';
  const some = trx(table).where({ source_id: sourceId }).limit(rowsAtATime).select(place);
  // These tables are not divided on PostgreSQL, so that a place is in each once.
  return trx(table).where({ source_id: sourceId }).whereRaw(`${place} in (?)`, [some]).delete();
}

/** Bytes that nobody of this source needs any more; each by numbers that no other row of the source has. */
async function release(
  trx: Knex.Transaction,
  sourceId: number,
  payloads: readonly { readonly owner: number; readonly seq: number; readonly hash: string | null }[],
): Promise<void> {
  const rows = payloads.flatMap(({ owner, seq, hash }) =>
    hash === null
      ? []
      : [{ source_id: sourceId, resource_id: owner, seq, end_seq: 0, hash, due_at: urgentlyDue }],
  );
  const conflict = { columns: ['source_id', 'resource_id', 'seq'], update: ['hash', 'end_seq', 'due_at'] };
  await insertRows(trx, 'released', rows, { conflict });
}

async function purgeChanges(trx: Knex.Transaction, sourceId: number): Promise<number> {
  const rows: { seq: number; resource_id: number; links: string }[] = await trx('change')
    .where({ source_id: sourceId })
    .orderBy('seq')
    .limit(rowsAtATime)
    .select('seq', 'resource_id', 'links');
  const patches = rows.flatMap(({ seq, resource_id, links }) =>
    patchesIn(links).flatMap(({ hash }) => (hash === undefined ? [] : [{ owner: -resource_id, seq, hash }])),
  );
  await release(trx, sourceId, patches);
  const last = rows.at(-1);
  if (last) await trx('change').where({ source_id: sourceId }).where('seq', '<=', last.seq).delete();
  return rows.length;
}

async function purgeResources(trx: Knex.Transaction, sourceId: number): Promise<number> {
  const rows: { id: number }[] = await trx('resource')
    .where({ source_id: sourceId })
    .orderBy('id')
    .limit(resourcesAtATime)
    .select('id');
  const ids = rows.map(({ id }) => id);
  const versions = () =>
    trx('version')
      .where({ source_id: sourceId })
      .modify((query) => whereAnyOf(query, 'resource_id', ids));
  const known: { resource_id: number; seq: number; hash: string | null }[] = await versions().select(
    'resource_id',
    'seq',
    'hash',
  );
  await release(
    trx,
    sourceId,
    known.map(({ resource_id, seq, hash }) => ({ owner: resource_id, seq, hash })),
  );
  await versions().delete();
  await trx('resource')
    .modify((query) => whereAnyOf(query, 'id', ids))
    .modify(ofSource, 'resource', sourceId)
    .delete();
  return rows.length;
}

async function purgeFiles(trx: Knex.Transaction, sourceId: number): Promise<number> {
  const rows: { id: number; content_hash: string | null }[] = await trx('remote_file')
    .where({ source_id: sourceId })
    // As an index has them: what is left of the source is not sorted each time.
    .orderBy('url')
    .limit(rowsAtATime)
    .select('id', 'content_hash');
  await release(
    trx,
    sourceId,
    rows.map(({ id, content_hash }) => ({ owner: 0, seq: id, hash: content_hash })),
  );
  const files = () =>
    trx('remote_file')
      .modify((query) =>
        whereAnyOf(
          query,
          'id',
          rows.map(({ id }) => id),
        ),
      )
      .modify(ofSource, 'remote_file', sourceId);
  await uncountFiles(trx, sourceId, files());
  await files().delete();
  return rows.length;
}

async function purgeItems(trx: Knex.Transaction, sourceId: number): Promise<number> {
  const rows: { id: number }[] = await trx('item')
    .where({ source_id: sourceId })
    .orderBy('identifier')
    .limit(resourcesAtATime)
    .select('id');
  const ids = rows.map(({ id }) => id);
  const prior: { item_id: number; hash: string | null }[] = await trx('prior_representation')
    .modify((query) => whereAnyOf(query, 'item_id', ids))
    .where({ source_id: sourceId, kind: 'metadata' })
    .select('item_id', 'hash');
  await release(
    trx,
    sourceId,
    prior.map(({ item_id, hash }, index) => ({ owner: 0, seq: -(item_id * 10_000 + index), hash })),
  );
  for (const table of ['prior_representation', 'prior_version', 'item_file', 'item_collection']) {
    await trx(table)
      .where({ source_id: sourceId })
      .modify((query) => whereAnyOf(query, 'item_id', ids))
      .delete();
  }
  await trx('item')
    .modify((query) => whereAnyOf(query, 'id', ids))
    .modify(ofSource, 'item', sourceId)
    .delete();
  return rows.length;
}

async function purgeRuns(trx: Knex.Transaction, sourceId: number): Promise<number> {
  const rows: { id: number }[] = await trx('run')
    .where({ source_id: sourceId })
    .orderBy('id')
    .limit(resourcesAtATime)
    .select('id');
  const ids = rows.map(({ id }) => id);
  await trx('problem')
    .modify((query) => whereAnyOf(query, 'run_id', ids))
    .delete();
  await trx('run')
    .modify((query) => whereAnyOf(query, 'id', ids))
    .delete();
  return rows.length;
}
