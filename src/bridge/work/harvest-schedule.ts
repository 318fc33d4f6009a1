import type { Log } from '../../core/adapter.ts';
import type { Config } from '../../core/config/config.ts';
import { defaultSchedules } from '../../core/config/source-schema.ts';
import { spreadSources } from '../../core/time/spread.ts';
import { createScheduler, type Scheduler } from '../../harvest/scheduler.ts';

/** When each source is read, by the configuration that it follows. */
export interface HarvestSchedule {
  /** By these schedules from now on. */
  follow(config: Pick<Config, 'sources'>): void;
  /** When a source is harvested next; undefined: never, as far as its schedule goes. */
  nextRun(source: string): Date | undefined;
  /** No harvest begins after this; resolves when those under way have ended. */
  stop(): Promise<void>;
}

export interface HarvestJobs {
  harvest(source: string, options: { mode: 'full' | 'incremental' }): Promise<void>;
  compare(source: string): Promise<void>;
}

/** Sources are opened when it is their turn: a thousand of them have connections to nobody yet. */
export function createHarvestSchedule(log: Log, jobs: HarvestJobs): HarvestSchedule {
  let scheduler: Scheduler | undefined;
  const ended: Promise<void>[] = [];
  return {
    follow(config) {
      if (scheduler) ended.push(scheduler.stop());
      scheduler = createScheduler(log);
      addHarvests(scheduler, config, jobs);
      scheduler.start();
    },
    nextRun(source) {
      const times = ['incremental', 'full'].map((kind) => scheduler?.nextRun(`${kind} ${source}`));
      return times.filter((time) => time !== undefined).sort((a, b) => a.getTime() - b.getTime())[0];
    },
    stop: async () => {
      await Promise.all([...ended, scheduler?.stop()]);
    },
  };
}

function addHarvests(
  scheduler: Scheduler,
  { sources }: Pick<Config, 'sources'>,
  { harvest, compare }: HarvestJobs,
): void {
  const add = (
    kind: string,
    setting: 'schedule' | 'fullPass' | 'identifierPass',
    run: (name: string) => Promise<void>,
  ) => {
    const schedules = new Map<string, string>();
    for (const [name, { [setting]: cron }] of Object.entries(sources)) {
      if (cron !== false) schedules.set(name, cron);
    }
    const places = spreadSources(schedules, defaultSchedules[setting]);
    for (const [name, cron] of schedules) {
      scheduler.add({ name: `${kind} ${name}`, cron, place: places.get(name), run: () => run(name) });
    }
  };
  add('incremental', 'schedule', (name) => harvest(name, { mode: 'incremental' }));
  add('full', 'fullPass', (name) => harvest(name, { mode: 'full' }));
  add('identifiers', 'identifierPass', compare);
}
