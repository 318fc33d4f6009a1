import type { Knex } from 'knex';
import type { MappedItem } from '../../core/mapping/mapping.ts';
import { namesOfVersions } from '../../core/mapping/prior-versions.ts';
import { type Withdrawn, withoutWithdrawn } from '../../core/mapping/withdrawn.ts';
import { isAbsolute } from '../../core/uris.ts';
import { storeChanges } from '../changes/journal-writing.ts';
import { whereAnyOf } from '../engine/bulk.ts';
import type { Database, Queryable } from '../engine/database.ts';
import { markUnsettled } from '../files/item-files.ts';
import { listHolders, resourcesAtWithdrawnLinks, unsettleNaming } from '../files/withdrawn-links.ts';
import { releaseForGood } from '../payloads/released-for-good.ts';
import type { KnownResource, ResourceChange } from '../plans/resource-changes.ts';
import { ofItemCalled, ofSource, sameSource, sourceIdOf } from '../rows/one-source.ts';
import { type Lease, renewLease } from '../runs/leases.ts';
import { whereNotWithdrawn, whereWithdrawn } from './refused.ts';
import { shareWithdrawals } from './shared-withdrawals.ts';
import { forgetAsVersions, type WithdrawnPart } from './versions-elsewhere.ts';
import type { Target, WithdrawalRow } from './withdrawal.ts';

/** What the operator has taken down, by the names that repository and bridge have for it: the table `withdrawal`. */
export interface Withdrawal {
  readonly source: string;
  /** Of the item, as the repository calls it. */
  readonly identifier: string;
  /** Of one resource of it; undefined: the whole item, with all that it will ever have. */
  readonly path: string | undefined;
  readonly reason: string | undefined;
  /** ISO. */
  readonly at: string;
}

/** Of some sources, in the order of their names. */
export async function listWithdrawals(
  db: Queryable,
  sources: readonly string[],
): Promise<readonly Withdrawal[]> {
  const rows: WithdrawalRow[] = await db('withdrawal')
    .modify((query) => whereAnyOf(query, 'source', sources))
    .orderBy(['source', 'identifier', 'path']);
  return rows.map(toWithdrawal);
}

/** Where a page of them begins. */
export interface WithdrawalPage {
  /** The number of one: those before it; undefined: the latest. */
  readonly before?: number | undefined;
  readonly limit: number;
}

/** Of all sources that there are, the latest first, each with its number. */
export async function listLatestWithdrawals(
  db: Queryable,
  { before, limit }: WithdrawalPage,
): Promise<readonly (Withdrawal & { readonly id: number })[]> {
  const rows: WithdrawalRow[] = await db('withdrawal')
    .whereIn('source', db('source').select('name'))
    .modify((query) => {
      if (before !== undefined) query.where('id', '<', before);
    })
    .orderBy('id', 'desc')
    .limit(limit);
  return rows.map((row) => ({ ...toWithdrawal(row), id: Number(row.id) }));
}

export async function findWithdrawals(
  db: Queryable,
  source: string,
  identifier: string,
): Promise<readonly Withdrawal[]> {
  const rows: WithdrawalRow[] = await db('withdrawal').where({ source, identifier }).orderBy('path');
  return rows.map(toWithdrawal);
}

/** Of one resource, in whatever source and item it has been withdrawn. */
export async function findWithdrawalsAt(db: Queryable, path: string): Promise<readonly Withdrawal[]> {
  const rows: WithdrawalRow[] = await db('withdrawal').where({ path }).orderBy(['source', 'identifier']);
  return rows.map(toWithdrawal);
}

function toWithdrawal({ source, identifier, path, reason, at }: WithdrawalRow): Withdrawal {
  return { source, identifier, path: path === '' ? undefined : path, reason: reason ?? undefined, at };
}

