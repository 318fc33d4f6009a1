import { describeError } from '../../core/errors.ts';
import { storeVerdict } from '../../store/changes/former-items.ts';
import { listFormerItems } from '../../store/rows/former-items.ts';
import type { Lease } from '../../store/runs/leases.ts';
import { type HarvestDeps, instant } from '../harvest-source.ts';
import { type Asking, askedPerRun, failuresInARow } from './asked-item.ts';

/**
 * Asks for the items that identifiers led to before they led to others: in a full pass for all that it has not been told of, else for
 * those of what the run has met, and for those that nobody has asked for yet. An answer that does not tell changes nothing.
 */
export async function askFormerItems(
  deps: HarvestDeps,
  lease: Lease,
  { source, run, stop, signal }: Asking,
): Promise<void> {
  const { adapter, name } = source;
  if (adapter.isShown === undefined) return;
  const isFull = run.mode === 'full';
  const due = await listFormerItems(deps.database.writer, lease.sourceId, {
    runId: isFull ? undefined : run.id,
    before: run.startedAt,
  });
  let asked = 0;
  let inARow = 0;
  for (const formers of due.values()) {
    if (stop.aborted || inARow === failuresInARow || (!isFull && asked === askedPerRun)) return;
    asked += 1;
    const address = formers[0]?.owner ?? '';
    let isShown: boolean | undefined;
    try {
      isShown = await adapter.isShown(address, signal);
    } catch (error) {
      signal.throwIfAborted();
      deps.log.debug(
        { source: name, item: address, reason: describeError(error) },
        'nobody says whether an earlier version is for everybody',
      );
    }
    inARow = isShown === undefined ? inARow + 1 : 0;
    if (isShown !== undefined)
      await storeVerdict(deps.database, lease, run, { formers, isShown }, instant(deps.clock));
  }
}
