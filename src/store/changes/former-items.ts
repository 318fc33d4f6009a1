import type { Knex } from 'knex';
import { itemAt } from '../../core/addresses/item-address.ts';
import type { MappedItem } from '../../core/mapping/mapping.ts';
import type { Database } from '../engine/database.ts';
import { type ResourceChange, toDesired } from '../plans/resource-changes.ts';
import { byItem, type FormerItem, findFormerItems, markFormerItems } from '../rows/former-items.ts';
import { showPasts, withholdPasts } from '../rows/former-pasts.ts';
import { parseLinks } from '../rows/representation-columns.ts';
import { type Lease, renewLease } from '../runs/leases.ts';
import { inTurn } from '../runs/turns.ts';
import { storeChanges } from './journal-writing.ts';
import { readKnownItems } from './stored-items.ts';

/**
 * What an identifier led to before it led to another item is for everybody as long as that item is, wherever it is now: an earlier version
 * of a DSpace item whose handle has moved on. That is asked for.
 */
export interface FormerVerdict {
  readonly formers: readonly FormerItem[];
  readonly isShown: boolean;
}

export async function storeVerdict(
  database: Database,
  lease: Lease,
  run: { readonly id: number },
  verdict: FormerVerdict,
  now: { readonly iso: string; readonly milliseconds: number },
): Promise<void> {
  await inTurn(lease, () =>
    database.transaction(async (trx) => {
      await renewLease(trx, lease, now.milliseconds);
      await followVerdict(trx, lease, run, verdict, now.iso);
    }),
  );
}

/** Earlier versions that a repository tells of are for everybody: those need not be asked for. */
export async function followVersions(
  trx: Knex.Transaction,
  source: Pick<Lease, 'source' | 'sourceId'>,
  run: { readonly id: number },
  delivered: readonly MappedItem[],
  now: string,
): Promise<void> {
  const told = new Map(
    delivered.flatMap(({ identifier, versions = [] }) =>
      versions.length === 0
        ? []
        : [[identifier, new Set(versions.map(({ upstreamUrl }) => itemAt(upstreamUrl)))] as const],
    ),
  );
  const formers = await findFormerItems(trx, source.sourceId, [...told.keys()]);
  const shown = formers.filter(({ identifier, owner }) => told.get(identifier)?.has(itemAt(owner)));
  for (const some of byItem(shown).values())
    await followVerdict(trx, source, run, { formers: some, isShown: true }, now);
}

async function followVerdict(
  trx: Knex.Transaction,
  { source, sourceId }: Pick<Lease, 'source' | 'sourceId'>,
  run: { readonly id: number },
  { formers, isShown }: FormerVerdict,
  now: string,
): Promise<void> {
  await markFormerItems(trx, sourceId, formers, { asked_at: now });
  const news = formers.filter(({ isHidden }) => isHidden === isShown);
  if (news.length === 0) return;
  if (isShown) await showPasts(trx, sourceId, news);
  else await withholdPasts(trx, sourceId, news, now);
  const seq = await tell(trx, source, sourceId, run, news, now);
  await markFormerItems(trx, sourceId, news, { hidden_seq: isShown ? null : seq });
}

/**
 * A change of what is there now, which says nothing new of it: packages, lists and copies go by the journal.
 * @returns a sequence of the journal that nobody has looked at yet
 */
async function tell(
  trx: Knex.Transaction,
  source: string,
  sourceId: number,
  run: { readonly id: number },
  formers: readonly FormerItem[],
  now: string,
): Promise<number> {
  const ids = new Set(formers.map(({ id }) => id));
  const items = await readKnownItems(trx, source, [...new Set(formers.map((one) => one.identifier))], false);
  const changes = [...items.values()].flatMap(({ identifier, resources }): ResourceChange[] =>
    resources
      .filter(
        ({ id, deleted_at, withdrawn_at = null }) =>
          ids.has(id) && deleted_at === null && withdrawn_at === null,
      )
      .map((known) => ({
        change: 'updated',
        identifier,
        datestamp: undefined,
        known,
        desired: toDesired(known, parseLinks(known.links)),
        links: known.links,
        newBytes: false,
        seenRun: known.seen_run,
      })),
  );
  const itemIds = new Map([...items.values()].map(({ identifier, id }) => [identifier, id]));
  await storeChanges(trx, sourceId, run, changes, itemIds, now);
  const journal: { journal_seq: number | string } | undefined = await trx('source')
    .where({ id: sourceId })
    .first('journal_seq');
  const last = Number(journal?.journal_seq ?? 0);
  return changes.length > 0 ? last : last + 1;
}
