import type { CopiedChange, Telling } from '../sinks/copied-change.ts';

/** Changes that were told and are not taken yet: so many at a time. */
export class ToldChanges {
  readonly #telling: Telling | undefined;
  readonly #waiting = new Map<string, Promise<void>>();
  #failure: { readonly error: unknown } | undefined;

  /** @param telling undefined: nobody wants to know */
  constructor(telling: Telling | undefined) {
    this.#telling = telling;
  }

  /** Somebody wants to know. */
  get isHeard(): boolean {
    return this.#telling !== undefined;
  }

  /**
   * Whatever follows from it is done when the change was taken.
   * @param changed made where somebody wants to know
   * @param failed it was not taken; where it throws, the run ends
   */
  async tell(
    changed: () => CopiedChange,
    taken: () => void,
    failed: (error: unknown) => void,
  ): Promise<void> {
    const telling = this.#telling;
    if (telling === undefined) {
      taken();
      return;
    }
    const change = changed();
    // Of one resource one after the other.
    await this.#waiting.get(change.loc);
    this.#throwFailure();
    const told = telling
      .tell(change)
      .then(taken, failed)
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#waiting.delete(change.loc));
    this.#waiting.set(change.loc, told);
    if (telling.atOnce <= 1) await told;
    else while (this.#waiting.size >= telling.atOnce) await Promise.race(this.#waiting.values());
    this.#throwFailure();
  }

  /** Until all of them are taken. */
  async settle(): Promise<void> {
    if (this.#waiting.size > 0) {
      await this.#telling?.quiet?.();
      await Promise.all(this.#waiting.values());
    }
    this.#throwFailure();
  }

  #throwFailure(): void {
    if (this.#failure) throw this.#failure.error;
  }
}
