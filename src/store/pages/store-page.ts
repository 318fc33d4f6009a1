import type { Knex } from 'knex';
import { type Checkpoint, forbidsDeletions, type Problem } from '../../core/adapter.ts';
import { countOf } from '../../core/count-of.ts';
import { later, toMilliseconds } from '../../core/datetime.ts';
import { type FileRules, noFiles } from '../../core/files/published-files.ts';
import type { MappedItem } from '../../core/mapping/mapping.ts';
import { followVersions } from '../changes/former-items.ts';
import { storeItems } from '../changes/item-writing.ts';
import { storeChanges } from '../changes/journal-writing.ts';
import { storeLearnt } from '../changes/learnt.ts';
import { makePatches, noPatches } from '../changes/patches.ts';
import { readKnownItems } from '../changes/stored-items.ts';
import { repeatedly } from '../drivers/statement-names.ts';
import { whereAnyOf } from '../engine/bulk.ts';
import type { Database } from '../engine/database.ts';
import { fileContext } from '../files/file-context.ts';
import { storeStatements } from '../files/item-files.ts';
import { unsettleSharers } from '../files/linked-files.ts';
import { storeRedelivered } from '../files/redelivered-files.ts';
import { storeMoved, storeUnasked } from '../files/remote-file-writing.ts';
import { changedVersions, storeVersions } from '../history/prior-versions.ts';
import type { BlobRow } from '../payloads/blobs.ts';
import { withVersionsOfItsOwn } from '../plans/former-item.ts';
import type { KnownItem } from '../plans/item-changes.ts';
import type { Redelivered } from '../plans/known-files.ts';
import { type PageChanges, planPage } from '../plans/page-changes.ts';
import { countChanges } from '../plans/resource-changes.ts';
import { followPrivacy } from '../removal/private-items.ts';
import { followShown, withHiddenVersions } from '../removal/refused.ts';
import { pageWithoutWithdrawn } from '../removal/withdrawals.ts';
import { ofSource } from '../rows/one-source.ts';
import { type Lease, renewLease } from '../runs/leases.ts';
import { type RunCounts, recordProblems } from '../runs/runs.ts';
import { markSeen, readSeen } from '../runs/seen.ts';
import { inTurn } from '../runs/turns.ts';
import { storeUnreadable } from '../runs/unreadable.ts';
import { clearVanished, recordUnreadParts } from '../runs/vanished.ts';
import { findDamaged, type Mended } from './mending.ts';
import { type ReadyBlobs, sendLarge, storeBlobs } from './page-blobs.ts';
import { packPayloads } from './page-payloads.ts';
import { withoutVolatileChanges } from './volatile-payloads.ts';

/** The run a page belongs to, as far as storing it needs to know. */
export interface RunInProgress {
  readonly id: number;
  readonly mode: 'full' | 'incremental';
  readonly problems: number;
}

export interface MappedPage {
  readonly items: readonly MappedItem[];
  readonly problems: readonly Problem[];
  readonly checkpoint: Checkpoint | undefined;
  readonly asOf?: string | undefined;
  readonly expectedTotal?: number | undefined;
  readonly statedTotal?: number | undefined;
  /** Whether updates get an XML patch (RS-LN-10). */
  readonly patches?: boolean | undefined;
  /** Published formats that may still come for these items in this run. */
  readonly awaited?: readonly string[] | undefined;
  /** There are no payloads to compare with. */
  readonly isCopy?: boolean | undefined;
  /** No list had what could not be read: nobody has met it. */
  readonly isUnmet?: boolean | undefined;
  /** What is done about files; default: nothing. */
  readonly files?: FileRules | undefined;
  /** URLs of files whose servers were asked when this page had come. */
  readonly asked?: ReadonlySet<string> | undefined;
}

export type PageResult = Omit<RunCounts, 'pages'>;

export interface StoredPage extends PageResult {
  /** Places where the pass proves nothing about what it did not see. */
  readonly unidentified: number;
}

/**
 * Stores a page, its changes, its checkpoint and the run's progress in one transaction: after a crash it is
 * all there or not at all, and storing it again changes nothing.
 *
 * The reading and comparing happen before the transaction: while the lease is held nobody else writes to
 * this source, and the transaction checks that it still is.
 * @throws BridgeError `lease-lost`; `objects-unavailable`, `objects-refused` where large payloads are in an object storage
 */
