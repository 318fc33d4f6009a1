import type { Knex } from 'knex';
import { isInAny } from '../../core/access/private-sets.ts';
import type { MappedItem } from '../../core/mapping/mapping.ts';
import { withoutWithdrawn } from '../../core/mapping/withdrawn.ts';
import { repeatedly } from '../drivers/statement-names.ts';
import { insertRows, whereAnyOf } from '../engine/bulk.ts';
import type { Database, Queryable } from '../engine/database.ts';
import { ofSource, sourceIdOf } from '../rows/one-source.ts';
import { type Lease, renewLease } from '../runs/leases.ts';
import { whereNotWithdrawn } from './refused.ts';
import { forgetAsVersions } from './versions-elsewhere.ts';
import { type DoomedResource, deleteForGood, endOfItems } from './withdrawals.ts';

/**
 * The items of a public source that are in a private set of it: for everybody they are what the operator has withdrawn, and
 * whoever may read the set has them from a source of its own (`core/access/private-sets.ts`). What counts is what the database
 * says, whatever configuration a process works by: the tables `private_scope` and `private_item`.
 */
export interface PrivateScope {
  readonly source: string;
  /** Whatever is in one of these, or below it, is private. */
  readonly collections: readonly string[];
  /** When the configuration last hid something that was stored: a Resource List of then or before may name it. */
  readonly hiddenAt: string | undefined;
  /** Whether the journal says so, and all lists are newer. */
  readonly isTold: boolean;
}

interface ScopeRow {
  readonly source: string;
  readonly collections: string;
  readonly hidden_at: string | null;
  readonly told_at: string | null;
}

/** In the order of their names. */
export async function listPrivateScopes(db: Queryable): Promise<readonly PrivateScope[]> {
  const rows: ScopeRow[] = await db('private_scope').orderBy('source');
  return rows.map(toScope);
}

/** Undefined: nothing of the source ever was private in part. */
async function findScope(db: Queryable, source: string): Promise<PrivateScope | undefined> {
  const row: ScopeRow | undefined = await db('private_scope').where({ source }).modify(repeatedly).first();
  return row && toScope(row);
}

function toScope({ source, collections, hidden_at, told_at }: ScopeRow): PrivateScope {
  return {
    source,
    collections: JSON.parse(collections) as string[],
    hiddenAt: hidden_at ?? undefined,
    isTold: hidden_at === null || told_at !== null,
  };
}

/**
 * Takes what a configuration says of private sets. From here on nothing of them is handed out as part of their sources, by
 * any process; the journal says so with `enforceWithdrawals`. What is private no more comes back when it is delivered.
 * @param named the private collections of all sources of a configuration, sorted
 * @param now ISO
 */
export async function takePrivateSets(
  database: Database,
  named: ReadonlyMap<string, readonly string[]>,
  now: string,
): Promise<void> {
  const known = new Map((await listPrivateScopes(database.writer)).map((scope) => [scope.source, scope]));
  for (const [source, collections] of named) {
    const before = known.get(source);
    if (JSON.stringify(before?.collections ?? []) === JSON.stringify(collections)) continue;
    await database.transaction(async (trx) => {
      await trx('private_scope')
        .insert({ source, collections: JSON.stringify(collections) })
        .onConflict('source')
        .merge(['collections']);
      const hidden = await hideMembers(trx, source, collections, now);
      if (hidden) await trx('private_scope').where({ source }).update({ hidden_at: now, told_at: null });
    });
  }
}

/**
 * Hides what is stored in private collections, which is then in no collection of the source, and forgets these. What was being
 * stored while they became private is found by the next call.
 * @returns whether there was anything
 */
export async function hideStrays(database: Database, source: string, now: string): Promise<boolean> {
  const scope = await findScope(database.writer, source);
  if (!scope || scope.collections.length === 0) return false;
  return database.transaction((trx) => hideMembers(trx, source, scope.collections, now));
}