/** A page as if the repository did not have what was withdrawn. */
export async function pageWithoutWithdrawn<Page extends { readonly items: readonly MappedItem[] }>(
  db: Queryable,
  source: string,
  page: Page,
): Promise<Page> {
  const found = await readWithdrawn(
    db,
    source,
    page.items.flatMap((item) => [item.identifier, ...namesOfVersions(item)]),
  );
  if (found.size === 0) return page;
  const items = page.items.map((item) => withoutWithdrawn(item, found.get(item.identifier), found));
  return { ...page, items };
}

/** What is withdrawn of these items, by identifier. */
export async function readWithdrawn(
  db: Queryable,
  source: string,
  identifiers: readonly string[],
): Promise<ReadonlyMap<string, Withdrawn>> {
  if (identifiers.length === 0) return new Map();
  const rows: WithdrawalRow[] = await db('withdrawal')
    .where({ source })
    .modify((query) => whereAnyOf(query, 'identifier', identifiers));
  const byItem = new Map<string, WithdrawalRow[]>();
  for (const row of rows) byItem.set(row.identifier, [...(byItem.get(row.identifier) ?? []), row]);
  return new Map(
    [...byItem].map(([identifier, own]) => {
      const metadata = own.filter(({ kind }) => kind === 'metadata');
      const withdrawn = {
        whole: own.some(({ path }) => path === ''),
        paths: new Set(own.map(({ path }) => path)),
        formats: new Set(metadata.flatMap(({ format }) => format ?? [])),
        urls: new Set(own.flatMap(({ kind, upstream_url }) => (kind === 'file' ? (upstream_url ?? []) : []))),
      };
      return [identifier, withdrawn];
    }),
  );
}

/**
 * Withdraws an item, or one resource of it, in all sources that may have the same item (`shareWithdrawals`); the URL of a file that is only linked to in every source that has it. From
 * here on it is handed out no more, whoever works on its source meanwhile; `enforceWithdrawals` makes the journal say so,
 * and gives up the bytes.
 * @returns the sources that have something to announce
 */
export async function withdraw(
  database: Database,
  { source, identifier, path }: Target,
  reason: string | undefined,
  now: string,
): Promise<readonly string[]> {
  return database.transaction(async (trx) => {
    const isLink = path !== undefined && isAbsolute(path);
    const sourceId = await sourceIdOf(trx, source);
    const resource: WithdrawnPart | undefined =
      path === undefined
        ? undefined
        : await trx('resource')
            .modify(ofOneOrAll, isLink ? undefined : sourceId)
            .where({ path })
            .first('kind', 'format', 'upstream_url');
    const holders = isLink ? await listHolders(trx, path) : [{ source, identifier }];
    for (const holder of holders) {
      await trx('withdrawal')
        .insert({
          ...holder,
          path: path ?? '',
          kind: resource?.kind ?? null,
          format: resource?.format ?? null,
          upstream_url: resource?.upstream_url ?? null,
          reason: reason ?? null,
          at: now,
        })
        .onConflict(['source', 'identifier', 'path'])
        .ignore();
    }
    await trx('resource')
      .modify(whereNotWithdrawn)
      .modify((query) => {
        if (path !== undefined) query.where({ path });
        if (!isLink) query.modify(ofItemCalled, sourceId ?? 0, identifier);
      })
      .update({ withdrawn_at: now, refused_at: null });
    if (!isLink && sourceId !== undefined && (path === undefined || resource))
      await forgetAsVersions(trx, sourceId, [identifier], resource);
    const others = isLink ? [] : await shareWithdrawals(trx, source, identifier, now);
    return [...new Set([...holders.map((holder) => holder.source), ...others])];
  });
}

/** Takes withdrawals back, all at once; of the URL of a file that is only linked to in every source. */
export async function endWithdrawals(database: Database, ended: readonly Target[]): Promise<void> {
  await database.transaction(async (trx) => {
    for (const one of ended) await endOne(trx, one);
  });
}

