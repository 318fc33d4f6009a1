import { earlier, later } from '../../core/datetime.ts';
import type { DocumentOpening } from '../reading/source-document.ts';
import type { Statement } from '../reading/statement.ts';
import type { Covered } from './change-coverage.ts';

/** Others write their lists late, and several changes in a second: so much is read again each time. */
export const overlapSeconds = 3_600;

/** A document of changes: its interval, and that of what is in it. */
export interface TimedChanges extends Covered {
  readonly newest: string | undefined;
}

/** The times of one document of changes, as it is read. */
export class ChangeTimes {
  readonly #from: string | undefined;
  readonly #until: string | undefined;
  readonly #fallback: string;
  #oldest: string | undefined;
  #newest: string | undefined;

  constructor({ times }: DocumentOpening, cursor: string) {
    this.#from = times.from;
    this.#until = times.until;
    this.#fallback = times.from ?? cursor;
  }

  /** Hyrax and ResourceSync 1.0 state no time of a change: then it is that of its bytes, or comes with what stands before it. */
  timeOf({ datetime, lastmod, change }: Statement): string {
    const stated = datetime ?? (change === 'deleted' ? undefined : lastmod);
    if (stated !== undefined) {
      this.#oldest = this.#oldest === undefined ? stated : earlier(this.#oldest, stated);
      this.#newest = latest(this.#newest, stated);
    }
    return stated ?? this.#until ?? this.#newest ?? this.#fallback;
  }

  covered(): TimedChanges {
    return { from: this.#from, until: this.#until, oldest: this.#oldest, newest: this.#newest };
  }
}

/** A closed document reaches to its end, an open one to its last change; neither behind the Source's own clock. */
export function reached(
  cursor: string,
  documents: readonly Pick<TimedChanges, 'until' | 'newest'>[],
  clock: string,
): string {
  let furthest = cursor;
  for (const { until, newest } of documents) {
    const end = until ?? newest;
    if (end !== undefined) furthest = later(furthest, earlier(end, clock));
  }
  return furthest;
}

export function latest(known: string | undefined, found: string | undefined): string | undefined {
  return known === undefined || found === undefined ? (known ?? found) : later(known, found);
}
