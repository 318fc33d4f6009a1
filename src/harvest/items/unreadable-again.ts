import { addSeconds, toIso } from '../../core/datetime.ts';
import { findItem } from '../../store/reading/items.ts';
import type { Lease } from '../../store/runs/leases.ts';
import { forgetItem, listUnreadable } from '../../store/runs/unreadable.ts';
import type { HarvestDeps } from '../harvest-source.ts';
import { type Asking, askFor, failuresInARow } from './asked-item.ts';

/** How many records that could not be read are asked for once more, beside what else is read. */
export interface AskedAgain {
  readonly most: number;
  /** Those that were met of late would be no better. */
  readonly restSeconds: number;
}

/** Some each time: what is well again has no new date, and no list of what is new has it. */
export const besideChanges: AskedAgain = { most: 20, restSeconds: 3600 };

/**
 * What is not there, or not for us, has nothing that could be read; whether it goes where it is published is left to whoever
 * compares the lists.
 */
export async function askUnreadable(
  deps: HarvestDeps,
  lease: Lease,
  asking: Asking,
  { most, restSeconds }: AskedAgain,
): Promise<void> {
  const notSince = addSeconds(toIso(deps.clock.now()), -restSeconds);
  const asked = new Set<string>();
  let inARow = 0;
  for (let after = 0; ; ) {
    const page = { after, limit: most, notSince };
    const some = await listUnreadable(deps.database.writer, lease.sourceId, page);
    for (const { identifier } of some) {
      if (identifier === undefined || asked.has(identifier)) continue;
      if (asking.stop?.aborted || asked.size === most || inARow === failuresInARow) return;
      asked.add(identifier);
      const answer = await askFor(deps, lease, asking, identifier);
      inARow = answer === 'failed' ? inARow + 1 : 0;
      const isNone = answer === 'unknown' || answer === 'unselected';
      if (isNone && !(await isPublished(deps, asking, identifier)))
        await deps.database.transaction((trx) => forgetItem(trx, lease.sourceId, identifier));
    }
    const last = some.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

async function isPublished(
  { database }: HarvestDeps,
  { source }: Asking,
  identifier: string,
): Promise<boolean> {
  const known = await findItem(database.writer, source.name, identifier);
  return known?.resources.some(({ deletedAt }) => deletedAt === undefined) ?? false;
}
