import type { Knex } from 'knex';
import { addSeconds } from '../../core/datetime.ts';
import type { Link } from '../../core/resource.ts';
import { repeatedly } from '../drivers/statement-names.ts';
import { batches } from '../engine/batches.ts';
import { insertRows, type Row } from '../engine/bulk.ts';
import { unsettleHeirs } from '../files/linked-files.ts';
import { lastmodAfter } from '../plans/page-changes.ts';
import type { ResourceChange } from '../plans/resource-changes.ts';
import { storedLinks } from '../rows/link-forms.ts';
import { serializeLinks } from '../rows/representation-columns.ts';
import { clearVanished } from '../runs/vanished.ts';
import { noPatches, type PagePatches } from './patches.ts';
import { type ItemsBefore, publishedGrowth, publishedGrowthBy } from './published-items.ts';
import { followRefusals } from './refusals.ts';
import { changingColumns } from './stored-items.ts';

/** What whoever plans changes knows of them. */
export interface PlannedFrom {
  readonly patches?: PagePatches;
  /** The items as they were; undefined: the changes are nothing but deletions. */
  readonly before?: ItemsBefore | undefined;
}

interface JournalEnd {
  readonly journal_seq: number;
  readonly journal_at: string;
  readonly published_seq: number;
  readonly published_to: number | null;
}

/** Appends to the journal, and makes resources and versions what it says. */
export async function storeChanges(
  trx: Knex.Transaction,
  sourceId: number,
  run: { readonly id: number },
  changes: readonly ResourceChange[],
  itemIds: ReadonlyMap<string, number>,
  now: string,
  { patches = noPatches, before }: PlannedFrom = {},
): Promise<void> {
  if (changes.length === 0) return;
  const journal: JournalEnd | undefined = await trx('source')
    .select('journal_seq', 'journal_at', 'published_seq', 'published_to')
    .where({ id: sourceId })
    .modify(repeatedly)
    .first();
  if (!journal) throw new Error(`source ${sourceId} has vanished`);
  const at = momentAfter(journal.journal_at, now, changes);
  let seq = journal.journal_seq;
  for (const some of batches(changes, changesAtATime)) {
    const place = { sourceId, runId: run.id, itemIds, at, patches };
    const rows = some.map((plan, index) => toRows(plan, seq + index + 1, place));
    await storeRows(trx, sourceId, rows);
    seq += some.length;
  }
  await insertRows(trx, 'moment', [{ source_id: sourceId, at, seq }], {
    conflict: { columns: ['source_id', 'at'], update: ['seq'] },
  });
  const published = await publishedAfter(trx, sourceId, journal, seq, { changes, itemIds, before });
  await trx('source')
    .where({ id: sourceId })
    .modify(repeatedly)
    .update({
      journal_seq: seq,
      journal_at: at,
      resource_count: trx.raw('?? + ?', ['resource_count', growth(changes)]),
      ...published,
    });
  await unsettleHeirs(trx, sourceId, changes);
  const gone = changes.flatMap(({ change, known }) => (change === 'deleted' && known ? known.id : []));
  await clearVanished(trx, sourceId, gone);
  await followRefusals(trx, sourceId, changes, itemIds, now);
}

/** Nothing where somebody of before has been here: all is counted anew, and by whom is not for us to say (`0098-published-items`). */
async function publishedAfter(
  trx: Knex.Transaction,
  sourceId: number,
  { journal_seq, published_seq, published_to }: JournalEnd,
  seq: number,
  { changes, itemIds, before }: Changed,
): Promise<Record<string, Knex.Raw | number>> {
  if (published_seq !== journal_seq) return {};
  const growth = before
    ? publishedGrowth(changes, before, published_to)
    : await publishedGrowthBy(trx, sourceId, changes, itemIds, published_to);
  return {
    published_seq: seq,
    published_items: trx.raw('?? + ?', ['published_items', growth]),
  };
}

interface Changed extends Pick<PlannedFrom, 'before'> {
  readonly changes: readonly ResourceChange[];
  readonly itemIds: ReadonlyMap<string, number>;
}

/** Of one item there may be thousands: their rows never lie in memory all at once. */
const changesAtATime = 1_000;

async function storeRows(
  trx: Knex.Transaction,
  sourceId: number,
  rows: readonly ChangeRows[],
): Promise<void> {
  const stored = await storedLinks(trx, sourceId, linksOf(rows));
  // In place: copies of rows were a tenth of what storing leaves to be collected.
  for (const { resource, change } of rows) {
    const { path } = resource;
    resource.links = stored(resource.links, path);
    change.links = stored(change.links, path);
    if (change.links_before !== null) change.links_before = stored(change.links_before, path);
  }
  const ids = new Map<string, number>();
  for (const isOwn of [true, false]) {
    const those = rows.flatMap((row) => (row.isOwn === isOwn ? row.resource : []));
    const written = await insertRows<{ id: number; path: string }>(trx, 'resource', those, {
      ...(isOwn ? {} : { conflict: ofResources }),
      returning: ['id', 'path'],
    });
    for (const { id, path } of written) ids.set(path, id);
  }
  for (const { resource, change, version } of rows) {
    const id = ids.get(resource.path) ?? missing(resource.path);
    change.resource_id = id;
    if (version) version.resource_id = id;
  }
  await insertRows(
    trx,
    'change',
    rows.map(({ change }) => change),
  );
  await insertRows(
    trx,
    'version',
    rows.flatMap(({ version }) => version ?? []),
  );
}

