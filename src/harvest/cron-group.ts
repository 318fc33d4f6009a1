import type { ScheduledTask } from 'node-cron';

/** Jobs with one cron expression, spread over the time between two turns of it. */
export interface CronGroup {
  add(job: SpreadJob): void;
  nextRun(name: string): Date | undefined;
  start(): void;
  stop(): void;
}

export interface SpreadJob {
  readonly name: string;
  readonly place: number;
  run(): void;
}

/** What is meant for the night is not spread over a week: nobody waits longer than this after the turn. */
const longestSpreadMs = 6 * 3_600_000;
const minuteMs = 60_000;

export function createCronGroup(
  createTask: (tick: () => void) => ScheduledTask,
  now: () => number,
): CronGroup {
  const jobs = new Map<string, SpreadJob>();
  const waiting = new Map<string, { readonly at: number; readonly timer: NodeJS.Timeout }>();
  const task = createTask(() => turn(currentTurn()));
  let next: readonly [number, number] | undefined;

  /** The next two turns; looking for them costs a fraction of a millisecond, which a thousand jobs share. */
  function nextTurns(after = now()): readonly [number, number] {
    if (next && next[0] > after) return next;
    // A timer may be a moment early: then the first of them is the turn that it is already.
    const times = task.getNextRuns(3).map((date) => date.getTime());
    const [first = 0, second = 0] = times.filter((time) => time > after);
    next = [first, second];
    return next;
  }

  function delayOf({ place }: SpreadJob, turnAt: number, following: number): number {
    return Math.floor((place * Math.min(following - turnAt, longestSpreadMs)) / 1000) * 1000;
  }

  function currentTurn(): number {
    return Math.round(now() / 1000) * 1000;
  }

  function turn(at: number): void {
    const [following] = nextTurns(at);
    for (const job of jobs.values()) wait(job, at + delayOf(job, at, following));
  }

  function wait(job: SpreadJob, at: number): void {
    if (waiting.has(job.name)) return;
    if (at <= now()) {
      job.run();
      return;
    }
    const timer = setTimeout(() => {
      waiting.delete(job.name);
      job.run();
    }, at - now());
    waiting.set(job.name, { at, timer });
  }

  /** Those whose time is still to come, of the last turn before we began: a restart costs nobody its turn. */
  function catchUp(): void {
    const spread = [...jobs.values()].filter(({ place }) => place > 0);
    const last = spread.length > 0 ? lastTurn() : undefined;
    if (last === undefined) return;
    const [following] = nextTurns();
    for (const job of spread) {
      const at = last + delayOf(job, last, following);
      if (at > now()) wait(job, at);
    }
  }

  function lastTurn(): number | undefined {
    const latest = Math.floor(now() / minuteMs) * minuteMs;
    for (let at = latest; at > latest - longestSpreadMs; at -= minuteMs) {
      if (task.match(new Date(at))) return at;
    }
    return undefined;
  }

  return {
    add: (job) => void jobs.set(job.name, job),
    nextRun(name) {
      const job = jobs.get(name);
      if (!job) return undefined;
      const [first, second] = nextTurns();
      return new Date(waiting.get(name)?.at ?? first + delayOf(job, first, second));
    },
    start() {
      void task.start();
      catchUp();
    },
    stop() {
      void task.destroy();
      for (const { timer } of waiting.values()) clearTimeout(timer);
      waiting.clear();
    },
  };
}
