import type { Clock } from '../core/adapter.ts';
import { addSeconds, toIso } from '../core/datetime.ts';
import type { ResourceSet } from '../core/resource-set.ts';
import type { Database } from '../store/database.ts';
import { advanceJournal } from '../store/journal.ts';
import type { Snapshot } from './pointer.ts';

/**
 * Where a snapshot begins (RS-TIME-06). Each has a moment of its own, because that is part of immutable URIs.
 * @param last the one before it
 */
export async function drawLine(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  set: ResourceSet,
  last: Snapshot | undefined,
): Promise<string> {
  const journal = await advanceJournal(database, set.source, toIso(clock.now()));
  if (last === undefined || journal.at > last.at) return journal.at;
  return (await advanceJournal(database, set.source, addSeconds(last.at, 1))).at;
}
