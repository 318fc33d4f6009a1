const maximum = 200_000;

/** Records that came in two windows, because these share a granule: counted once (quirk 49). */
export class SharedBounds {
  readonly #identifiers = new Set<string>();
  /** False: what is not known here may have come all the same. */
  #exact: boolean;

  constructor(exact: boolean) {
    this.#exact = exact;
  }

  get exact(): boolean {
    return this.#exact;
  }

  /** @returns how many of a window's records another one has brought already */
  add(atBounds: ReadonlySet<string>): number {
    let shared = 0;
    for (const identifier of atBounds) {
      if (this.#identifiers.has(identifier)) shared += 1;
      else this.#identifiers.add(identifier);
    }
    if (this.#identifiers.size > maximum) {
      this.#identifiers.clear();
      this.#exact = false;
    }
    return shared;
  }
}
