import { countOf } from '../../core/count-of.ts';
import { toIso } from '../../core/datetime.ts';
import { BridgeError, describeError } from '../../core/errors.ts';
import { settle } from '../../store/pages/settle.ts';
import { sweep } from '../../store/pages/sweep.ts';
import type { Lease } from '../../store/runs/leases.ts';
import { endRun, endStale, findRun, type Run, type RunKind, startRun } from '../../store/runs/runs.ts';
import { forgetItem } from '../../store/runs/unreadable.ts';
import { countVanished, listVanished, type VanishedItem } from '../../store/runs/vanished.ts';
import { findSource } from '../../store/sources/sources.ts';
import { fileRules } from '../file-rules.ts';
import { type HarvestDeps, type HarvestSource, instant, type RunSignals } from '../harvest-source.ts';
import { introduce, keepLessons } from '../introduction.ts';
import {
  type Asking,
  concernsItem,
  failuresInARow,
  fetchItem,
  isSelected,
  storeAnswers,
  storeFailure,
} from '../items/asked-item.ts';
import { withLease } from '../run-lease.ts';

export interface Acceptance extends RunSignals {
  /** The run that showed what is accepted; undefined: the latest finished pass. */
  readonly run: number | undefined;
  readonly onProgress?: ((asked: number, total: number) => void) | undefined;
}

/** What became of the items that were suspected of having vanished. */
export interface AcceptanceReport {
  readonly source: string;
  /** Undefined: nothing was suspected. */
  readonly run: number | undefined;
  readonly pass: RunKind | undefined;
  /** Items that were asked for. */
  readonly asked: number;
  /** Resources that were deleted, files included. */
  readonly deleted: number;
  /** Identifiers of items that are there, and stay; of the first hundred. */
  readonly alive: readonly string[];
  readonly aliveCount: number;
  /** Items without a clear answer, now as before, that went because a person says so. */
  readonly unclear: number;
  /** Items without an answer that says anything, and that stay. */
  readonly unanswered: number;
  /** Why, for the first of them. */
  readonly reason: string | undefined;
  /** Items that are suspected still. */
  readonly remaining: number;
}

/**
 * A person has looked at what a pass did not meet, and says that it may go. Each item of it is asked for once more:
 * what the upstream does not have is deleted; what is there stays, as it is now; what nobody can say anything about
 * stays, and stays suspected. Of what was shown as without a clear answer, and has none now either though the upstream
 * answers otherwise, the person's word is the answer. Whoever is interrupted continues with what is left.
 * @throws BridgeError `vanished-changed` where another pass has shown something else since
 */
export async function acceptDeletions(
  deps: HarvestDeps,
  source: HarvestSource,
  acceptance: Acceptance,
): Promise<AcceptanceReport> {
  const { database, log } = deps;
  const stored = await findSource(database.reader, source.name);
  if (stored === undefined) return nothingSuspected(source.name, acceptance.run);
  return withLease(deps, source, acceptance.signal, async ({ lease, deps: held, signal }) => {
    await refuseOthers(held, source.name, lease.sourceId, acceptance.run);
    const report = await acceptShown(held, source, lease, { ...acceptance, signal });
    log.info({ ...report, alive: report.aliveCount }, 'deletions accepted');
    return report;
  });
}

function nothingSuspected(source: string, run: number | undefined): AcceptanceReport {
  const nothing = { asked: 0, deleted: 0, alive: [], aliveCount: 0, unclear: 0, unanswered: 0, remaining: 0 };
  return { source, run, pass: undefined, reason: undefined, ...nothing };
}

/** What is accepted is what was shown: a later pass has another list, and the person has not seen it. */
async function refuseOthers(
  { database }: HarvestDeps,
  source: string,
  sourceId: number,
  run: number | undefined,
): Promise<void> {
  const { runId, items } = await countVanished(database.writer, sourceId);
  if (run === undefined || runId === undefined || runId === run) return;
  throw new BridgeError(
    'vanished-changed',
    `run ${run} of ${source} is not the latest that looked for missing items: run ${runId} is, and did not find ${countOf(items, 'item')}. Look at them with \`rsbridge vanished ${source}\`, then \`rsbridge harvest ${source} --accept-deletions ${runId}\``,
  );
}

const askedAtATime = 50;
const namedAlive = 100;

