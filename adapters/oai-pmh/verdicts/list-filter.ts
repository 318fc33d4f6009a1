import { parseDatestamp } from '../../../src/core/datetime.ts';
import type { EndpointHabits } from '../endpoint/endpoint-habits.ts';
import { mayHold, type Window } from '../windows/window.ts';
import type { CutRecord } from '../wire/record-parser.ts';
import { DistinctRecords } from './distinct-records.ts';

/**
 * Whether records belong to the list that was asked for. Servers forget set and dates behind the first page
 * (quirk 11), or do not know `until` at all; but a header may also state other sets and another date than those
 * the server selects by (quirk 48), so only a list whose first page was all inside can fall out of itself.
 */
export class ListFilter {
  readonly #collection: string | undefined;
  readonly #window: Window;
  readonly #habits: EndpointHabits;
  /** Which were left out, so that a circle of them is found out. */
  readonly #dropped: DistinctRecords;
  #datesLost = false;
  #setsTell = true;
  #datesTell = true;
  #outside = 0;
  #inside = 0;

  constructor(collection: string | undefined, window: Window, habits: EndpointHabits, lists: number) {
    this.#collection = collection;
    this.#window = window;
    this.#habits = habits;
    this.#dropped = new DistinctRecords(lists);
  }

  /** Different records, those that were left out among them; undefined: more than were counted. */
  countWith({ size: kept }: DistinctRecords): number | undefined {
    const { size: dropped } = this.#dropped;
    return kept === undefined || dropped === undefined ? undefined : kept + dropped;
  }

  /** What the server has forgotten for good is left out by us. */
  get drops(): boolean {
    return this.#dropped.size !== 0;
  }

  /** Takes note of a record of the first page. */
  learn(record: CutRecord): void {
    if (!this.inSet(record)) this.#setsTell = false;
    const inWindow = this.#inWindow(record);
    if (inWindow === false) {
      this.#habits.learnOtherDates();
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

  /** Behind the first page. @throws FilterLost as long as there may be a way to have it remembered */
  keeps(record: CutRecord): boolean {
    const lost = this.#lost(record);
    if (lost === 'set' && !this.#habits.setFilterLost) throw new FilterLost('set');
    if (lost === 'dates' && !this.#datesLost) throw new FilterLost('dates');
    if (lost !== undefined) this.#dropped.add(record.identifier);
    return lost === undefined;
  }

  /** Nothing makes the server remember it. */
  settleFor(lost: 'set' | 'dates'): void {
    if (lost === 'set') this.#habits.learnSetFilterLost();
    else this.#datesLost = true;
  }

  /** What of the request the server has forgotten by this record. */
  #lost(record: CutRecord): 'set' | 'dates' | undefined {
    if (this.#setsTell && !this.inSet(record)) return 'set';
    const datesTell = this.#datesTell && this.#inside > 0 && !this.#habits.headersTellOtherDates;
    return datesTell && this.#inWindow(record) === false ? 'dates' : undefined;
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
