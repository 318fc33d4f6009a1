/** After a failure, nothing was asked for so long: what fails now is another matter. */
const pauseMs = 60_000;

interface Trouble {
  /** When it began, later by what the host asked us to wait. */
  since: number;
  last: number;
}

/** Since when hosts have answered nothing well, over all requests of one client. */
export class BrokenHosts {
  readonly #troubles = new Map<string, Trouble>();
  /** When each answered well last. */
  readonly #answers = new Map<string, number>();

  /**
   * @param started when the request was sent that has failed now
   * @returns for how long nothing has gone well
   */
  failed(host: string, started: number, now: number): number {
    const known = this.#troubles.get(host);
    // Behind the others, so that the first one is the oldest.
    this.#troubles.delete(host);
    const trouble = known === undefined || started - known.last > pauseMs ? { since: now, last: now } : known;
    trouble.last = now;
    this.#troubles.set(host, trouble);
    forgetOldest(this.#troubles);
    return now - trouble.since;
  }

  /** The host asked for so much patience: that does not count. */
  asked(host: string, milliseconds: number): void {
    const trouble = this.#troubles.get(host);
    if (trouble === undefined) return;
    trouble.since += milliseconds;
    trouble.last += milliseconds;
  }

  answered(host: string, now: number): void {
    this.#troubles.delete(host);
    this.#answers.delete(host);
    this.#answers.set(host, now);
    forgetOldest(this.#answers);
  }

  /** Whether it had just answered well when a request was sent. */
  answeredBefore(host: string, started: number): boolean {
    const last = this.#answers.get(host);
    return last !== undefined && started - last <= pauseMs;
  }
}

/** Links lead to any number of hosts. */
function forgetOldest(hosts: Map<string, unknown>): void {
  if (hosts.size <= 1000) return;
  for (const host of hosts.keys()) {
    hosts.delete(host);
    return;
  }
}
