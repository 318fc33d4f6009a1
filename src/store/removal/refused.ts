import type { Knex } from 'knex';
import type { MappedItem } from '../../core/mapping/mapping.ts';
import type { KnownItem } from '../plans/item-changes.ts';
import type { ResourceChange } from '../plans/resource-changes.ts';
import { markRefused } from '../rows/refused-rows.ts';

/**
 * What a repository does not show to everybody, though it is there: withheld with its past like what the operator has
 * withdrawn (`withdrawn_at`), but nothing is given up, and once the repository shows it again both are back. So is what was not
 * published any more when a backup was put back, files as well.
 */
export async function followRefusals(
  trx: Knex.Transaction,
  sourceId: number,
  { changes, delivered, known }: Followed,
  now: string,
): Promise<void> {
  const refused = changes.flatMap((plan) => (plan.refused && plan.known ? plan.known.id : []));
  await markRefused(trx, sourceId, refused, now);
  await markRefused(trx, sourceId, [...shownAgain(delivered, known)], null);
}

interface Followed {
  readonly changes: readonly ResourceChange[];
  /** Without what the operator has withdrawn. */
  readonly delivered: readonly MappedItem[];
  readonly known: ReadonlyMap<string, KnownItem>;
}

function* shownAgain(
  delivered: readonly MappedItem[],
  known: ReadonlyMap<string, KnownItem>,
): Generator<number> {
  for (const { identifier, resources, files } of delivered) {
    const refused = known.get(identifier)?.resources.filter((own) => (own.refused_at ?? null) !== null) ?? [];
    if (refused.length === 0) continue;
    const shown = new Set([...resources.map(({ path }) => path), ...files.map(({ url }) => url)]);
    for (const { id, kind, path, upstream_url } of refused)
      if (shown.has(kind === 'file' ? (upstream_url ?? path) : path)) yield id;
  }
}

/** What may still be withdrawn: also what is withheld because its repository refuses it, of which the bytes are still there. */
export function whereNotWithdrawn(query: Knex.QueryBuilder): void {
  query.where((one) => one.whereNull('resource.withdrawn_at').orWhereNotNull('resource.refused_at'));
}

/** What was withdrawn, and may be handed out once that is taken back. */
export function whereWithdrawn(query: Knex.QueryBuilder): void {
  query.whereNotNull('withdrawn_at').whereNull('refused_at');
}