async function endOne(trx: Knex.Transaction, { source, identifier, path }: Target): Promise<void> {
  const isLink = path !== undefined && isAbsolute(path);
  const sourceId = await sourceIdOf(trx, source);
  await trx('withdrawal')
    .where(isLink ? { path } : { source, identifier, path: path ?? '' })
    .delete();
  // It is withdrawn as long as it is private, whatever else was said of it.
  if (!isLink && (await trx('private_item').where({ source, identifier }).first('at'))) return;
  const stays: { path: string }[] = await trx('withdrawal').where({ source, identifier }).select('path');
  // One that was withdrawn for itself stays so.
  const restored = await trx('resource')
    .modify(whereWithdrawn)
    .whereNotIn(
      'path',
      stays.map((one) => one.path),
    )
    .modify((query) => {
      if (path !== undefined) query.where({ path });
      if (!isLink) query.modify(ofItemCalled, sourceId ?? 0, identifier);
    })
    .update({ withdrawn_at: null }, ['path']);
  const paths = (restored as { path: string }[]).map((one) => one.path);
  await unsettleNaming(trx, isLink ? [path, ...paths] : paths);
}

/**
 * When something of these sources was withdrawn last, or became private; undefined: never, or that was taken back. What a repository
 * refuses is back one day: what has named it is not given up for that.
 */
export async function lastWithdrawalAt(
  db: Queryable,
  sources: readonly string[],
): Promise<string | undefined> {
  let last: string | undefined;
  for (const source of sources) {
    const row: { at: string } | undefined = await db('resource')
      .where({ source_id: (await sourceIdOf(db, source)) ?? 0 })
      .modify(whereWithdrawn)
      .orderBy('withdrawn_at', 'desc')
      .first('withdrawn_at as at');
    if (row && (last === undefined || row.at > last)) last = row.at;
  }
  return last;
}

/** Whether something of these sources was withdrawn then, or later: what names what lived at that moment may name it. */
export async function isBeforeWithdrawal(
  db: Queryable,
  sources: readonly string[],
  at: string,
): Promise<boolean> {
  return ((await lastWithdrawalAt(db, sources)) ?? '') >= at;
}

const resourcesAtATime = 200;

/** A resource whose bytes go. */
export type DoomedResource = KnownResource & {
  readonly item_id: number;
  readonly identifier: string;
  readonly withdrawn_at: string | null;
};

/**
 * Makes the journal say what was withdrawn, and gives up its bytes: of what was withdrawn just now, and of what came
 * back because it was being stored at that moment. A transaction for some resources at a time.
 * @returns how many were deleted
 * @throws BridgeError `lease-lost`
 */
export async function enforceWithdrawals(
  database: Database,
  lease: Lease,
  now: { iso: string; milliseconds: number },
): Promise<number> {
  const { source, sourceId } = lease;
  for (let total = 0; ; ) {
    const deleted = await database.transaction(async (trx) => {
      await renewLease(trx, lease, now.milliseconds);
      for (const whatStands of [
        standing(trx, source, sourceId),
        standingLinks(trx, sourceId),
        standingPrivate(trx, source, sourceId),
      ]) {
        const rows: DoomedResource[] = await whatStands.limit(resourcesAtATime);
        if (rows.length > 0) return deleteForGood(trx, lease, rows, now.iso);
      }
      return 0;
    });
    if (deleted === 0) return total;
    total += deleted;
  }
}

/** @returns how many were deleted: all of them */
export async function deleteForGood(
  trx: Knex.Transaction,
  { sourceId }: Pick<Lease, 'sourceId'>,
  rows: readonly DoomedResource[],
  now: string,
): Promise<number> {
  if (rows.length === 0) return 0;
  const ids = rows.map(({ id }) => id);
  const itemIds = new Map(rows.map(({ identifier, item_id }) => [identifier, item_id]));
  await storeChanges(trx, sourceId, { id: 0 }, rows.map(toDeletion), itemIds, now);
  await trx('resource')
    .modify((query) => whereAnyOf(query, 'id', ids))
    .modify(ofSource, 'resource', sourceId)
    .update({ withdrawn_at: trx.raw('coalesce(withdrawn_at, ?)', [now]), refused_at: null });
  await releaseForGood(trx, sourceId, rows, now);
  // What is left of their items has links to follow.
  await markUnsettled(trx, sourceId, [...new Set(itemIds.values())]);
  return rows.length;
}

