import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { rounded } from './figures.ts';

/** Seconds that single calls have, whoever they ask. */
const callSeconds = 60;

/**
 * Time that each phase of a run has, so that every run ends with its figures. A first SIGTERM ends all waiting, and the
 * verdicts follow; a second one ends the run.
 */
export class Patience {
  readonly #over = new AbortController();
  readonly #look: () => Promise<void>;

  /** @param look called about once a second while something is waited for */
  constructor(look: () => Promise<void>) {
    this.#look = look;
    process.on('SIGTERM', () => {
      if (this.isOver) process.exit(1);
      this.#over.abort();
    });
    // Ctrl-C ends the processes that would be asked, too.
    process.once('SIGINT', () => process.exit(1));
  }

  get isOver(): boolean {
    return this.#over.signal.aborted;
  }

  async sleep(seconds: number): Promise<void> {
    await setTimeout(Math.max(0, seconds) * 1000, undefined, { signal: this.#over.signal }).catch(
      () => undefined,
    );
  }

  /** @returns after how many seconds it was so, undefined where it was not in so many */
  async until(seconds: number, isSo: () => Promise<boolean>): Promise<number | undefined> {
    const began = performance.now();
    const passed = () => (performance.now() - began) / 1000;
    while (!(await within(callSeconds, isSo()).catch(() => false))) {
      if (this.isOver || passed() > seconds) return undefined;
      await this.#look();
      await this.sleep(1);
    }
    return rounded(passed());
  }

  /** Calls it once a second for so long. A call that fails is left out. @returns how many failed */
  async eachSecond(seconds: number, work: (second: number) => Promise<void>): Promise<number> {
    const began = performance.now();
    const passed = () => (performance.now() - began) / 1000;
    let failed = 0;
    while (passed() < seconds && !this.isOver) {
      await within(callSeconds, work(Math.floor(passed()))).catch(() => {
        failed += 1;
      });
      await this.#look();
      await this.sleep(Math.floor(passed()) + 1 - passed());
    }
    return failed;
  }
}

/** @throws Error where it takes longer; what was begun goes on */
async function within<Result>(seconds: number, work: Promise<Result>): Promise<Result> {
  const late = new AbortController();
  const timer = setTimeout(seconds * 1000, undefined, { signal: late.signal }).then(() => {
    throw new Error(`not within ${seconds} s`);
  });
  try {
    return await Promise.race([work, timer]);
  } finally {
    timer.catch(() => undefined);
    late.abort();
  }
}
