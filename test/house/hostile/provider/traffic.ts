/** One request as it arrived. */
export interface Arrival {
  /** Of the provider's clock, in milliseconds. */
  readonly at: number;
  readonly method: string;
  /** Path and query as they came. */
  readonly url: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Requests under way when it came, itself included. */
  readonly underWay: number;
}

/** Remembers everything that was asked, so that politeness can be judged. */
export class Traffic {
  readonly arrivals: Arrival[] = [];
  /** Requests that came before the time that the server had named. */
  readonly impatient: Arrival[] = [];
  readonly #places: number;
  #underWay = 0;
  #notBefore = 0;
  #onTheirWay = 0;

  /** @param places how many at a time may have been sent before the answer that names a time was read */
  constructor(places: number) {
    this.#places = places;
  }

  get most(): number {
    return Math.max(0, ...this.arrivals.map(({ underWay }) => underWay));
  }

  get underWay(): number {
    return this.#underWay;
  }

  arrive(arrival: Omit<Arrival, 'underWay'>): Arrival {
    this.#underWay += 1;
    const complete = { ...arrival, underWay: this.#underWay };
    this.arrivals.push(complete);
    if (arrival.at < this.#notBefore) {
      if (this.#onTheirWay > 0) this.#onTheirWay -= 1;
      else this.impatient.push(complete);
    }
    return complete;
  }

  leave(): void {
    this.#underWay -= 1;
  }

  /** From now on for so long nobody should come: said with 429 or 503. */
  closeFor(seconds: number, at: number): void {
    if (at >= this.#notBefore) this.#onTheirWay = this.#places - 1;
    this.#notBefore = Math.max(this.#notBefore, at + seconds * 1000);
  }

  /** Of one verb. */
  of(verb: string): readonly Arrival[] {
    return this.arrivals.filter(({ query }) => query.get('verb') === verb);
  }

  clear(): void {
    this.arrivals.length = 0;
    this.impatient.length = 0;
  }
}
