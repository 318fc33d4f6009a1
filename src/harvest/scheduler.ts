import { createTask, type ScheduledTask, validate } from 'node-cron';
import type { Log } from '../core/adapter.ts';
import { BridgeError, describeError } from '../core/errors.ts';

/** Runs jobs by cron expressions in UTC; a job that is still running is not started again. */
export interface Scheduler {
  add(job: ScheduledJob): void;
  /** When the job is due next, ISO; undefined for an unknown one. */
  nextRun(name: string): Date | undefined;
  start(): void;
  /** No job starts after this; resolves when the running ones have ended. */
  stop(): Promise<void>;
}

export interface ScheduledJob {
  readonly name: string;
  readonly cron: string;
  run(): Promise<void>;
}

const mute = () => undefined;

/** node-cron would write its own lines among ours, e.g. that it kept a job from overlapping itself. */
const quiet = { debug: mute, info: mute, warn: mute, error: mute };

export function createScheduler(log: Log): Scheduler {
  const tasks = new Map<string, ScheduledTask>();
  const running = new Set<Promise<void>>();

  function execute(job: ScheduledJob): Promise<void> {
    const execution = job
      .run()
      .catch((error: unknown) =>
        log.error({ job: job.name, reason: describeError(error) }, 'scheduled job failed'),
      )
      .finally(() => running.delete(execution));
    running.add(execution);
    return execution;
  }

  return {
    add(job) {
      checkCron(job.name, job.cron);
      tasks.set(
        job.name,
        createTask(job.cron, () => execute(job), {
          name: job.name,
          timezone: 'UTC',
          noOverlap: true,
          logger: quiet,
        }),
      );
    },
    nextRun(name) {
      return tasks.get(name)?.getNextRun() ?? undefined;
    },
    start() {
      for (const task of tasks.values()) void task.start();
    },
    async stop() {
      for (const task of tasks.values()) await task.destroy();
      await Promise.all(running);
    },
  };
}

/** @throws BridgeError `config-invalid` naming the place */
export function checkCron(place: string, cron: string | false): void {
  if (cron !== false && !validate(cron)) {
    throw new BridgeError('config-invalid', `${place}: "${cron}" is not a cron expression`);
  }
}
