import { createTask, validate } from 'node-cron';
import type { Log } from '../core/adapter.ts';
import { BridgeError, failure } from '../core/errors.ts';
import { type CronGroup, createCronGroup } from './cron-group.ts';

/** Runs jobs by cron expressions in UTC; a job that is still running is not started again. */
export interface Scheduler {
  add(job: ScheduledJob): void;
  /** When the job is due next; undefined for an unknown one. */
  nextRun(name: string): Date | undefined;
  start(): void;
  /** No job starts after this; resolves when the running ones have ended. */
  stop(): Promise<void>;
}

export interface ScheduledJob {
  readonly name: string;
  readonly cron: string;
  /** How much of the time between two turns of the clock it lets pass first: 0 and more and less than 1. */
  readonly place?: number | undefined;
  run(): Promise<void>;
}

const mute = () => undefined;

/** node-cron would write its own lines among ours, e.g. that it was late. */
const quiet = { debug: mute, info: mute, warn: mute, error: mute };

/** Jobs with the same expression share one clock: a thousand sources have three of them. */
export function createScheduler(log: Log, now: () => number = Date.now): Scheduler {
  const groups = new Map<string, CronGroup>();
  const groupOf = new Map<string, CronGroup>();
  const running = new Map<string, Promise<void>>();

  function start(job: ScheduledJob): void {
    if (running.has(job.name)) return;
    const execution = job
      .run()
      .catch((error: unknown) => log.error({ job: job.name, ...failure(error) }, 'scheduled job failed'))
      .finally(() => running.delete(job.name));
    running.set(job.name, execution);
  }

  function open(cron: string): CronGroup {
    const group = createCronGroup((tick) => createTask(cron, tick, { timezone: 'UTC', logger: quiet }), now);
    groups.set(cron, group);
    return group;
  }

  return {
    add(job) {
      checkCron(job.name, job.cron);
      const group = groups.get(job.cron) ?? open(job.cron);
      group.add({ name: job.name, place: job.place ?? 0, run: () => start(job) });
      groupOf.set(job.name, group);
    },
    nextRun: (name) => groupOf.get(name)?.nextRun(name),
    start() {
      for (const group of groups.values()) group.start();
    },
    async stop() {
      for (const group of groups.values()) group.stop();
      await Promise.all(running.values());
    },
  };
}

/** Expressions that have been looked at: a thousand sources share a few. */
const wellFormed = new Set<string>();

/** @throws BridgeError `config-invalid` naming the place */
export function checkCron(place: string, cron: string | false): void {
  if (cron === false || wellFormed.has(cron)) return;
  if (!validate(cron)) {
    throw new BridgeError(
      'config-invalid',
      `${place}: "${cron}" is not a schedule of cron; write five or six fields such as "*/15 * * * *" (every 15 minutes)`,
    );
  }
  wellFormed.add(cron);
}