export async function storePage(
  database: Database,
  lease: Lease,
  run: RunInProgress,
  delivered: MappedPage,
  now: Moment,
): Promise<StoredPage> {
  return inTurn(lease, () => storeInTurn(database, lease, run, delivered, now));
}

interface Moment {
  readonly iso: string;
  readonly milliseconds: number;
}

/** Sending to the object storage takes its time: the lease and the journal go by what it is now. */
function momentOf({ bucket }: ReadyBlobs, begun: Moment): Moment {
  const iso = later(begun.iso, bucket?.now() ?? begun.iso);
  return { iso, milliseconds: Math.max(begun.milliseconds, toMilliseconds(iso)) };
}

async function storeInTurn(
  database: Database,
  lease: Lease,
  run: RunInProgress,
  whole: MappedPage,
  begun: Moment,
): Promise<StoredPage> {
  const { sourceId } = lease;
  const open = await followPrivacy(database, lease, whole, begun);
  const page = await pageWithoutWithdrawn(database.writer, lease.source, open);
  const told = await withHiddenVersions(database.writer, sourceId, page);
  const plan = await planStored(database, { name: lease.source, id: sourceId }, told, begun.iso, run.id);
  const { known, delivered } = plan;
  const patches = page.patches ? await makePatches(database, lease.source, plan.changes) : noPatches;
  const own = delivered.map((item) => withVersionsOfItsOwn(item, known.get(item.identifier)));
  const versions = await changedVersions(database.writer, sourceId, own, known);
  const payloads = await packPayloads(database, plan.changes, versions, delivered, known);
  const blobs = new Map([...patches.blobs.map(toEntry), ...payloads.blobs]);
  // There is nothing to mend of items that nobody knew.
  const isRepeated = run.mode === 'full' && known.size > 0 && !page.isCopy;
  const mended = isRepeated ? await findDamaged(database, delivered, known, (hash) => blobs.has(hash)) : [];
  const ready = await sendLarge(database, {
    rows: [...blobs.values()],
    keyframes: payloads.keyframes,
    mended: mended.map(({ blob }) => blob),
  });
  const now = ready.sent.size > 0 ? momentOf(ready, begun) : begun;
  const problems = [
    ...page.problems,
    ...plan.repeated.map(toProblem),
    ...plan.left.map(toLeftProblem),
    ...mended.map(toMendedProblem),
  ];
  const unidentified = await countDoubts(database, sourceId, page.problems);
  const result = { ...resultOf(plan, page, run.id), problems: problems.length, unidentified };
  await database.transaction(async (trx) => {
    await renewLease(trx, lease, now.milliseconds);
    const itemIds = await storeItems(trx, sourceId, plan.items, known);
    await storeStatements(trx, sourceId, plan.restated, itemIds, known);
    await storeVersions(trx, sourceId, versions, itemIds, known);
    await storeMoved(trx, sourceId, plan.moved, now.iso);
    await storeUnasked(trx, sourceId, plan.unasked, now.iso);
    await storeRedelivered(
      trx,
      sourceId,
      withUnread(withoutAsked(plan.redelivered, page), page, known),
      now.iso,
    );
    await storeBlobs(trx, ready);
    await storeChanges(trx, sourceId, run, plan.changes, itemIds, now.iso, { patches, before: known });
    await followShown(trx, sourceId, plan);
    await followVersions(trx, lease, run, delivered, now.iso);
    await storeLearnt(trx, sourceId, plan.learnt);
    await markMet(trx, sourceId, run, page, plan);
    if (page.files?.mode === 'link') await unsettleSharers(trx, sourceId, filesOf(plan, page));
    await clearVanished(trx, sourceId, metBy(plan));
    await recordProblems(trx, run, problems);
    await recordUnreadParts(trx, sourceId, run.id, problems);
    await storeUnreadable(trx, sourceId, problems, page.items, { run, at: now.iso });
    await storeProgress(trx, run.id, page, result, now.iso);
  });
  return result;
}

/** What was asked for because of this very page. */
function withoutAsked(redelivered: Redelivered, { asked }: MappedPage): Redelivered {
  return asked ? { ...redelivered, urls: redelivered.urls.filter((url) => !asked.has(url)) } : redelivered;
}

