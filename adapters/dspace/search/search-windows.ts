import { eitherOf } from '../../../src/core/either-signal.ts';
import { fewest } from './page-size.ts';
import { clusterOf, roundedEnd, toPrefixes, type UuidRange, widthOf } from './uuid-range.ts';

/** A range of UUIDs that is asked for in one page. */
export interface SearchWindow extends UuidRange {
  readonly prefixes: readonly string[];
  /** Items that it was made for. */
  readonly size: number;
  /** The page size with which it, or what it is a part of, went wrong first; undefined: it did not. */
  readonly failedAt: number | undefined;
  /** No page of it goes well: its items are asked for one by one. */
  readonly isOneByOne: boolean;
}

export type WindowOutcome<Value> =
  | { readonly kind: 'read'; readonly value: Value; readonly rows: number }
  /** More than a page holds; `total` as far as it is known, and the UUIDs of some of them. */
  | { readonly kind: 'crowded'; readonly total: number; readonly some: readonly string[] }
  /** It took too long or broke: less may go well. */
  | { readonly kind: 'failed' }
  /** Something was learnt, and it is to be asked for anew. */
  | { readonly kind: 'again' };

export interface WindowReader<Value> {
  /** Items that a page should hold at most. */
  readonly size: number;
  /** Prefixes that a query may have. */
  readonly terms: number;
  readonly isOneByOne: boolean;
  read(window: SearchWindow, signal: AbortSignal): Promise<WindowOutcome<Value>>;
}

/** What is left of a range, nothing of which is on its way yet. */
interface Gap extends UuidRange {
  expected: number;
  /** How much wider than evenness has it its windows are to be: they turned out empty. */
  boost: number;
  readonly limit: number;
  readonly failedAt: number | undefined;
}

interface Slot<Value> {
  readonly window: SearchWindow;
  readonly expected: number;
  readonly from: Gap;
  outcome: Promise<WindowOutcome<Value>>;
}

export interface ReadWindow<Value> {
  readonly window: SearchWindow;
  readonly value: Value;
}

/** How full windows are made: what more they hold is chance, which for a page of 50 is 6 up or down. */
const fill = 0.75;
const precision = 2 ** 30;

/**
 * Cuts ranges of UUIDs into windows that fit into a page each, and reads them, some at a time, in their order: where
 * one turns out too full it is cut up, where many are empty the next ones are wider. Nothing but the windows on
 * their way is held.
 */
export class SearchWindows<Value> {
  readonly #queue: (Gap | Slot<Value>)[];
  readonly #reader: WindowReader<Value>;
  readonly #parallel: number;

  /** @param ranges in their order, with the items that are expected in each */
  constructor(
    ranges: readonly (UuidRange & { readonly expected: number })[],
    reader: WindowReader<Value>,
    parallel: number,
  ) {
    this.#reader = reader;
    this.#parallel = Math.max(1, parallel);
    this.#queue = ranges
      .filter(({ low, high }) => low < high)
      .map((range) => ({
        ...range,
        boost: 1,
        narrowed: 1,
        limit: Number.POSITIVE_INFINITY,
        failedAt: undefined,
      }));
  }

