/** So many calls of this process at one host at a time; others wait for their turn. */
export class HostTurns {
  readonly #most: number;
  readonly #busy = new Map<string, number>();
  readonly #waiting = new Map<string, (() => void)[]>();

  constructor(most: number) {
    this.#most = most;
  }

  async take(host: string): Promise<() => void> {
    const busy = this.#busy.get(host) ?? 0;
    if (busy < this.#most) this.#busy.set(host, busy + 1);
    else
      await new Promise<void>((resolve) => {
        this.#waiting.set(host, [...(this.#waiting.get(host) ?? []), resolve]);
      });
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#leave(host);
    };
  }

  #leave(host: string): void {
    const [next, ...others] = this.#waiting.get(host) ?? [];
    if (others.length > 0) this.#waiting.set(host, others);
    else this.#waiting.delete(host);
    if (next) {
      next();
      return;
    }
    const busy = (this.#busy.get(host) ?? 1) - 1;
    if (busy > 0) this.#busy.set(host, busy);
    else this.#busy.delete(host);
  }
}
