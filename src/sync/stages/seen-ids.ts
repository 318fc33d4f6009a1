/** Rows that a list has named: a bit for each, however many there are. */
export class SeenIds {
  #bits: Uint8Array;

  constructor(highest: number) {
    this.#bits = new Uint8Array((highest >> 3) + 1);
  }

  add(id: number): void {
    const at = id >> 3;
    if (at >= this.#bits.length) {
      const grown = new Uint8Array(Math.max(at + 1, this.#bits.length * 2));
      grown.set(this.#bits);
      this.#bits = grown;
    }
    this.#bits[at] = (this.#bits[at] ?? 0) | (1 << (id & 7));
  }

  has(id: number): boolean {
    return ((this.#bits[id >> 3] ?? 0) & (1 << (id & 7))) !== 0;
  }
}