  async *read(signal: AbortSignal): AsyncGenerator<ReadWindow<Value>, void, undefined> {
    const leaving = new AbortController();
    const both = eitherOf(signal, leaving.signal);
    try {
      for (;;) {
        this.#launch(both);
        const head = this.#queue[0];
        if (head === undefined) return;
        // Always one is on its way first, because the first gap is what windows are made from.
        if (!('outcome' in head)) throw new Error('no window is on its way');
        const outcome = await head.outcome;
        signal.throwIfAborted();
        this.#queue.shift();
        if (outcome.kind === 'read') {
          this.#see(head, outcome.rows);
          // The next ones travel while this one is stored.
          this.#launch(both);
          yield { window: head.window, value: outcome.value };
        } else {
          this.#queue.unshift(...this.#remade(head, outcome));
        }
      }
    } finally {
      leaving.abort();
      await Promise.allSettled(this.#queue.map((entry) => ('outcome' in entry ? entry.outcome : undefined)));
    }
  }

  #launch(signal: AbortSignal): void {
    for (;;) {
      const slots = this.#queue.filter((entry) => 'outcome' in entry).length;
      const index = this.#queue.findIndex((entry) => !('outcome' in entry));
      const gap = this.#queue[index];
      if (gap === undefined || 'outcome' in gap) return;
      // One that was cut up is waited for, whatever is there behind it.
      if (slots >= this.#parallel && index > 0) return;
      const [slot, rest] = this.#cut(gap);
      slot.outcome = this.#reader.read(slot.window, signal);
      // Its failure belongs to whoever comes to it, not to the process.
      slot.outcome.catch(() => undefined);
      this.#queue.splice(index, 1, slot, ...(rest === undefined ? [] : [rest]));
    }
  }

  #cut(gap: Gap): [Slot<Value>, Gap | undefined] {
    const { low, high, expected, failedAt } = gap;
    const { terms } = this.#reader;
    const isOneByOne = this.#reader.isOneByOne || gap.limit < fewest;
    const size = Math.max(1, Math.min(this.#reader.size, isOneByOne ? Number.POSITIVE_INFINITY : gap.limit));
    const target = Math.max(1, size * fill);
    const parts = Math.max(1, Math.ceil(expected / target));
    const whole = widthOf(gap);
    const boost = BigInt(Math.round(Math.min(gap.boost, parts) * precision));
    const width = (whole * boost) / (BigInt(parts) * BigInt(precision));
    const end = parts === 1 ? high : roundedEnd(gap, width);
    const range = toPrefixes({ low, high: end }, terms);
    const share = expected * ratio(widthOf(range), whole);
    const window = { ...range, size, failedAt, isOneByOne };
    const slot = { window, expected: share, from: { ...gap } } as Slot<Value>;
    if (range.high >= high) return [slot, undefined];
    return [slot, { ...gap, low: range.high, expected: Math.max(0, expected - share) }];
  }

  /** The window again, as ranges of which more is known. */
  #remade({ window, expected, from }: Slot<Value>, outcome: WindowOutcome<Value>): readonly Gap[] {
    const { low, high, size, failedAt } = window;
    const gap = { low, high, expected, boost: 1, limit: from.limit, failedAt };
    if (outcome.kind === 'crowded') {
      this.#correct(expected - outcome.total, 1);
      return around(outcome.some, { ...gap, expected: Math.max(outcome.total, size + 1) });
    }
    if (outcome.kind === 'failed') {
      return [{ ...gap, limit: Math.floor(Math.min(size, from.limit) / 2), failedAt: failedAt ?? size }];
    }
    return [gap];
  }

  #see({ window, expected }: Slot<Value>, rows: number): void {
    const share = rows / Math.max(1, window.size * fill);
    const boost = rows === 0 ? 4 : share < 0.25 ? 1.5 : share < 0.5 ? 1.1 : undefined;
    this.#correct(expected - rows, boost);
  }

  /**
   * What was expected and did not come is further on.
   * @param boost undefined: windows are as full as they should be
   */
  #correct(missing: number, boost: number | undefined): void {
    const next = this.#queue.find((entry) => !('outcome' in entry));
    if (next === undefined || 'outcome' in next) return;
    next.expected = Math.max(0, next.expected + missing);
    next.boost = boost === undefined || boost === 1 ? 1 : next.boost * boost;
  }
}

/**
 * UUIDs that were not thrown by lot may all lie close together: what is around them is then for itself, and needs no
 * look closer than one.
 */
function around(some: readonly string[], gap: Gap): readonly Gap[] {
  const cluster = clusterOf(some);
  const low = cluster === undefined || cluster.low < gap.low ? gap.low : cluster.low;
  const high = cluster === undefined || cluster.high > gap.high ? gap.high : cluster.high;
  if ((high - low) * 16n > widthOf(gap)) return [gap];
  const parts = [
    { ...gap, high: low, expected: 0 },
    { ...gap, low, high },
    { ...gap, low: high, expected: 0 },
  ];
  return parts.filter((part) => part.low < part.high);
}

function ratio(part: bigint, whole: bigint): number {
  return Number(part) / Number(whole);
}