/** Of a record that came and could not be read nobody knows whether its files are still for everybody: they are asked. */
function withUnread(
  redelivered: Redelivered,
  { problems }: MappedPage,
  known: StoredChanges['known'],
): Redelivered {
  const unread = problems.flatMap(({ code, identifier }) =>
    code === 'record-quarantined' && identifier !== undefined
      ? (known.get(identifier)?.files.map(({ url }) => url) ?? [])
      : [],
  );
  return unread.length === 0 ? redelivered : { ...redelivered, urls: [...redelivered.urls, ...unread] };
}

interface StoredChanges extends PageChanges {
  readonly known: Awaited<ReturnType<typeof readKnownItems>>;
  /** The items of the page, as they are compared and kept. */
  readonly delivered: readonly MappedItem[];
}

async function planStored(
  database: Database,
  source: { readonly name: string; readonly id: number },
  page: MappedPage,
  now: string,
  runId?: number,
): Promise<StoredChanges> {
  const { awaited = [], files: rules = noFiles } = page;
  const db = database.writer;
  const withFiles = rules.mode !== 'none';
  const stored = await readKnownItems(db, source.name, identifiersOf(page), withFiles);
  const known = runId === undefined ? stored : await withSeen(db, source.id, runId, stored);
  const items = await withoutVolatileChanges(database, page.items, known);
  const urls = [...items, ...known.values()].flatMap(({ files }) => files.map(({ url }) => url));
  const planned = async (unread: ReadonlySet<string>) => {
    const context = await fileContext(db, source.id, rules, urls, now);
    return planPage({ source: source.name, items, awaited, unread }, known, context, runId);
  };
  const plan = await planned(new Set());
  if (plan.repeated.length === 0 || runId === undefined) return { ...plan, known, delivered: items };
  const unread = await findUnread(db, runId, plan.repeated);
  return { ...(unread.size === 0 ? plan : await planned(unread)), known, delivered: items };
}

/** Resources as the run has met them by now. */
async function withSeen(
  db: Database['reader'],
  sourceId: number,
  runId: number,
  known: StoredChanges['known'],
): Promise<StoredChanges['known']> {
  const ids = [...known.values()].flatMap(({ resources }) => resources.map(({ id }) => id));
  const seen = await readSeen(db, sourceId, runId, ids);
  if (seen.size === 0) return known;
  return new Map(
    [...known].map(([identifier, item]) => {
      const resources = item.resources.map((own) => (seen.has(own.id) ? { ...own, seen_run: runId } : own));
      return [identifier, { ...item, resources }];
    }),
  );
}

/** Those that the run met without being able to read them: what it reads of them now is no repetition. */
async function findUnread(
  db: Database['reader'],
  runId: number,
  identifiers: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows: { identifier: string }[] = await db('problem')
    .where({ run_id: runId, code: 'record-quarantined' })
    .modify((query) => whereAnyOf(query, 'identifier', identifiers))
    .distinct('identifier');
  return new Set(rows.map(({ identifier }) => identifier));
}

/** Resources that the delivery itself brought; a link that follows another resource has met nothing. */
function metBy({ changes, unchanged }: PageChanges): readonly number[] {
  const changed = changes.flatMap(({ known, seenRun }) => (known && seenRun === undefined ? known.id : []));
  return [...unchanged, ...changed];
}

/** The files of items of which something has changed. */
function filesOf(
  plan: Pick<PageChanges, 'changes' | 'restated'> & { readonly known: ReadonlyMap<string, KnownItem> },
  page: MappedPage,
): readonly string[] {
  const changed = new Set([...plan.changes, ...plan.restated].map(({ identifier }) => identifier));
  const delivered = page.items.filter(({ identifier }) => changed.has(identifier));
  const stored = [...plan.known.values()].filter(({ identifier }) => changed.has(identifier));
  return [...delivered, ...stored].flatMap(({ files }) => files.map(({ url }) => url));
}

/** A list of a format with nothing in it does no harm where there is nothing to delete: some formats stay empty. */
export async function countDoubts(
  database: Database,
  sourceId: number,
  problems: readonly Problem[],
): Promise<number> {
  let count = 0;
  for (const problem of problems.filter(forbidsDeletions)) {
    const { code, format, empty } = problem;
    const query = database
      .writer('resource')
      .where({ source_id: sourceId, format: format ?? '' })
      .whereNull('deleted_at');
    const harmless = code === 'list-doubtful' && empty === true && !(await query.first('id'));
    if (!harmless) count += 1;
  }
  return count;
}