async function acceptShown(
  deps: HarvestDeps,
  source: HarvestSource,
  lease: Lease,
  { run, stop, signal, onProgress }: Acceptance,
): Promise<AcceptanceReport> {
  const { database, clock } = deps;
  const { writer } = database;
  const { sourceId } = lease;
  const [first] = await listVanished(writer, sourceId, 0, 1);
  if (first === undefined) return nothingSuspected(source.name, run);
  await introduce(deps, source, lease, { signal });
  const { runId, pass } = first;
  const { items: total } = await countVanished(writer, sourceId);
  const own = await openAcceptance(deps, sourceId, runId);
  const asking = { source, run: own, stop, signal };
  const counts = { asked: 0, aliveCount: 0, unclear: 0, unanswered: 0 };
  const alive: string[] = [];
  let reason: string | undefined;
  let inARow = 0;
  for (let after = 0; !stop.aborted && inARow < failuresInARow; ) {
    const some = await listVanished(writer, sourceId, after, askedAtATime);
    const last = some.at(-1);
    if (last === undefined) break;
    after = last.itemId;
    const gone: number[] = [];
    for await (const { one, verdict, why, isOutage = false } of askForEach(deps, lease, asking, some)) {
      counts.asked += 1;
      inARow = isOutage ? inARow + 1 : 0;
      if (verdict === 'unclear') counts.unclear += 1;
      if (verdict === 'gone' || verdict === 'unclear') {
        gone.push(one.itemId);
        await database.transaction((trx) => forgetItem(trx, sourceId, one.identifier));
      }
      if (verdict === 'unanswered') {
        counts.unanswered += 1;
        reason ??= `${one.identifier}: ${why}`;
      }
      if (verdict === 'alive') {
        counts.aliveCount += 1;
        if (alive.length < namedAlive) alive.push(one.identifier);
      }
      onProgress?.(counts.asked, total);
      if (stop.aborted || inARow >= failuresInARow) break;
    }
    const which = { items: gone, shownBy: runId };
    await sweep(database, lease, own.id, which, () => instant(clock), signal);
    await keepLessons(deps, lease, source);
  }
  const options = { runId: own.id, signal };
  await settle(database, lease, fileRules(source.config), () => instant(clock), options);
  const { items: remaining } = await countVanished(writer, sourceId);
  const state = stop.aborted ? 'interrupted' : 'succeeded';
  const at = toIso(clock.now());
  await database.transaction((trx) => endRun(trx, own.id, { state, at }));
  const { deleted } = await findRun(writer, own);
  return { source: source.name, run: runId, pass, ...counts, deleted, alive, reason, remaining };
}

/** A run of its own: what is met now has been met later than by any other. */
async function openAcceptance(
  { database, clock }: HarvestDeps,
  sourceId: number,
  shownBy: number,
): Promise<Run<'acceptance'>> {
  const startedAt = toIso(clock.now());
  const mode = 'acceptance';
  const selection = JSON.stringify({ accepts: shownBy });
  return database.transaction(async (trx) => {
    await endStale(trx, sourceId, mode, startedAt);
    return startRun(trx, { sourceId, mode, selection, since: undefined, startedAt });
  });
}

/**
 * `gone`: whatever the list left out of it may go; `unclear`: so it may, by the person's word; `alive`: what is there of it
 * has been stored.
 */
type Verdict = 'gone' | 'unclear' | 'alive' | 'unanswered';

interface Judged {
  readonly one: VanishedItem;
  readonly verdict: Verdict;
  readonly why?: string;
  /** Perhaps the upstream answers nothing at all. */
  readonly isOutage?: boolean;
}

type AskingForVanished = Pick<Asking, 'source' | keyof RunSignals> & {
  readonly run: { readonly id: number; readonly problems: number };
};

async function* askForEach(
  deps: HarvestDeps,
  lease: Lease,
  asking: AskingForVanished,
  items: readonly VanishedItem[],
): AsyncGenerator<Judged> {
  const sideBySide = asking.source.config.requestsPerHost;
  for (let next = 0; next < items.length; next += sideBySide) {
    const fetched = await Promise.all(
      items.slice(next, next + sideBySide).map(async (one) => ({
        one,
        answer: await fetchItem(asking, one.identifier),
      })),
    );
    for (const { one, answer } of fetched) {
      if ('error' in answer) {
        const isOutage = !concernsItem(answer);
        const isAccepted = one.isUnclear && !isOutage;
        // The next who looks at the list sees that it has no answer.
        if (!isOutage && !isAccepted) await storeFailure(deps, lease, asking, one.identifier, answer.error);
        const verdict = isAccepted ? 'unclear' : 'unanswered';
        yield { one, verdict, why: describeError(answer.error), isOutage };
        continue;
      }
      const { item } = answer;
      if (item !== undefined && item.identifier !== one.identifier) {
        const why = `the answer is the record of ${item.identifier}`;
        yield { one, verdict: 'unanswered', why, isOutage: true };
        continue;
      }
      if (item === undefined || !isSelected(asking.source, item)) {
        yield { one, verdict: 'gone' };
        continue;
      }
      if (item.unlisted !== true) await storeAnswers(deps, lease, asking, { items: [item] });
      yield { one, verdict: item.deleted ? 'gone' : 'alive' };
    }
  }
}