const ofResources = {
  columns: ['path', 'source_id'],
  update: ['item_id', 'learnt', ...changingColumns],
} as const;

/** All links that are to be stored, some twice. */
function* linksOf(rows: readonly ChangeRows[]): Generator<{ readonly path: string; readonly links: string }> {
  for (const { resource, change } of rows) {
    yield resource;
    const { path } = resource;
    if (change.links !== resource.links) yield { path, links: change.links };
    if (change.links_before !== null) yield { path, links: change.links_before };
  }
}

/**
 * When the changes happened, by the journal's clock, which never goes back. As long as the machine's is behind it
 * the journal stands still, but not for a resource that changed at its last moment: each of its versions has a
 * time of its own.
 */
function momentAfter(journalAt: string, now: string, changes: readonly ResourceChange[]): string {
  if (now >= journalAt) return now;
  const changedThen = changes.some(
    ({ known }) => known && (known.lastmod >= journalAt || (known.deleted_at ?? '') >= journalAt),
  );
  return changedThen ? addSeconds(journalAt, 1) : journalAt;
}

/** How many more resources live after these changes. */
function growth(changes: readonly ResourceChange[]): number {
  const weights = { created: 1, updated: 0, deleted: -1 } as const;
  // What had been deleted is not deleted once more by being withdrawn.
  const isGone = ({ change, known }: ResourceChange) =>
    change === 'deleted' && (known?.deleted_at ?? null) !== null;
  // Nor is what was only withheld created once more.
  const isThere = ({ change, known }: ResourceChange) => change === 'created' && known?.deleted_at === null;
  return changes.reduce((sum, plan) => sum + (isGone(plan) || isThere(plan) ? 0 : weights[plan.change]), 0);
}

/** Links as they are until their stored form is known, and 0 where the id of the resource belongs. */
interface ChangeRows {
  readonly resource: Row & { readonly path: string; links: string };
  readonly change: Row & { links: string; links_before: string | null; resource_id: number };
  readonly version: (Row & { resource_id: number }) | undefined;
  /** There is no row with its path: records have paths that are theirs alone. The address of a file may pass from one item to another. */
  readonly isOwn: boolean;
}

/** What all rows of a page have in common. */
interface RowPlace {
  readonly sourceId: number;
  readonly runId: number;
  readonly itemIds: ReadonlyMap<string, number>;
  readonly at: string;
  readonly patches: PagePatches;
}

function toRows(plan: ResourceChange, seq: number, place: RowPlace): ChangeRows {
  const { sourceId, runId, itemIds, at, patches } = place;
  const { known, desired, links, change } = plan;
  const lastmod = lastmodAfter(plan, at);
  const gone = desired === undefined;
  const representation = {
    media_type: desired?.mediaType ?? null,
    length: desired?.length ?? null,
    hash: desired?.hash ?? null,
  };
  const upstream_url = desired?.upstreamUrl ?? known?.upstream_url ?? null;
  const kind = desired?.kind ?? known?.kind ?? missing('kind');
  const version =
    plan.newBytes || gone
      ? {
          seq,
          at: at === lastmod ? '' : at,
          lastmod,
          ...representation,
          // Records are where their resource says; a file may have been elsewhere.
          upstream_url: kind === 'file' ? upstream_url : null,
          gone: Number(gone),
          source_id: sourceId,
          resource_id: 0,
        }
      : undefined;
  return {
    resource: {
      path: desired?.path ?? known?.path ?? missing('path'),
      kind,
      format: desired?.format ?? known?.format ?? missing('format'),
      ...representation,
      lastmod,
      upstream_url,
      landing_page: desired ? (desired.landingPage ?? null) : (known?.landing_page ?? null),
      links,
      last_seq: seq,
      version_count: (known?.version_count ?? 0) + (plan.newBytes ? 1 : 0),
      deleted_at: gone ? at : null,
      learnt: 0,
      source_id: sourceId,
      item_id: itemIds.get(plan.identifier) ?? missing(plan.identifier),
      seen_run: plan.seenRun === undefined ? runId : plan.seenRun,
    },
    change: {
      seq,
      at,
      kind: change,
      // A version says what it is.
      ...(version
        ? { lastmod: '', media_type: null, length: null, hash: null }
        : { lastmod, ...representation }),
      links: changeLinks(plan, patches.linkOf(plan, seq)),
      links_before: linksBefore(plan),
      source_id: sourceId,
      resource_id: 0,
    },
    version,
    isOwn: known === undefined && kind === 'metadata',
  };
}

/** The resource's own, and what only the change has (RS-LN-12). */
function changeLinks({ desired, links }: ResourceChange, patch: Link | undefined): string {
  return patch ? serializeLinks([...(desired?.links ?? []), patch]) : links;
}

/** Null where the change leaves them as they were, or where there was nothing before it. */
function linksBefore({ known, change, links }: ResourceChange): string | null {
  return change === 'created' || !known || known.links === links ? null : known.links;
}

function missing(what: string): never {
  throw new Error(`the row of ${what} is missing`);
}