function identifiersOf(page: MappedPage): string[] {
  const identifiers = new Set(page.items.map((item) => item.identifier));
  // A record that could not be read was there all the same: it is not to be taken for vanished.
  for (const { identifier } of page.problems) if (identifier !== undefined) identifiers.add(identifier);
  return [...identifiers];
}

function excused(page: MappedPage, known: Awaited<ReturnType<typeof readKnownItems>>): number[] {
  if (page.isUnmet) return [];
  return page.problems.flatMap(({ identifier, format }) =>
    (identifier === undefined ? [] : (known.get(identifier)?.resources ?? []))
      .filter((resource) => format === undefined || resource.format === format)
      .map((resource) => resource.id),
  );
}

function toProblem(identifier: string): Problem {
  return {
    code: 'endpoint-quirk',
    message:
      'it is in the list more than once, with different content and no later datestamp; the first is kept',
    identifier,
  };
}

function toLeftProblem({ identifier, left }: PageChanges['left'][number]): Problem {
  return {
    code: 'endpoint-quirk',
    message: `it has ${countOf(left, 'file')} more than \`files.perItem\` allows; these are not published`,
    identifier,
  };
}

function toMendedProblem({ identifier }: Mended): Problem {
  return {
    code: 'record-repaired',
    message: 'what was stored of it was damaged and has been replaced by what the repository delivered',
    identifier,
  };
}

function toEntry(blob: BlobRow): [string, BlobRow] {
  return [blob.hash, blob];
}

/** What came, and needs nothing: in a full pass that is nearly everything. */
async function markMet(
  trx: Knex.Transaction,
  sourceId: number,
  run: RunInProgress,
  page: MappedPage,
  { known, unchanged }: StoredChanges,
): Promise<void> {
  if (run.mode === 'full') {
    const marked = metIn(known, run.id);
    const met = [...unchanged, ...excused(page, known)].filter((id) => !marked.has(id));
    await markSeen(trx, sourceId, run.id, met);
  } else if (unchanged.length > 0) {
    await trx('resource')
      .modify((query) => whereAnyOf(query, 'id', unchanged))
      .modify(ofSource, 'resource', sourceId)
      .update({ seen_run: run.id });
  }
}

function metIn(known: StoredChanges['known'], runId: number | undefined): ReadonlySet<number> {
  const resources = [...known.values()].flatMap((item) => item.resources);
  return new Set(resources.flatMap(({ id, seen_run }) => (seen_run === runId ? id : [])));
}

export async function storeProgress(
  trx: Knex.Transaction,
  runId: number,
  page: MappedPage,
  result: StoredPage,
  now: string,
): Promise<void> {
  const counts = { ...result, pages: 1 };
  await trx('run')
    .where({ id: runId })
    .modify(repeatedly)
    .update({
      ...Object.fromEntries(
        Object.entries(counts).map(([column, count]) => [column, trx.raw('?? + ?', [column, count])]),
      ),
      stalled: 0,
      updated_at: now,
      ...(page.checkpoint === undefined ? {} : { checkpoint: JSON.stringify(page.checkpoint) }),
      ...(page.asOf === undefined ? {} : { as_of: trx.raw('coalesce(as_of, ?)', [page.asOf]) }),
      ...(page.expectedTotal === undefined ? {} : { expected_total: page.expectedTotal }),
      ...(page.statedTotal === undefined ? {} : { stated_total: page.statedTotal }),
    });
}

/** What the run had met before counts once: windows share records with their neighbours, and lists are begun anew. */
function resultOf(
  plan: PageChanges & { readonly known: ReadonlyMap<string, KnownItem> },
  page: MappedPage,
  runId?: number,
): PageResult {
  const met = metIn(plan.known, runId);
  const isNew = ({ identifier, speaksFor: { formats } }: MappedItem) =>
    !plan.known.get(identifier)?.resources.some(({ id, kind, format }) => {
      return kind === 'metadata' && format !== null && formats.includes(format) && met.has(id);
    });
  const items = runId === undefined ? page.items : page.items.filter(isNew);
  return {
    items: new Set(items.map(({ identifier }) => identifier)).size,
    ...countChanges(plan.changes),
    unchanged: plan.unchanged.filter((id) => runId === undefined || !met.has(id)).length,
    problems: page.problems.length,
  };
}
