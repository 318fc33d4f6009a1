import type { Clock, Http } from '../../../core/adapter.ts';
import { toIso } from '../../../core/datetime.ts';
import type { DueFile } from '../../../store/files/due-files.ts';
import type { RemoteFile } from '../../../store/files/remote-files.ts';
import type { FileCheck } from '../../harvest-source.ts';
import { createDeadline } from '../../http/deadline.ts';
import type { HostGate } from '../../http/host-gate.ts';
import { askForFile } from './check-file.ts';
import { postponed, type RecheckDays } from './check-schedule.ts';
import { createHostHealth, type HostHealth, hostOf } from './host-health.ts';
import { inLanes } from './lanes.ts';

export interface FileCheckerDeps {
  /** For URLs found in records. */
  readonly http: Http;
  /** The one that `http` waits at. */
  readonly gate: HostGate;
  readonly clock: Pick<Clock, 'now'>;
  readonly health?: HostHealth;
}

export interface FileCheckerSettings {
  readonly recheckDays: RecheckDays;
  readonly requestsPerHost: number;
  /** Milliseconds for one request, redirects included. */
  readonly patienceMs?: number;
}

const hostsAtATime = 16;
/**
 * A place at a host that is not free after so long is held by ourselves: by the list being harvested, whose next
 * part may be waiting for what we are about to find.
 */
const placeMs = 5000;

/**
 * Checks many files: hosts side by side, at each as many requests as are allowed there. A host that is silent
 * three times in a row, or asks for patience, is left alone for ten minutes, or as long as it says; its files come back
 * with a later `dueAt` and nothing else changed.
 */
export function createFileChecker(deps: FileCheckerDeps, settings: FileCheckerSettings): FileCheck {
  const { http, gate, clock, health = createHostHealth() } = deps;
  const { recheckDays, requestsPerHost, patienceMs = 10_000 } = settings;

  return {
    async check(files, { budget, deadline, signal, onAnswer }) {
      const time = createDeadline(deadline, 'checking files', signal);
      time.run();
      const checked: RemoteFile[] = [];
      let left = budget;

      async function checkOne(host: string, file: DueFile): Promise<void> {
        const now = clock.now();
        if (health.isDown(host, now.getTime())) {
          checked.push(postponed(file, toIso(now), health.restSeconds(host, now.getTime())));
          return;
        }
        if (left <= 0 || time.signal.aborted) return;
        left -= 1;
        try {
          const options = { recheckDays, deadline: patienceMs };
          const answer = await askForFile(http, file, toIso(now), options, time.signal);
          health.note(host, answer.verdict, clock.now().getTime());
          checked.push(answer.file);
          await onAnswer?.(answer.file);
        } catch (error) {
          // Out of time: it is asked for another day.
          if (!time.signal.aborted) throw error;
        }
      }

      async function checkHost([host, its]: readonly [string, readonly DueFile[]]): Promise<void> {
        if (left <= 0 || time.signal.aborted || !(await hasPlace(host, time.signal))) return;
        await inLanes(its, Math.min(requestsPerHost, its.length), (file) => checkOne(host, file));
      }

      try {
        await inLanes(byHost(files), hostsAtATime, checkHost);
      } finally {
        time.end();
      }
      signal.throwIfAborted();
      return checked;
    },
  };

  async function hasPlace(host: string, signal: AbortSignal): Promise<boolean> {
    const time = createDeadline(placeMs, host, signal);
    time.run();
    try {
      const leave = await gate.enter(host, requestsPerHost, time.signal);
      leave();
      return true;
    } catch {
      return false;
    } finally {
      time.end();
    }
  }
}

/** Each URL once. */
function byHost(files: readonly DueFile[]): ReadonlyMap<string, readonly DueFile[]> {
  const hosts = new Map<string, DueFile[]>();
  for (const file of new Map(files.map((file) => [file.url, file])).values()) {
    const host = hostOf(file.url);
    const its = hosts.get(host);
    if (its) its.push(file);
    else hosts.set(host, [file]);
  }
  return hosts;
}
