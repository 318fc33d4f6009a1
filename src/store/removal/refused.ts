import type { Knex } from 'knex';
import { areOfTwoItems } from '../../core/addresses/item-address.ts';
import type { MappedItem } from '../../core/mapping/mapping.ts';
import { namesOfVersions } from '../../core/mapping/prior-versions.ts';
import { whereAnyOf } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import type { KnownItem } from '../plans/item-changes.ts';
import { sameSource } from '../rows/one-source.ts';
import { markRefused } from '../rows/refused-rows.ts';

/**
 * What a repository does not show to everybody, though it is there, is withheld with its past like what the operator has
 * withdrawn (`withdrawn_at`), but nothing is given up, and once the repository shows it again both are back. So is what was not
 * published any more when a backup was put back, files as well. What changes thereby is followed where changes are stored
 * (`changes/journal-writing.ts`), the rest here.
 */

/**
 * A page with what it says of items that are told as earlier versions of others by now, and are not for everybody any more: nobody asks
 * for those otherwise.
 */
export async function withHiddenVersions<Page extends { readonly items: readonly MappedItem[] }>(
  db: Queryable,
  sourceId: number,
  page: Page,
): Promise<Page> {
  const telling = page.items.filter(({ hiddenVersions = [] }) => hiddenVersions.length > 0);
  if (telling.length === 0) return page;
  const numbers = new Map(telling.map(({ identifier, hiddenVersions }) => [identifier, hiddenVersions]));
  const rows: { owner: string; number: number; identifier: string }[] = await db('prior_version')
    .join('item', 'item.id', 'prior_version.item_id')
    .where({ 'item.source_id': sourceId, 'prior_version.source_id': sourceId })
    .whereNotNull('prior_version.identifier')
    .modify((query) => whereAnyOf(query, 'item.identifier', [...numbers.keys()]))
    .select('item.identifier as owner', 'prior_version.number', 'prior_version.identifier');
  const delivered = new Set(page.items.map(({ identifier }) => identifier));
  const hidden = rows.filter(
    ({ owner, number, identifier }) => numbers.get(owner)?.includes(number) && !delivered.has(identifier),
  );
  return { ...page, items: [...page.items, ...hidden.map(({ identifier }) => toRefused(identifier))] };
}

function toRefused(identifier: string): MappedItem {
  return {
    ...{ identifier, datestamp: undefined, collections: [] },
    speaksFor: { formats: [], files: undefined },
    ...{ deleted: true, refused: true, resources: [], files: [], supplement: true },
  };
}

/**
 * What is shown again, and changes nothing by that: files that their items name, of which their servers are perhaps still to be asked, and
 * the past of what is an earlier version of another item, and for everybody.
 */
export async function followShown(
  trx: Knex.Transaction,
  sourceId: number,
  {
    delivered,
    known,
  }: { readonly delivered: readonly MappedItem[]; readonly known: ReadonlyMap<string, KnownItem> },
): Promise<void> {
  const files = delivered.flatMap((item) => namedAgain(item, known.get(item.identifier)));
  await markRefused(trx, sourceId, [...files, ...(await shownAsVersions(trx, sourceId, delivered))], null);
}

function namedAgain({ files }: MappedItem, known: KnownItem | undefined): readonly number[] {
  const refused = (known?.resources ?? []).filter(
    ({ kind, refused_at = null }) => kind === 'file' && refused_at !== null,
  );
  if (refused.length === 0) return [];
  const named = new Set(files.map(({ url }) => url));
  return refused.flatMap(({ id, path, upstream_url }) => (named.has(upstream_url ?? path) ? id : []));
}

async function shownAsVersions(
  trx: Knex.Transaction,
  sourceId: number,
  delivered: readonly MappedItem[],
): Promise<readonly number[]> {
  const names = delivered.flatMap(namesOfVersions);
  if (names.length === 0) return [];
  const shown = new Map(
    delivered.flatMap(({ versions = [] }) => versions).map((one) => [one.identifier, one.upstreamUrl]),
  );
  const rows: { id: number; upstream_url: string | null; identifier: string }[] = await trx('resource')
    .join('item', 'item.id', 'resource.item_id')
    .modify(sameSource, 'item', 'resource')
    .where('item.source_id', sourceId)
    .where('resource.source_id', sourceId)
    .modify((query) => whereAnyOf(query, 'item.identifier', names))
    .whereNotNull('resource.refused_at')
    .whereNotNull('resource.deleted_at')
    .where('resource.kind', 'metadata')
    .select('resource.id', 'resource.upstream_url', 'item.identifier');
  // Another item may have the name by now.
  return rows.flatMap(({ id, upstream_url, identifier }) =>
    areOfTwoItems(upstream_url, shown.get(identifier)) ? [] : id,
  );
}

/** What may still be withdrawn: also what is withheld because its repository refuses it, of which the bytes are still there. */
export function whereNotWithdrawn(query: Knex.QueryBuilder): void {
  query.where((one) => one.whereNull('resource.withdrawn_at').orWhereNotNull('resource.refused_at'));
}

/** What was withdrawn, and may be handed out once that is taken back. */
export function whereWithdrawn(query: Knex.QueryBuilder): void {
  query.whereNotNull('withdrawn_at').whereNull('refused_at');
}
