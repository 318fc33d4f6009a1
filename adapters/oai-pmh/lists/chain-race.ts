import type { PlannedWindow } from '../windows/window-plan.ts';
import type { ChainPage } from './chain-page.ts';

/** What reads a window. */
export interface Reader<Entry> {
  pages(): AsyncGenerator<ChainPage<Entry>>;
}

interface Runner<Entry, R> {
  readonly planned: PlannedWindow;
  readonly reader: R;
  readonly pages: AsyncGenerator<ChainPage<Entry>>;
  pending: Promise<Arrival<Entry, R>>;
}

export interface Arrival<Entry, R> {
  readonly planned: PlannedWindow;
  readonly reader: R;
  readonly page: ChainPage<Entry>;
}

/** Windows that are read at the same time. Each is a page ahead of what was taken from it, and no more. */
export class ChainRace<Entry, R extends Reader<Entry>> {
  readonly #runners = new Map<PlannedWindow, Runner<Entry, R>>();

  get size(): number {
    return this.#runners.size;
  }

  start(planned: PlannedWindow, reader: R): void {
    const runner = { planned, reader, pages: reader.pages() } as Runner<Entry, R>;
    this.#runners.set(planned, runner);
    advance(runner);
  }

  /** A page of whichever window has one; they take turns. The window goes on at once, unless it is over. */
  async next(): Promise<Arrival<Entry, R>> {
    const arrival = await Promise.race([...this.#runners.values()].map(({ pending }) => pending));
    const runner = this.#runners.get(arrival.planned);
    this.#runners.delete(arrival.planned);
    if (runner !== undefined && arrival.page.outcome === undefined) {
      this.#runners.set(arrival.planned, runner);
      advance(runner);
    }
    return arrival;
  }

  /** Leaves what is not wanted any more, when it has finished its page. */
  keepOnly(wanted: (planned: PlannedWindow) => boolean): void {
    for (const [planned, { pages }] of this.#runners) {
      if (wanted(planned)) continue;
      this.#runners.delete(planned);
      pages.return(undefined).catch(() => undefined);
    }
  }

  /** Once their signal is aborted. */
  async end(): Promise<void> {
    for (const { pages } of this.#runners.values()) await pages.return(undefined).catch(() => undefined);
    this.#runners.clear();
  }
}

function advance<Entry, R>(runner: Runner<Entry, R>): void {
  const { planned, reader } = runner;
  runner.pending = runner.pages.next().then(async ({ value, done }) => {
    if (done === true) throw new Error('a list ended without saying how');
    await value.whole?.();
    return { planned, reader, page: value };
  });
  // Its failure belongs to whoever asks for it next, not to the process.
  runner.pending.catch(() => undefined);
}
