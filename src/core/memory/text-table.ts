import { hashText, textHash } from './text-hash.ts';

/**
 * A set of texts in the order of their coming, as 64 bits each; each has a position, from 0, for columns kept beside the
 * table. 16 to 32 bytes a text, outside of V8's heap.
 */
export class TextTable {
  #size = 0;
  #high = new Uint32Array(512);
  #low = new Uint32Array(512);
  /** Position + 1; 0 is a free slot. Twice as long as the columns, so that slots stay half empty. */
  #slots = new Uint32Array(1024);

  get size(): number {
    return this.#size;
  }

  /** @returns its position; when it equals the size there was before, the text is new */
  add(text: string): number {
    hashText(text);
    const { high, low } = textHash;
    const found = this.#slotOf(high, low);
    const position = this.#slots[found] ?? 0;
    if (position > 0) return position - 1;
    if (this.#size === this.#high.length) this.#grow();
    this.#high[this.#size] = high;
    this.#low[this.#size] = low;
    this.#slots[this.#slotOf(high, low)] = this.#size + 1;
    this.#size += 1;
    return this.#size - 1;
  }

  /** @returns its position; -1 when it is not there */
  find(text: string): number {
    hashText(text);
    return (this.#slots[this.#slotOf(textHash.high, textHash.low)] ?? 0) - 1;
  }

  /** The position in this table of what stands at a position of another; -1 when it is not here. */
  findOf(other: TextTable, position: number): number {
    return (this.#slots[this.#slotOf(other.#high[position] ?? 0, other.#low[position] ?? 0)] ?? 0) - 1;
  }

  #slotOf(high: number, low: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = low & mask; ; slot = (slot + 1) & mask) {
      const position = this.#slots[slot] ?? 0;
      if (position === 0) return slot;
      if (this.#high[position - 1] === high && this.#low[position - 1] === low) return slot;
    }
  }

  #grow(): void {
    const capacity = this.#high.length * 2;
    const high = new Uint32Array(capacity);
    const low = new Uint32Array(capacity);
    high.set(this.#high);
    low.set(this.#low);
    [this.#high, this.#low] = [high, low];
    this.#slots = new Uint32Array(capacity * 2);
    for (let position = 0; position < this.#size; position += 1) {
      this.#slots[this.#slotOf(high[position] ?? 0, low[position] ?? 0)] = position + 1;
    }
  }
}