async function hideMembers(
  trx: Knex.Transaction,
  source: string,
  collections: readonly string[],
  now: string,
): Promise<boolean> {
  const sourceId = await sourceIdOf(trx, source);
  if (sourceId === undefined || collections.length === 0) return false;
  const all: { id: number; spec: string }[] = await trx('collection')
    .where({ source_id: sourceId })
    .select('id', 'spec');
  const ids = all.flatMap(({ id, spec }) => (isInAny([spec], collections) ? [Number(id)] : []));
  if (ids.length === 0) return false;
  const members = () =>
    trx('item_collection')
      .where('item_collection.source_id', sourceId)
      .modify((query) => whereAnyOf(query, 'item_collection.collection_id', ids));
  const identifiers: { identifier: string }[] = await members()
    .join('item', 'item.id', 'item_collection.item_id')
    .modify(ofSource, 'item', sourceId)
    .distinct('item.identifier');
  const hidden = identifiers.map(({ identifier }) => identifier);
  await noteItems(trx, source, hidden, now);
  await forgetAsVersions(trx, sourceId, hidden);
  await trx('resource')
    .whereIn('item_id', members().select('item_collection.item_id'))
    .modify(ofSource, 'resource', sourceId)
    .modify(whereNotWithdrawn)
    .update({ withdrawn_at: now, refused_at: null });
  await members().delete();
  await trx('collection')
    .where({ source_id: sourceId })
    .modify((query) => whereAnyOf(query, 'id', ids))
    .delete();
  return identifiers.length > 0;
}

async function noteItems(
  trx: Knex.Transaction,
  source: string,
  identifiers: readonly string[],
  now: string,
): Promise<void> {
  await insertRows(
    trx,
    'private_item',
    identifiers.map((identifier) => ({ source, identifier, at: now })),
    { conflict: { columns: ['source', 'identifier'], update: [] } },
  );
}

type Items = readonly Pick<
  MappedItem,
  'identifier' | 'collections' | 'deleted' | 'supplement' | 'versions'
>[];

/** What a page says of privacy. */
interface Verdict {
  /** Earlier versions that were items which are not for everybody. */
  readonly formerly: ReadonlySet<string>;
  /** Not for everybody. */
  readonly hidden: ReadonlySet<string>;
  /** Of these: for everybody until now, as far as anybody knew. */
  readonly entering: readonly string[];
  /** For everybody from now on. */
  readonly leaving: readonly string[];
}

const nobody: Verdict = { formerly: new Set(), hidden: new Set(), entering: [], leaving: [] };

async function judge(db: Queryable, source: string, delivered: Items): Promise<Verdict> {
  const scope = delivered.length === 0 ? undefined : await findScope(db, source);
  if (!scope) return nobody;
  const former = delivered.flatMap(versionsAsItems);
  const items = [...delivered, ...former];
  const { collections } = scope;
  const identifiers = [...new Set(items.map(({ identifier }) => identifier))];
  const known = new Set(await findPrivateItems(db, source, identifiers));
  const isMute = collections.length > 0 && !(await tellsCollections(db, source, items));
  const isInside = (item: Items[number]) =>
    isInAny(item.collections, collections) || (isMute && !item.deleted && item.supplement !== true);
  const inside = new Set(items.flatMap((item) => (isInside(item) ? [item.identifier] : [])));
  const outside = new Set(items.flatMap((item) => (saysOutside(item, collections) ? [item.identifier] : [])));
  const leaving = [...known].filter((one) => !inside.has(one) && outside.has(one));
  const gone = new Set(leaving);
  const hidden = new Set([...inside, ...[...known].filter((one) => !gone.has(one))]);
  return {
    formerly: new Set(former.flatMap(({ identifier }) => (hidden.has(identifier) ? identifier : []))),
    hidden,
    entering: [...inside].filter((one) => !known.has(one)),
    leaving,
  };
}

/** What an item was before is an item of its own, which may be in other collections. */
function versionsAsItems({ versions = [] }: Items[number]): Items {
  return versions.flatMap(({ identifier, collections = [] }) =>
    identifier === undefined ? [] : { identifier, collections, deleted: false },
  );
}

/**
 * Whether a repository says of its items what they are in. As long as none has come with any collection, nobody knows whether one
 * is private: then it is.
 */
