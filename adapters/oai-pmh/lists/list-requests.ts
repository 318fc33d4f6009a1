import type { HttpResponse } from '../../../src/core/adapter.ts';
import { readEagerly } from '../endpoint/eager-response.ts';
import type { RequestArguments } from '../endpoint/request.ts';
import type { Level } from '../tokens/token-company.ts';
import type { ChainState } from '../windows/checkpoint.ts';
import type { Pass } from '../windows/passes.ts';
import type { Granularity, Window } from '../windows/window.ts';
import type { Listing } from './listing.ts';

/** How a request was made, so that it is known what was refused. */
interface Manner {
  readonly raw: boolean;
  readonly company: Level;
  readonly form: Granularity | 'none';
}

/** The requests of one chain, the one that is on its way before it is wanted included. */
export class ListRequests<Entry> {
  readonly #listing: Listing<Entry>;
  readonly #pass: Pass;
  readonly #signal: AbortSignal;
  #ahead: Promise<HttpResponse> | undefined;
  #manner: Manner;

  constructor(listing: Listing<Entry>, pass: Pass, signal: AbortSignal) {
    this.#listing = listing;
    this.#pass = pass;
    this.#signal = signal;
    this.#manner = this.#presentManner();
  }

  /** How the last one was made. */
  get manner(): Manner {
    return this.#manner;
  }

  /** The next one is on its way. */
  get underWay(): boolean {
    return this.#ahead !== undefined;
  }

  sendAhead(state: ChainState): void {
    this.#ahead = this.#send(state).then((response) => readEagerly(response));
    this.#ahead.catch(() => undefined);
  }

  /** The answer to the one that is on its way, or to a new one. */
  answer(state: ChainState): Promise<HttpResponse> {
    const answer = this.#ahead ?? this.#send(state);
    this.#ahead = undefined;
    return answer;
  }

  /** Nobody will read what is on its way. */
  leave(): void {
    void this.#ahead?.then((response) => response.discard()).catch(() => undefined);
  }

  #send({ token, window }: ChainState): Promise<HttpResponse> {
    const { endpoint, verb, encoding, company, dates } = this.#listing;
    const { format, collection } = this.#pass;
    const list = { metadataPrefix: format, set: collection, ...dates.arguments(window) };
    this.#manner = this.#presentManner();
    // The token is exclusive, unless the server was found to need more.
    const given = token === undefined ? list : { ...company.arguments(list), resumptionToken: token };
    return endpoint.request(verb, given, this.#signal, { rawToken: encoding.raw });
  }

  #presentManner(): Manner {
    const { encoding, company, dates } = this.#listing;
    return { raw: encoding.raw, company: company.level, form: dates.form };
  }
}

/** What was refused, and what is sent instead. */
export function describeRefusal<Entry>(
  { dates }: Listing<Entry>,
  window: Window,
  refused: RequestArguments,
  reason: string,
): string {
  const next = describeDates(dates.arguments(window));
  const instead = next === '' ? 'everything is listed' : `${next} is used`;
  return `${describeDates(refused)} was refused (${reason}); ${instead}.`;
}

function describeDates({ from, until }: RequestArguments): string {
  return [from && `from=${from}`, until && `until=${until}`].filter(Boolean).join(' and ');
}
