import type { Adapter, Clock, Log } from '../core/adapter.ts';
import type { SourceConfig } from '../core/config/config.ts';
import { toIso } from '../core/datetime.ts';
import type { WorkTracker } from '../core/under-way.ts';
import type { Database } from '../store/engine/database.ts';
import type { DueFile } from '../store/files/due-files.ts';
import type { RemoteFile } from '../store/files/remote-files.ts';
import type { Run, RunMode } from '../store/runs/runs.ts';
import type { ShownSettings } from '../store/sources/run-settings.ts';
import type { LessonBook } from './lessons.ts';

/** Asks servers for files; see `files/checks/file-checker.ts`. */
export interface FileCheck {
  /**
   * @param options.budget how many may be asked for
   * @param options.deadline milliseconds, after which it returns with what it has
   * @param options.onAnswer is told of each at once, and waited for
   * @returns what was seen; those it did not come to are left out, or still `unchecked`
   */
  check(
    files: readonly DueFile[],
    options: {
      readonly budget: number;
      readonly deadline: number;
      readonly signal: AbortSignal;
      readonly onAnswer?: (file: RemoteFile) => Promise<void>;
    },
  ): Promise<readonly RemoteFile[]>;
}

export interface HarvestDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** Told how far it is; undefined: nobody looks on. */
  readonly presence?: WorkTracker | undefined;
}

/** A configured source with the adapter that reads it. */
export interface HarvestSource {
  readonly name: string;
  readonly config: SourceConfig;
  readonly adapter: Adapter;
  /** What its endpoint taught us; the adapter writes into it. */
  readonly lessons: LessonBook;
  /** Whether a request to its repository is under way; none is while it waits for its turn, or for the end of a rest. Undefined: nobody knows. */
  readonly isAsking?: (() => boolean) | undefined;
  /** Asks for files before they are published; undefined: they are published as stated. */
  readonly fileCheck?: FileCheck | undefined;
  /** Those in force, without secrets: what its runs are compared by. Undefined: nobody compares them. */
  readonly shownSettings?: (() => ShownSettings) | undefined;
  /** What is known of it is a copy without payloads: there is nothing to mend. */
  readonly isCopy?: boolean | undefined;
}

/** What ends a run before its end. */
export interface RunSignals {
  /** First Ctrl-C: finish the page. */
  readonly stop: AbortSignal;
  /** Second Ctrl-C: stop now. */
  readonly signal: AbortSignal;
}

export interface HarvestOptions extends RunSignals {
  /** Others have waited for long: stop after a page from which the next run can go on, as if interrupted. */
  readonly yield?: AbortSignal | undefined;
  /** Asked for; the first run, and one after a change of the selection, is full in any case. */
  readonly mode: RunMode;
  /** Instead of the last good run's time. */
  readonly since?: string | undefined;
  /** Stop after about this many items, as if interrupted. */
  readonly limit?: number | undefined;
  /** Nobody has to look first, however much would go at once: the whole repository is ours, a sample. */
  readonly withoutFuse?: boolean | undefined;
  readonly onProgress?: ((progress: HarvestProgress) => void) | undefined;
}

export interface HarvestProgress {
  readonly source: string;
  readonly run: Run;
  /** Items read by this process in this run. */
  readonly items: number;
  readonly expectedTotal: number | undefined;
}

export function instant(clock: Clock): { iso: string; milliseconds: number } {
  const now = clock.now();
  return { iso: toIso(now), milliseconds: now.getTime() };
}

export interface IdentifierOptions extends RunSignals {
  readonly onProgress?:
    | ((progress: { source: string; run: Run<'identifiers'>; items: number }) => void)
    | undefined;
}
