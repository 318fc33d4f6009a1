import { parseDatestamp } from '../../src/core/datetime.ts';
import type { CutRecord } from './record-parser.ts';
import { mayHold, type Window } from './window.ts';

/**
 * Whether records belong to the list that was asked for. Servers forget set and dates behind the first page
 * (quirk 11), or do not know `until` at all; but a header may also state other sets and another date than those
 * the server selects by (quirk 48), so only a list whose first page was all inside can fall out of itself.
 */
export class ListFilter {
  readonly #collection: string | undefined;
  readonly #window: Window;
  #setsTell = true;
  #datesTell = true;
  #outside = 0;
  #inside = 0;

  constructor(collection: string | undefined, window: Window) {
    this.#collection = collection;
    this.#window = window;
  }

  /** Takes note of a record of the first page. */
  learn(record: CutRecord): void {
    if (!this.inSet(record)) this.#setsTell = false;
    const inWindow = this.#inWindow(record);
    if (inWindow === false) {
      this.#datesTell = false;
      this.#outside += 1;
    } else if (inWindow) this.#inside += 1;
  }

  startAgain(): void {
    this.#setsTell = true;
    this.#datesTell = true;
    this.#outside = 0;
    this.#inside = 0;
  }

  /** Behind the first page. @returns what of the request the server has forgotten by this record */
  lost(record: CutRecord): 'set' | 'dates' | undefined {
    if (this.#setsTell && !this.inSet(record)) return 'set';
    return this.#datesTell && this.#inside > 0 && this.#inWindow(record) === false ? 'dates' : undefined;
  }

  /** The first page had records, and some were not of the window. */
  get windowIgnored(): boolean {
    return this.#outside > 0;
  }

  /** True also where the header says nothing of sets (quirk 63), or of a set below the one asked for. */
  inSet({ setSpecs }: CutRecord): boolean {
    const set = this.#collection;
    if (set === undefined || setSpecs.length === 0) return true;
    return setSpecs.some((spec) => spec === set || spec.startsWith(`${set}:`));
  }

  #inWindow({ datestamp }: CutRecord): boolean | undefined {
    const { from, until } = this.#window;
    const iso = from === undefined && until === undefined ? undefined : parseDatestamp(datestamp);
    return iso === undefined ? undefined : mayHold(this.#window, iso);
  }
}

/** Thrown while a response is read: the server has forgotten what the list was to hold. */
export class FilterLost extends Error {
  readonly what: 'set' | 'dates';

  constructor(what: 'set' | 'dates') {
    super(what);
    this.what = what;
  }
}

/** Thrown likewise: no way is left to have it keep to its window. */
export class WindowIgnored extends Error {}
