import { describeError, isBridgeError } from '../../core/errors.ts';
import { listUnreadable } from '../../store/runs/unreadable.ts';
import { findSource } from '../../store/sources/sources.ts';
import type { HarvestDeps, HarvestSource, RunSignals } from '../harvest-source.ts';
import { harvestItem } from './one-item.ts';

/** Records that could not be read, one after the other read again. */
export interface ProblemsAgain {
  readonly read: number;
  readonly stillUnread: number;
  /** Of these nobody knows what to ask for. */
  readonly nameless: number;
  /** Why the others were not asked for: the repository does not answer. */
  readonly gaveUp?: string | undefined;
  /** It was told to stop: the rest is for another turn. */
  readonly isStopped: boolean;
}

const recordsAtATime = 100;
/** Answers in a row that say nothing of the record: the repository has other worries. */
const mostInARow = 5;

/**
 * Asks for each record of a cause, or for all that could not be read, once more.
 * @param which `notSince` (ISO): those that were met since are not asked for, as they have been asked for already
 * @throws BridgeError `lease-held` where another process is at the source
 */
export async function readProblemsAgain(
  deps: HarvestDeps,
  source: HarvestSource,
  which: { readonly cause: string | undefined; readonly notSince: string },
  signals: RunSignals,
  onProgress: (done: Omit<ProblemsAgain, 'isStopped'>) => Promise<void> = async () => undefined,
): Promise<ProblemsAgain> {
  const { database } = deps;
  const counts = { read: 0, stillUnread: 0, nameless: 0 };
  const stored = await findSource(database.reader, source.name);
  if (stored === undefined) return { ...counts, isStopped: false };
  const asked = new Set<string>();
  let failedInARow = 0;
  for (let after = 0; ; ) {
    const some = await listUnreadable(database.reader, stored.id, { ...which, after, limit: recordsAtATime });
    for (const { identifier } of some) {
      if (signals.stop?.aborted) return { ...counts, isStopped: true };
      if (identifier === undefined) counts.nameless += 1;
      // In another format, perhaps: an item is asked for in all of them.
      if (identifier === undefined || asked.has(identifier)) continue;
      asked.add(identifier);
      const failure = await failureOf(harvestItem(deps, source, identifier, signals));
      if (failure === undefined) counts.read += 1;
      else counts.stillUnread += 1;
      failedInARow = isBridgeError(failure) && failure.retryable ? failedInARow + 1 : 0;
      if (failedInARow >= mostInARow) return { ...counts, gaveUp: describeError(failure), isStopped: false };
    }
    const last = some.at(-1);
    if (last === undefined) return { ...counts, isStopped: false };
    after = last.id;
    await onProgress(counts);
  }
}

/** @returns undefined: it was read, or is gone; else why not */
async function failureOf(reading: ReturnType<typeof harvestItem>): Promise<unknown> {
  try {
    const { outcome } = await reading;
    return outcome === 'stored' || outcome === 'gone' ? undefined : outcome;
  } catch (error) {
    if (!isBridgeError(error) || isBridgeError(error, 'lease-held') || isBridgeError(error, 'lease-lost'))
      throw error;
    return error;
  }
}
