import type { Database } from '../../store/engine/database.ts';
import { type Settled, settleDeliveries } from '../../store/push/deliveries.ts';

const gatherMs = 20;

/** Writes down what became of deliveries: many in one transaction, as they come within a moment. */
export class Settling {
  readonly #database: Database;
  readonly #holder: string;
  readonly #now: () => number;
  #waiting: {
    readonly settled: Settled;
    readonly done: (isLost: boolean) => void;
    readonly failed: (error: unknown) => void;
  }[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(database: Database, holder: string, now: () => number) {
    this.#database = database;
    this.#holder = holder;
    this.#now = now;
  }

  /** @returns whether the subscription is not held by this process any more */
  settle(settled: Settled): Promise<boolean> {
    return new Promise((done, failed) => {
      this.#waiting.push({ settled, done, failed });
      this.#timer ??= setTimeout(() => void this.#write(), gatherMs);
    });
  }

  async #write(): Promise<void> {
    this.#timer = undefined;
    const some = this.#waiting;
    this.#waiting = [];
    try {
      const all = some.map(({ settled }) => settled);
      const lost = await settleDeliveries(this.#database, this.#holder, all, this.#now());
      for (const { settled, done } of some) done(lost.has(settled.subscription.id));
    } catch (error) {
      for (const { failed } of some) failed(error);
    }
  }
}
