import type { Clock } from '../../../../src/core/adapter.ts';
import { addSeconds, toHttpDate, toIso } from '../../../../src/core/datetime.ts';
import { OaiFault, pageForPeople } from './fault.ts';
import type { Misbehaviour } from './misbehaviour.ts';
import type { Arrival, Traffic } from './traffic.ts';

/** An answer that has nothing to do with the question. */
export interface Obstacle {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** What lies between a request and its answer. Counts requests for lists, from when it was put up. */
export class Obstacles {
  readonly #wrong: Misbehaviour;
  readonly #traffic: Traffic;
  readonly #elsewhere: string;
  #lists = 0;

  /** @param elsewhere another origin of the same provider, where nothing is redirected */
  constructor(wrong: Misbehaviour, traffic: Traffic, elsewhere: string) {
    this.#wrong = wrong;
    this.#traffic = traffic;
    this.#elsewhere = elsewhere;
  }

  /** Undefined: the question is answered. */
  before(arrival: Arrival, clock: Pick<Clock, 'now'>): Obstacle | undefined {
    return this.#redirect(arrival) ?? this.#refusal(arrival) ?? this.#failure(arrival, clock.now());
  }

  /** Whether the answer breaks off. */
  cutOff(arrival: Arrival): 'connection' | 'body' | undefined {
    return this.#isDue(arrival, this.#wrong.cutOffEvery) ? (this.#wrong.cutOff ?? 'connection') : undefined;
  }

  /** @throws OaiFault */
  inventedError(arrival: Arrival): void {
    if (this.#isDue(arrival, this.#wrong.inventedErrorEvery)) {
      throw new OaiFault('internalServerError', 'The index is being rebuilt.');
    }
  }

  #isDue(arrival: Arrival, every: number | undefined): boolean {
    return isList(arrival) && every !== undefined && this.#lists % every === 0;
  }

  #redirect({ url, headers }: Arrival): Obstacle | undefined {
    const { redirect } = this.#wrong;
    const here = !this.#elsewhere.endsWith(`//${headers.host}`);
    if (redirect === undefined || !here || !url.startsWith('/oai?')) return undefined;
    const query = url.slice('/oai'.length);
    const location = {
      'without query': `${this.#elsewhere}/oai`,
      'with query': `/repository/oai2${query}`,
      'illegal characters': `/my repository/{oai}|^${query}`,
    }[redirect];
    return { status: 301, headers: { location }, text: pageForPeople('Moved') };
  }

  #refusal({ method, url, headers }: Arrival): Obstacle | undefined {
    const { refusesPost, longestUrl, forbids } = this.#wrong;
    const page = (status: number, text: string) => ({ status, headers: {}, text: pageForPeople(text) });
    if (refusesPost === true && method === 'POST') return page(405, 'Method not allowed');
    if (longestUrl !== undefined && url.length > longestUrl) return page(414, 'URI too long');
    const named =
      /\S+\/\S+ \(harvester bot; \+\S+\)/.test(String(headers['user-agent'] ?? '')) &&
      headers.from !== undefined;
    if (forbids === 'everybody' || (forbids === 'strangers' && !named)) return page(403, 'Forbidden');
    return undefined;
  }

  #failure(arrival: Arrival, now: Date): Obstacle | undefined {
    if (!isList(arrival)) return undefined;
    this.#lists += 1;
    const wrong = this.#wrong;
    if (this.#isDue(arrival, wrong.busyEvery)) return this.#busy(503, 'Service Unavailable', arrival, now);
    if (this.#isDue(arrival, wrong.rateExceededEvery)) return this.#busy(429, 'Rate exceeded.', arrival, now);
    if (this.#isDue(arrival, wrong.failEvery)) return { status: 500, headers: {}, text: '' };
    if (this.#isDue(arrival, wrong.htmlEvery)) {
      return { status: 200, headers: {}, text: pageForPeople('Please sign in') };
    }
    if (wrong.scrollContexts !== undefined && this.#traffic.underWay > wrong.scrollContexts) {
      const text = `Trying to create too many scroll contexts. Must be less than or equal to: [${wrong.scrollContexts}].`;
      return { status: 500, headers: {}, text };
    }
    return undefined;
  }

  #busy(status: number, text: string, { at }: Arrival, now: Date): Obstacle {
    const { retryAfter } = this.#wrong;
    if (retryAfter === undefined) return { status, headers: {}, text };
    this.#traffic.closeFor(retryAfter.seconds, at);
    const date = toHttpDate(addSeconds(toIso(now), retryAfter.seconds));
    const header = retryAfter.as === 'date' ? date : String(retryAfter.seconds);
    return { status, headers: { 'retry-after': header }, text };
  }
}

function isList({ query }: Arrival): boolean {
  return /^List(?:Records|Identifiers)$/.test(query.get('verb') ?? '');
}
