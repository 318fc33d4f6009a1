/** More are not counted: the memory is worth more than the count. */
const maximum = 100_000;

/** Which records of a list have come, over all attempts at it (quirk 18). */
export class DistinctRecords {
  readonly #maximum: number;
  #identifiers: Set<string> | undefined = new Set();

  /** @param lists how many lists are counted at a time */
  constructor(lists: number) {
    this.#maximum = maximum / lists;
  }

  add(identifier: string): void {
    if (identifier === '' || this.#identifiers === undefined) return;
    this.#identifiers.add(identifier);
    if (this.#identifiers.size > this.#maximum) this.#identifiers = undefined;
  }

  has(identifier: string): boolean {
    return this.#identifiers?.has(identifier) === true;
  }

  /** Undefined: there were too many, or some came before this process began. */
  get size(): number | undefined {
    return this.#identifiers?.size;
  }

  get identifiers(): Iterable<string> {
    return this.#identifiers ?? [];
  }

  giveUp(): void {
    this.#identifiers = undefined;
  }
}
