import { toIso } from '../../core/datetime.ts';
import { BridgeError, describeError } from '../../core/errors.ts';
import { askForFilesOf } from '../../store/files/due-files.ts';
import { settle } from '../../store/pages/settle.ts';
import type { Lease } from '../../store/runs/leases.ts';
import { startRun } from '../../store/runs/runs.ts';
import { fileRules } from '../file-rules.ts';
import { type HarvestDeps, type HarvestSource, instant, type RunSignals } from '../harvest-source.ts';
import { introduce, keepLessons } from '../introduction.ts';
import { endFailed, withLease } from '../run-lease.ts';
import { askFor } from './asked-item.ts';

/** What came of asking for an item that is to be published again. */
export type ReadAgain = 'published' | 'unknown' | { readonly failed: string };

/**
 * Asks a repository for one item, and publishes it as it is now: what was withdrawn and is no more left nothing behind
 * that could be published.
 */
export async function readAgain(
  deps: HarvestDeps,
  source: HarvestSource,
  identifier: string,
  signals: RunSignals,
): Promise<ReadAgain> {
  try {
    return await readInTurn(deps, source, identifier, signals);
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error;
    return { failed: describeError(error) };
  }
}

/** The same for whoever can come back. @throws BridgeError `lease-held` where another process is at the source */
export async function readAgainInTurn(
  deps: HarvestDeps,
  source: HarvestSource,
  identifier: string,
  signals: RunSignals,
): Promise<ReadAgain> {
  try {
    return await readInTurn(deps, source, identifier, signals);
  } catch (error) {
    if (!(error instanceof BridgeError) || error.code === 'lease-held') throw error;
    return { failed: describeError(error) };
  }
}

function readInTurn(
  deps: HarvestDeps,
  source: HarvestSource,
  identifier: string,
  signals: RunSignals,
): Promise<ReadAgain> {
  return withLease(deps, source, signals.signal, ({ lease, deps: held, signal }) =>
    readWith(held, source, lease, identifier, { ...signals, signal }),
  );
}

async function readWith(
  deps: HarvestDeps,
  source: HarvestSource,
  lease: Lease,
  identifier: string,
  signals: RunSignals,
): Promise<ReadAgain> {
  const { database, clock } = deps;
  await introduce(deps, source, lease, signals);
  const startedAt = toIso(clock.now());
  const mode = 'acceptance';
  const selection = JSON.stringify({ restores: identifier });
  const { sourceId } = lease;
  const begun = { sourceId, mode, selection, since: undefined, startedAt } as const;
  const run = await database.transaction((trx) => startRun(trx, begun));
  try {
    const answer = await askFor(deps, lease, { source, run, ...signals }, identifier);
    await settle(database, lease, fileRules(source.config), () => instant(clock), {
      signal: signals.signal,
    });
    await keepLessons(deps, lease, source);
    if (answer === 'failed') return { failed: 'the repository did not say' };
    if (typeof answer === 'string' || answer.deleted) return 'unknown';
    await database.transaction((trx) => askForFilesOf(trx, sourceId, identifier, toIso(clock.now())));
    return 'published';
  } finally {
    await endFailed(deps, run, { state: 'succeeded', at: toIso(clock.now()) });
  }
}
