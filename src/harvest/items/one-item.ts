import { toIso } from '../../core/datetime.ts';
import { settle } from '../../store/pages/settle.ts';
import { removeItem } from '../../store/pages/sweep.ts';
import { findItem } from '../../store/reading/items.ts';
import type { Lease } from '../../store/runs/leases.ts';
import { endRun, endStale, findRun, type Run, startRun } from '../../store/runs/runs.ts';
import { forgetItem, listUnreadable } from '../../store/runs/unreadable.ts';
import { fileRules } from '../file-rules.ts';
import { type HarvestDeps, type HarvestSource, instant, type RunSignals } from '../harvest-source.ts';
import { introduce, keepLessons, toFailure } from '../introduction.ts';
import { endFailed, withLease } from '../run-lease.ts';
import { fetchItem, isSelected, storeAnswers, storeFailure } from './asked-item.ts';

/**
 * `stored`: it was read, and what is published of it follows; `gone`: the upstream does not have it, or not for us;
 * `unknown`: it does not, and nothing of it is published; `unlisted`: it is there, but whether it is for everybody
 * the upstream's lists alone can say; `other`: the answer is another item's.
 */
export type ItemOutcome = 'stored' | 'gone' | 'unknown' | 'unlisted' | 'other';

export interface ItemReport {
  readonly source: string;
  readonly item: string;
  readonly outcome: ItemOutcome;
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
}

/**
 * Asks for one item by its identifier, and stores what comes.
 * @throws BridgeError where it did not come, or cannot be read: what is published of it stays as it is
 */
export async function harvestItem(
  deps: HarvestDeps,
  source: HarvestSource,
  identifier: string,
  options: RunSignals,
): Promise<ItemReport> {
  return withLease(deps, source, options.signal, async ({ lease, deps: held, signal }) => {
    const signals = { ...options, signal };
    try {
      await introduce(held, source, lease, signals);
      return await runForItem(held, source, lease, identifier, signals);
    } finally {
      await keepLessons(held, lease, source);
    }
  });
}

async function runForItem(
  deps: HarvestDeps,
  source: HarvestSource,
  lease: Lease,
  identifier: string,
  options: RunSignals,
): Promise<ItemReport> {
  const { database, clock, log } = deps;
  const run = await openItemRun(deps, lease, identifier);
  try {
    const outcome = await readItem(deps, source, lease, run, identifier, options);
    const at = toIso(clock.now());
    await database.transaction((trx) => endRun(trx, run.id, { state: 'succeeded', at }));
    const { created, updated, deleted } = await findRun(database.writer, run);
    const report = { source: source.name, item: identifier, outcome, created, updated, deleted };
    log.info(report, 'item read');
    return report;
  } catch (error) {
    const failure = toFailure(error, options);
    await endFailed(deps, run, { state: 'failed', at: toIso(clock.now()), error: failure });
    throw failure;
  }
}

async function readItem(
  deps: HarvestDeps,
  source: HarvestSource,
  lease: Lease,
  run: Run<'item'>,
  identifier: string,
  { stop, signal }: RunSignals,
): Promise<ItemOutcome> {
  const { database, clock } = deps;
  const known = await findItem(database.writer, source.name, identifier);
  const lives = known?.resources.some(({ deletedAt }) => deletedAt === undefined) ?? false;
  const asking = { source, run, stop, signal };
  const bringInLine = () =>
    settle(database, lease, fileRules(source.config), () => instant(clock), { runId: run.id, signal });
  const fetched = await fetchItem(asking, identifier);
  if ('error' in fetched) {
    const page = { after: 0, limit: 1, identifier };
    const [before] = await listUnreadable(database.writer, lease.sourceId, page);
    // Of what nobody has met there is nothing to remember.
    const format = before?.format;
    if (lives || before) await storeFailure(deps, lease, asking, identifier, fetched.error, { format });
    throw fetched.error;
  }
  const { item } = fetched;
  if (item !== undefined && item.identifier !== identifier) return 'other';
  const isOurs = item !== undefined && isSelected(source, item);
  if (!isOurs || item.deleted) {
    const forgotten = await database.transaction((trx) => forgetItem(trx, lease.sourceId, identifier));
    if (lives) await removeItem(database, lease, run, identifier, instant(clock));
    await bringInLine();
    return lives || forgotten > 0 ? 'gone' : 'unknown';
  }
  if (item.unlisted === true) return 'unlisted';
  await storeAnswers(deps, lease, asking, { items: [item] });
  await bringInLine();
  return 'stored';
}

async function openItemRun(
  { database, clock }: HarvestDeps,
  { sourceId }: Lease,
  identifier: string,
): Promise<Run<'item'>> {
  const startedAt = toIso(clock.now());
  const selection = JSON.stringify({ item: identifier });
  return database.transaction(async (trx) => {
    await endStale(trx, sourceId, 'item', startedAt);
    return startRun(trx, { sourceId, mode: 'item', selection, since: undefined, startedAt });
  });
}