/** These items may be published again, but for what was withdrawn of them. */
export async function endOfItems(
  trx: Knex.Transaction,
  { source, sourceId }: Pick<Lease, 'source' | 'sourceId'>,
  identifiers: readonly string[],
): Promise<void> {
  const stays = await readWithdrawn(trx, source, identifiers);
  const restored = (await trx('resource')
    .whereIn(
      'item_id',
      trx('item')
        .where({ source_id: sourceId })
        .whereIn(
          'identifier',
          identifiers.filter((one) => stays.get(one)?.whole !== true),
        )
        .select('id'),
    )
    .modify(ofSource, 'resource', sourceId)
    .modify(whereWithdrawn)
    .whereNotIn(
      'path',
      [...stays.values()].flatMap(({ paths }) => [...paths]),
    )
    .update({ withdrawn_at: null }, ['path'])) as { path: string }[];
  await unsettleNaming(
    trx,
    restored.map(({ path }) => path),
  );
}

/** What is withdrawn and has not been deleted as such. */
function standing(trx: Knex.Transaction, source: string, sourceId: number): Knex.QueryBuilder {
  return trx('withdrawal')
    .join('item', 'item.identifier', 'withdrawal.identifier')
    .join('resource', 'resource.item_id', 'item.id')
    .modify(sameSource, 'resource', 'item')
    .where('withdrawal.source', source)
    .where('item.source_id', sourceId)
    .where((one) => one.where('withdrawal.path', '').orWhereRaw('withdrawal.path = resource.path'))
    .modify(whereOpen, sourceId)
    .distinct('resource.*', 'item.identifier');
}

/** The same of what is private. */
function standingPrivate(trx: Knex.Transaction, source: string, sourceId: number): Knex.QueryBuilder {
  return trx('resource')
    .join('item', 'item.id', 'resource.item_id')
    .modify(sameSource, 'item', 'resource')
    .join('private_item', 'private_item.identifier', 'item.identifier')
    .where('private_item.source', source)
    .where('item.source_id', sourceId)
    .where('resource.source_id', sourceId)
    .whereNotNull('resource.withdrawn_at')
    .modify(whereOpen, sourceId)
    .select('resource.*', 'item.identifier');
}

function standingLinks(trx: Knex.Transaction, sourceId: number): Knex.QueryBuilder {
  return resourcesAtWithdrawnLinks(trx, sourceId)
    .modify(whereOpen, sourceId)
    .distinct('resource.*', 'item.identifier');
}

function whereOpen(query: Knex.QueryBuilder, sourceId: number): void {
  query.where((open) =>
    open
      .whereNull('resource.deleted_at')
      .orWhereNull('resource.withdrawn_at')
      // It had been deleted before: that its past goes now is to be told as well.
      .orWhereRaw(
        `resource.deleted_at < resource.withdrawn_at and not exists (select 1 from change
          where change.resource_id = resource.id and change.source_id = ${sourceId} and change.kind = 'deleted' and change.at >= resource.withdrawn_at)`,
      ),
  );
}

function toDeletion(row: DoomedResource): ResourceChange {
  return {
    change: 'deleted',
    identifier: row.identifier,
    datestamp: undefined,
    known: row,
    desired: undefined,
    links: '[]',
    newBytes: false,
    seenRun: row.seen_run,
  };
}

/** The URL of a file that is only linked to may be in all sources. */
function ofOneOrAll(query: Knex.QueryBuilder, sourceId: number | undefined): void {
  if (sourceId !== undefined) query.modify(ofSource, 'resource', sourceId);
}
