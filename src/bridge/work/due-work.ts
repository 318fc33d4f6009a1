import { setTimeout as pause } from 'node:timers/promises';
import { failure } from '../../core/errors.ts';
import { quietTurns } from '../../harvest/quiet-turns.ts';
import { lookAtClock } from '../../store/runs/clock-ahead.ts';
import { addHolder, newHolder } from '../../store/runs/leases.ts';
import { listHarvestedSources } from '../../store/sources/sources.ts';
import { type Bridge, harvestsAtOnce } from '../bridge.ts';
import { type PlannedConfig, plansOf } from './due-plans.ts';
import { DueRunner, type RunnerDeps } from './due-runner.ts';

/** What is due, of all that is configured, as long as this process works. */
export interface DueAtWork {
  follow(config: PlannedConfig): void;
  /** Whether it is this process that publishes. */
  isPublisher(): boolean;
  /** Nothing begins after this; resolves when what is under way has ended. */
  stop(): Promise<void>;
}

export interface DueSettings extends Pick<RunnerDeps, 'perform'> {
  /** Whether sources that were never read to the end are read at once. */
  readonly newcomers: boolean;
}

const lookEveryMs = 1000;

export function startDueWork(bridge: Bridge, { perform, newcomers }: DueSettings): DueAtWork {
  const { database, log } = bridge;
  const holder = newHolder();
  addHolder(holder);
  let waking = new AbortController();
  const runner = new DueRunner({
    database,
    log,
    holder,
    perform,
    rest: async ({ source, kind }) => (kind === 'harvest' ? quietTurns(bridge, source) : 0),
    places: harvestsAtOnce,
    now: () => lookAtClock(database),
    steady: () => performance.now(),
    chance: Math.random,
    freed: () => waking.abort(),
    begun: newcomers ? () => listHarvestedSources(database.reader) : undefined,
  });
  const stopped = new AbortController();

  async function work(): Promise<void> {
    let failures = 0;
    while (!stopped.signal.aborted) {
      try {
        await runner.look();
        if (failures > 0) log.info({ failures }, 'what is due can be read again');
        failures = 0;
      } catch (error) {
        failures += 1;
        // As long as it lasts it is said once.
        log[failures === 1 ? 'error' : 'debug']({ ...failure(error) }, 'what is due cannot be read');
      }
      // Whoever waits for a place need not wait for the next look.
      await pause(lookEveryMs, undefined, { signal: waking.signal }).catch(() => undefined);
      waking = new AbortController();
    }
  }

  runner.follow(plansOf(bridge.config));
  const working = work();
  return {
    follow: (config) => runner.follow(plansOf(config)),
    isPublisher: () => runner.has({ source: '', kind: 'publication' }),
    stop: async () => {
      stopped.abort();
      waking.abort();
      // Renewing its leases is left to each piece of work now.
      await Promise.all([working, runner.stop()]);
    },
  };
}
