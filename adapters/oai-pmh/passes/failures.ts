/** Without any good answer in between. */
const maximumInRow = 8;
/** Without a single record; windows without any are good answers, too. */
const maximumWithoutRecords = 100;

/** How much in vain it is to go on narrowing: one bad record fails now and then, a broken repository always. */
export class Failures {
  #first: unknown;
  #inRow = 0;
  #withoutRecords = 0;

  add(error: unknown): void {
    this.#first ??= error;
    this.#inRow += 1;
    this.#withoutRecords += 1;
  }

  answered(records: number): void {
    this.#inRow = 0;
    if (records > 0) {
      this.#withoutRecords = 0;
      this.#first = undefined;
    }
  }

  get hopeless(): boolean {
    return this.#inRow > maximumInRow || this.#withoutRecords > maximumWithoutRecords;
  }

  /** What began it; later ones may only be its consequences. */
  get first(): unknown {
    return this.#first;
  }
}
