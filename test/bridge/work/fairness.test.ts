import { expect, test } from 'vitest';
import type { Plan } from '../../../src/bridge/work/due-plans.ts';
import { DueRunner, type Ending, type WorkSignals } from '../../../src/bridge/work/due-runner.ts';
import { spreadSources } from '../../../src/core/time/spread.ts';
import { turnsOf } from '../../../src/harvest/turns.ts';
import { openDatabase } from '../../../src/store/engine/database.ts';
import type { DueWork } from '../../../src/store/runs/due.ts';
import { migratedSqlite } from '../../house/store/databases.ts';

const second = 1000;
const minute = 60 * second;
const quarter = '*/15 * * * *';
/** As a process stores them, side by side with others. */
const recordsPerSecond = 1_000;
const pageOf = 1_000;
const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

interface Repository {
  readonly name: string;
  /** Records that are still to be read; then each harvest finds nothing new. */
  left: number;
  /** How long two requests take where there is nothing new. */
  readonly idleMs: number;
}

interface Harvest {
  readonly repository: Repository;
  readonly signals: WorkSignals;
  readonly end: (ending: Ending) => void;
  ended: boolean;
  until: number;
}

/** Sizes have a long tail: a few large ones have most of it. The largest is an aggregator of its own. */
function repositories(count: number): readonly Repository[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `r${index}`,
    left: index === 0 ? 5_000_000 : Math.round(500_000 / index ** 1.2),
    idleMs: (1 + (index % 7)) * second,
  }));
}

/** The runners of some processes in a time of its own: a step is ten seconds, whatever the machine does meanwhile. */
class Simulation {
  readonly waits = new Map<string, number>();
  readonly #harvests = new Set<Harvest>();
  readonly #runners: readonly DueRunner[];
  readonly #repositories: ReadonlyMap<string, Repository>;
  #now = Date.parse('2026-11-23T00:00:00Z');

  constructor(
    repositories: readonly Repository[],
    processes: number,
    database: ReturnType<typeof openDatabase>,
  ) {
    this.#repositories = new Map(repositories.map((one) => [one.name, one]));
    this.#runners = Array.from(
      { length: processes },
      (_, index) =>
        new DueRunner({
          ...{ database, log: { ...quiet, debug: (fields: object) => this.#note(fields) }, places: 8 },
          now: async () => this.#now,
          steady: () => this.#now,
          chance: () => 0.5,
          holder: `elsewhere/${index}/x`,
          perform: (work, signals) => this.#begin(work, signals),
        }),
    );
    const schedules = new Map(repositories.map(({ name }) => [name, quarter]));
    const plans = [...spreadSources(schedules, quarter)].map(([source, spread]): Plan => {
      const schedule = { ...spread, after: (moment: number) => turnsOf(quarter).after(moment) };
      return { source, kind: 'harvest', schedule, text: quarter };
    });
    for (const runner of this.#runners) runner.follow(plans);
  }

  #note(fields: object): void {
    const { source, lateMs } = fields as { source?: string; lateMs?: number };
    if (source && lateMs !== undefined) this.waits.set(source, Math.max(this.waits.get(source) ?? 0, lateMs));
  }

  #begin({ source }: DueWork, signals: WorkSignals): Promise<Ending> {
    const repository = this.#repositories.get(source) as Repository;
    return new Promise((end) => {
      this.#harvests.add({ repository, signals, end, ended: false, until: this.#now + repository.idleMs });
    });
  }

  async run(durationMs: number): Promise<void> {
    const step = 10 * second;
    for (const end = this.#now + durationMs; this.#now < end; this.#now += step) {
      for (const harvest of this.#harvests) this.#read(harvest, step);
      for (const runner of this.#runners) await runner.look();
    }
  }

  /** A page ends where it may be left; what is read is not read again. */
  #read(harvest: Harvest, step: number): void {
    const { repository, signals, end } = harvest;
    const pages = Math.min(Math.ceil(repository.left / pageOf), (recordsPerSecond * step) / second / pageOf);
    repository.left = Math.max(0, repository.left - pages * pageOf);
    const isDone = repository.left === 0 && this.#now >= harvest.until;
    if (!isDone && !signals.yield.aborted) return;
    this.#harvests.delete(harvest);
    end(isDone ? 'done' : 'yielded');
  }

  async stop(): Promise<void> {
    const ends = this.#runners.map((runner) => runner.stop());
    for (const { end } of this.#harvests) end('put-off');
    await Promise.all(ends);
  }
}

async function simulate(processes: number, sources: number, hours: number) {
  const { config, drop } = migratedSqlite();
  const database = openDatabase(config);
  const all = repositories(sources);
  const simulation = new Simulation(all, processes, database);
  try {
    await simulation.run(hours * 60 * minute);
    const waits = [...simulation.waits].sort(([, a], [, b]) => b - a);
    return { waits, all, read: simulation.waits.size };
  } finally {
    await simulation.stop();
    await database.close();
    await drop();
  }
}

test('of 800 sources, one of them with five million records, none waits longer than its period', {
  timeout: 600_000,
}, async () => {
  const { waits, all, read } = await simulate(2, 800, 0.75);
  expect(read).toBe(800);
  const [longest] = waits;
  expect(longest?.[1], `${longest?.[0]} waited`).toBeLessThan(15 * minute);
  // It was read all the while, too.
  expect(all[0]?.left).toBeLessThan(5_000_000 - 0.5 * 45 * 60 * recordsPerSecond);
});

test('giants on every place leave it to those who wait', { timeout: 600_000 }, async () => {
  const { config, drop } = migratedSqlite();
  const database = openDatabase(config);
  const all = [
    ...Array.from({ length: 12 }, (_, index) => ({ name: `giant${index}`, left: 5_000_000, idleMs: second })),
    ...Array.from({ length: 100 }, (_, index) => ({ name: `small${index}`, left: 0, idleMs: 3 * second })),
  ];
  const simulation = new Simulation(all, 1, database);
  try {
    await simulation.run(40 * minute);
    for (const { name, left } of all) {
      if (name.startsWith('small')) expect(simulation.waits.get(name), name).toBeLessThan(5 * minute);
      // Each of them gets its turn.
      else expect(left, name).toBeLessThan(5_000_000);
    }
  } finally {
    await simulation.stop();
    await database.close();
    await drop();
  }
});
