import type { Clock } from '../../core/adapter.ts';
import { addSeconds, later, toIso, toMilliseconds } from '../../core/datetime.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { Database } from '../../store/engine/database.ts';
import { advanceJournal, type JournalState } from '../../store/sources/journal.ts';
import type { Snapshot } from '../disk/pointer.ts';

export interface LineSettings {
  readonly database: Database;
  readonly clock: Clock;
}

/**
 * Where a snapshot begins (RS-TIME-06). Each has a moment of its own, because that is part of immutable URIs.
 * @param last the one before it
 */
export async function drawLine(
  settings: LineSettings,
  set: ResourceSet,
  last: Snapshot | undefined,
): Promise<string> {
  return (await drawLineAfter(settings, set, last?.at)).at;
}

/**
 * Advances the journal to now, and beyond `moment` if that has not passed. It waits for the next second rather
 * than to write of the future; where the clock has been set back, waiting does not help.
 */
export async function drawLineAfter(
  { database, clock }: LineSettings,
  set: ResourceSet,
  moment: string | undefined,
): Promise<JournalState> {
  const journal = await advanceJournal(database, set.source, toIso(clock.now()));
  if (moment === undefined || journal.at > moment) return journal;
  const wait = toMilliseconds(moment) + 1000 - clock.now().getTime();
  if (wait > 0 && wait <= 1000) await clock.sleep(wait);
  return advanceJournal(database, set.source, later(toIso(clock.now()), addSeconds(moment, 1)));
}
