import { TextTable } from '../../../src/core/memory/text-table.ts';

/** More are not counted: the memory is worth more than the count. */
const maximum = 100_000;

/** Which records of a list have come, over all attempts at it (quirk 18); 2 MB at the most, and nothing for V8 to go through. */
export class DistinctRecords {
  readonly #maximum: number;
  #identifiers: TextTable | undefined = new TextTable();

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
    return this.#identifiers !== undefined && this.#identifiers.find(identifier) !== -1;
  }

  /** Whether each of them is in another list, as far as these are counted. */
  isWithin(other: DistinctRecords): boolean {
    const own = this.#identifiers;
    if (own === undefined) return true;
    const others = other.#identifiers;
    for (let position = 0; position < own.size; position += 1) {
      if (others === undefined || others.findOf(own, position) === -1) return false;
    }
    return true;
  }

  /** Undefined: there were too many, or some came before this process began. */
  get size(): number | undefined {
    return this.#identifiers?.size;
  }

  giveUp(): void {
    this.#identifiers = undefined;
  }
}
