import { countOf } from '../../core/count-of.ts';

/** What a copy may come to; undefined: whatever there is. */
export interface QuotaLimits {
  readonly octets?: number | undefined;
  readonly resources?: number | undefined;
}

/** A resource on its way into the copy. `octets`: as stated; `instead`: those of its state that is held, undefined of a new one. */
export interface Wanted {
  readonly octets: number | undefined;
  readonly instead: number | undefined;
}

/** What a copy holds and what is on its way, against what it may come to. */
export class Quota {
  /** Resources that found no room in this run. */
  refused = 0;
  readonly #limits: QuotaLimits;
  #octets: number;
  #resources: number;

  /** @param held how many resources, and the octets that they come to */
  constructor(limits: QuotaLimits, held: { readonly count: number; readonly octets: number }) {
    this.#limits = limits;
    this.#octets = held.octets;
    this.#resources = held.count;
  }

  /** Octets that may still come beside what is on its way. */
  get room(): number {
    const { octets = Number.MAX_SAFE_INTEGER } = this.#limits;
    return Math.max(0, octets - this.#octets);
  }

  /**
   * Makes room for one that is about to come.
   * @returns what is to be told how many octets have come, undefined: none; undefined itself: there is no room
   */
  take({ octets = 0, instead }: Wanted): ((came: number | undefined) => void) | undefined {
    const isNew = instead === undefined;
    const { resources = Number.MAX_SAFE_INTEGER } = this.#limits;
    const room = this.room + (instead ?? 0);
    if (octets > room || room === 0 || (isNew && this.#resources >= resources)) {
      this.refused += 1;
      return undefined;
    }
    const change = octets - (instead ?? 0);
    this.#octets += change;
    if (isNew) this.#resources += 1;
    return (came) => {
      this.#octets += came === undefined ? -change : came - octets;
      if (isNew && came === undefined) this.#resources -= 1;
    };
  }

  /** It lay there already. */
  add(octets: number): void {
    this.#octets += octets;
    this.#resources += 1;
  }

  /** It was deleted. */
  giveBack(octets: number): void {
    this.#octets -= octets;
    this.#resources -= 1;
  }

  /** What to tell of it; undefined: everything had room. */
  get note(): string | undefined {
    if (this.refused === 0) return undefined;
    const { octets, resources } = this.#limits;
    const limits = [
      ...(octets === undefined ? [] : [`${countOf(octets, 'octet')} (--quota)`]),
      ...(resources === undefined ? [] : [`${countOf(resources, 'resource')} (--quota-resources)`]),
    ];
    return `there is no room for ${countOf(this.refused, 'resource')} in a copy of ${limits.join(' and ')}`;
  }
}
