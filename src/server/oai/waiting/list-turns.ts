import { setTimeout as pause } from 'node:timers/promises';
import { Refusal } from '../../http/errors.ts';

/** Lists that are written at a time: of one client, and of all. Each holds a page of records in memory. */
const ofOneClient = 2;
const ofAll = 8;
const mostWaiting = 200;
const longestWaitMs = 20_000;
export const retryAfterSeconds = 30;

interface Waiting {
  readonly client: string;
  readonly begin: () => void;
}

/** Lets requests for lists come in turn: those that come too fast wait, and are refused only after that. */
export class ListTurns {
  readonly #underWay = new Map<string, number>();
  readonly #waiting: Waiting[] = [];
  #all = 0;

  /**
   * Runs `work` when it is its turn.
   * @param client whose request it is
   * @throws Refusal `not-ready` with the seconds to wait
   */
  async take<Result>(client: string, work: () => Promise<Result>): Promise<Result> {
    if (!this.#mayBegin(client)) await this.#wait(client);
    else this.#begin(client);
    try {
      return await work();
    } finally {
      this.#end(client);
    }
  }

  #mayBegin(client: string): boolean {
    return this.#all < ofAll && (this.#underWay.get(client) ?? 0) < ofOneClient;
  }

  #begin(client: string): void {
    this.#all += 1;
    this.#underWay.set(client, (this.#underWay.get(client) ?? 0) + 1);
  }

  #end(client: string): void {
    this.#all -= 1;
    const left = (this.#underWay.get(client) ?? 1) - 1;
    if (left > 0) this.#underWay.set(client, left);
    else this.#underWay.delete(client);
    const next = this.#waiting.findIndex((waiting) => this.#mayBegin(waiting.client));
    const [waiting] = next < 0 ? [] : this.#waiting.splice(next, 1);
    if (!waiting) return;
    this.#begin(waiting.client);
    waiting.begin();
  }

  async #wait(client: string): Promise<void> {
    if (this.#waiting.length >= mostWaiting) throw tooBusy();
    const over = new AbortController();
    const turn = new Promise<true>((resolve) => {
      const waiting = { client, begin: () => resolve(true) };
      this.#waiting.push(waiting);
      over.signal.addEventListener('abort', () => {
        const place = this.#waiting.indexOf(waiting);
        if (place >= 0) this.#waiting.splice(place, 1);
      });
    });
    const tooLong = pause(longestWaitMs, false, { signal: over.signal, ref: false }).catch(() => false);
    const isOurs = await Promise.race([turn, tooLong]);
    over.abort();
    if (!isOurs) throw tooBusy();
  }
}

function tooBusy(): Refusal {
  return notReady('too many lists are being harvested');
}

/** 503 with whole seconds: harvesters understand nothing else. */
export function notReady(message: string, seconds = retryAfterSeconds): Refusal {
  return new Refusal('not-ready', message, { 'retry-after': String(seconds) });
}
