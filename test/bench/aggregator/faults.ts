import { performance } from 'node:perf_hooks';
import type { Installation } from './installation.ts';

interface Fault {
  readonly what: string;
  /** Shares of the time that all of them have. */
  readonly begins: number;
  readonly ends: number;
  /** Seconds. */
  readonly longest: number;
  begin(installation: Installation): void | Promise<void>;
  end(installation: Installation): void | Promise<void>;
}

const all: readonly Fault[] = [
  {
    what: 'a process that works is killed',
    begins: 0.03,
    ends: 0.1,
    longest: 15,
    begin: (one) => one.signal('work 1', 'SIGKILL'),
    end: (one) => one.run('work 1'),
  },
  {
    what: 'the other one stands still',
    begins: 0.15,
    ends: 0.36,
    longest: 120,
    begin: (one) => one.signal('work 2', 'SIGSTOP'),
    end: (one) => one.signal('work 2', 'SIGCONT'),
  },
  {
    what: 'a network between a process that works and the database swallows everything',
    begins: 0.42,
    ends: 0.6,
    longest: 90,
    begin: (one) => one.network.silence(),
    end: (one) => one.network.heal(),
  },
  {
    what: 'PostgreSQL crashes, and is started again',
    begins: 0.66,
    ends: 0.69,
    longest: 10,
    begin: (one) => one.stopDatabase(),
    end: (one) => one.startDatabase(),
  },
  {
    what: 'the object storage is away',
    begins: 0.76,
    ends: 0.9,
    longest: 60,
    begin: (one) => one.objects?.interrupt(),
    end: (one) => one.objects?.resume(),
  },
];

/** What goes wrong while others go on, one after the other. */
export class Faults {
  readonly #installation: Installation;
  readonly #seconds: number;
  readonly #began = performance.now();
  readonly #left: Fault[] = [...all];
  #present: Fault | undefined;
  readonly said: string[] = [];

  constructor(installation: Installation, seconds: number) {
    this.#installation = installation;
    this.#seconds = seconds;
  }

  /** Called once a second, about. */
  async look(): Promise<void> {
    const now = (performance.now() - this.#began) / 1000;
    const present = this.#present;
    if (present) {
      const begun = present.begins * this.#seconds;
      if (now < Math.min(present.ends * this.#seconds, begun + present.longest)) return;
      this.#present = undefined;
      await present.end(this.#installation);
      this.said.push(`${present.what}: ${Math.round(begun)} to ${Math.round(now)} s`);
      return;
    }
    const next = this.#left[0];
    if (!next || now < next.begins * this.#seconds) return;
    this.#left.shift();
    this.#present = next;
    await next.begin(this.#installation);
  }

  /** Everything is in order again; what there was no time for is said. */
  async end(): Promise<void> {
    await this.#present?.end(this.#installation);
    if (this.#present) this.said.push(`${this.#present.what}: to the end`);
    this.#present = undefined;
    for (const { what } of this.#left) this.said.push(`${what}: not begun`);
  }
}
