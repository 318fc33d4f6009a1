/** JSON: a sample under way. */
export interface SampleState {
  readonly values: readonly string[];
  readonly total: number;
}

/**
 * At most `size` of any number of different values, each with the same chance (reservoir sampling): whoever can
 * afford only some of them comes past each of them in time, even if the first ones are hopeless.
 */
export class Sample {
  readonly #size: number;
  readonly #values: string[];
  #total: number;

  constructor(size: number, state: SampleState = { values: [], total: 0 }) {
    this.#size = size;
    this.#values = [...state.values];
    this.#total = state.total;
  }

  /** How many there were to choose from. */
  get total(): number {
    return this.#total;
  }

  add(value: string): void {
    if (this.#values.includes(value)) return;
    this.#total += 1;
    if (this.#values.length < this.#size) {
      this.#values.push(value);
      return;
    }
    const place = Math.floor(Math.random() * this.#total);
    if (place < this.#size) this.#values[place] = value;
  }

  values(): readonly string[] {
    return this.#values;
  }

  state(): SampleState {
    return { values: this.#values, total: this.#total };
  }
}
