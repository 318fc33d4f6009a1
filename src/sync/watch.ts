import { type BridgeError, isBridgeError } from '../core/errors.ts';
import { type LookOutcome, nextPause, type Pauses } from './choice/pause.ts';
import type { SyncDeps, SyncOptions } from './sync-options.ts';
import type { SyncReport } from './sync-report.ts';
import { openCopy, synchroniseOpened } from './synchronisation.ts';

export interface WatchDeps extends SyncDeps {
  readonly pauses: Pauses;
  /** Ends early when the run is to stop. */
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly onReport: (report: SyncReport, pauseMs: number) => void;
  readonly onFailure: (error: BridgeError, pauseMs: number) => void;
}

/** What no waiting mends, or what ends a process anyway. */
const final = /^(?:usage|interrupted|disk-full|copy-busy|database-newer)$/;

/**
 * Follows a Source until it is stopped: one run after the other, at a pace that follows the Source's. Nobody else works on the copy meanwhile.
 * What was asked for the first run alone (a baseline, an audit) is done once.
 * @throws BridgeError where the first run fails for whatever reason, or a later one for one that stays
 */
export async function watch(options: SyncOptions, deps: WatchDeps): Promise<SyncReport | undefined> {
  const { stop, pauses, sleep, onReport, onFailure } = deps;
  const database = openCopy(options);
  let last: SyncReport | undefined;
  let pause: number | undefined;
  try {
    while (!stop.aborted) {
      const later = { ...options, way: undefined, dropsExcluded: false };
      try {
        const report = await synchroniseOpened(database, last === undefined ? options : later, deps);
        pause = nextPause(pause, outcomeOf(report), pauses);
        last = report;
        onReport(report, pause);
      } catch (error) {
        if (stop.aborted && isBridgeError(error, 'interrupted')) break;
        if (!isBridgeError(error) || last === undefined || final.test(error.code)) throw error;
        pause = nextPause(pause, 'failed', pauses);
        onFailure(error, pause);
      }
      if (!stop.aborted) await sleep(pause);
    }
    return last;
  } finally {
    database.close();
  }
}

function outcomeOf({ copied }: SyncReport): LookOutcome {
  const { created, updated, deleted, failed } = copied;
  return created + updated + deleted + failed > 0 ? 'changed' : 'unchanged';
}
