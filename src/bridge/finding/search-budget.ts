import { performance } from 'node:perf_hooks';
import { BridgeError } from '../../core/errors.ts';
import { createDeadline } from '../../harvest/http/deadline.ts';

/** Milliseconds. */
export interface SearchLimits {
  /** What waiting in vain may cost, all probes together: a host that answers, however slowly, costs nothing of it. */
  readonly total: number;
  /** For a mere guess. */
  readonly guess: number;
}

export const searchLimits: SearchLimits = { total: 18_000, guess: 8_000 };

const shortest = 100;

/** Somebody sits before the terminal: a host that takes connections and says nothing is given up. */
export class SearchBudget {
  #left: number;

  constructor(total: number) {
    this.#left = total;
  }

  /**
   * @param most for this alone
   * @throws BridgeError `upstream-unreachable` when the time is up, and whatever the work throws
   */
  async spend<Result>(
    url: string,
    most: number,
    outer: AbortSignal,
    work: (deadline: number, signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const time = Math.min(most, this.#left);
    const { host } = new URL(url);
    // In what is left then nobody answers, and to say of a host that it took longer than that would be unjust.
    if (time < shortest) throw new BridgeError('upstream-unreachable', `${host} did not answer in time`);
    const deadline = createDeadline(Math.ceil(time / 100) * 100, host, outer);
    const started = performance.now();
    deadline.run();
    try {
      return await work(time, deadline.signal);
    } catch (error) {
      this.#left -= performance.now() - started;
      throw error;
    } finally {
      deadline.end();
    }
  }
}
