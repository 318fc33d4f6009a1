import type { Problem } from '../../../src/core/adapter.ts';
import type { Listing } from './listing.ts';

/** What the operator should know of a list: logged at once, kept for the page that goes out next. */
export class QuirkReports {
  readonly #listing: Pick<Listing<unknown>, 'context' | 'endpoint'>;
  #problems: Problem[] = [];

  constructor(listing: Pick<Listing<unknown>, 'context' | 'endpoint'>) {
    this.#listing = listing;
  }

  add(problem: Problem): void {
    const { code, message: reason } = problem;
    const { context, endpoint } = this.#listing;
    context.log.warn({ url: endpoint.url, code, reason }, 'endpoint quirk');
    this.#problems.push(problem);
  }

  take(): readonly Problem[] {
    return this.#problems.splice(0);
  }
}