async function tellsCollections(db: Queryable, source: string, items: Items): Promise<boolean> {
  if (items.every(({ collections, deleted }) => deleted || collections.length > 0)) return true;
  if (items.some(({ collections }) => collections.length > 0)) return true;
  const sourceId = await sourceIdOf(db, source);
  const member = db('item_collection')
    .where({ source_id: sourceId ?? 0 })
    .first('item_id');
  return (await member) !== undefined;
}

/** Who names no collection at all, or tells more of what is known, takes nothing out of one (quirk 63). */
function saysOutside(
  { collections, deleted, supplement }: Items[number],
  hidden: readonly string[],
): boolean {
  if (deleted || supplement === true) return false;
  return hidden.length === 0 || collections.length > 0;
}

async function findPrivateItems(
  db: Queryable,
  source: string,
  identifiers: readonly string[],
): Promise<readonly string[]> {
  const rows: { identifier: string }[] = await db('private_item')
    .where({ source })
    .modify((query) => whereAnyOf(query, 'identifier', identifiers))
    .select('identifier');
  return rows.map(({ identifier }) => identifier);
}

/** A page as if the repository did not have what is private: what may be asked for because of it. */
export async function pageWithoutPrivate<Page extends { readonly items: readonly MappedItem[] }>(
  db: Queryable,
  source: string,
  page: Page,
): Promise<Page> {
  return without(page, await judge(db, source, page.items));
}

/**
 * The same, for whoever is about to store it: what becomes private with it is deleted for good before, and what is private no
 * more is free to come back.
 */
export async function followPrivacy<Page extends { readonly items: readonly MappedItem[] }>(
  database: Database,
  lease: Lease,
  page: Page,
  now: { readonly iso: string; readonly milliseconds: number },
): Promise<Page> {
  const verdict = await judge(database.writer, lease.source, page.items);
  const { entering, leaving } = verdict;
  if (entering.length > 0)
    await database.transaction(async (trx) => {
      await renewLease(trx, lease, now.milliseconds);
      await noteItems(trx, lease.source, entering, now.iso);
      await forgetAsVersions(trx, lease.sourceId, entering);
      const rows = await publishedOf(trx, lease.sourceId, entering);
      await deleteForGood(trx, lease, rows, now.iso);
    });
  if (leaving.length > 0)
    await database.transaction(async (trx) => {
      await renewLease(trx, lease, now.milliseconds);
      await trx('private_item')
        .where({ source: lease.source })
        .modify((query) => whereAnyOf(query, 'identifier', leaving))
        .delete();
      await endOfItems(trx, lease, leaving);
    });
  return without(page, verdict);
}

function without<Page extends { readonly items: readonly MappedItem[] }>(
  page: Page,
  { hidden, formerly }: Verdict,
): Page {
  if (hidden.size + formerly.size === 0) return page;
  const former = new Map([...formerly].map((identifier) => [identifier, whole]));
  const items = page.items.map((item) =>
    withoutWithdrawn(item, hidden.has(item.identifier) ? whole : undefined, former),
  );
  return { ...page, items };
}

const whole = { whole: true, paths: new Set<string>(), formats: new Set<string>(), urls: new Set<string>() };

/** What there is of them, and what there was. */
async function publishedOf(
  trx: Knex.Transaction,
  sourceId: number,
  identifiers: readonly string[],
): Promise<readonly DoomedResource[]> {
  return trx('item')
    .join('resource', 'resource.item_id', 'item.id')
    .modify(ofSource, 'resource', sourceId)
    .where('item.source_id', sourceId)
    .modify((query) => whereAnyOf(query, 'item.identifier', identifiers))
    .modify(whereNotWithdrawn)
    .select('resource.*', 'item.identifier');
}

/** The collections that a source does not name. */
export async function privateCollections(db: Queryable, source: string): Promise<readonly string[]> {
  return (await findScope(db, source))?.collections ?? [];
}

/** The journal says what was hidden, and every list is newer. @param scope as it was read */
export async function noteTold(
  database: Database,
  { source, hiddenAt }: PrivateScope,
  now: string,
): Promise<void> {
  await database
    .writer('private_scope')
    .where({ source, hidden_at: hiddenAt ?? null })
    .update({ told_at: now });
}
