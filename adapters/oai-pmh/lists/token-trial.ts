import type { TokenCompany } from '../tokens/token-company.ts';
import { isRefusal } from '../wire/trouble.ts';
import type { ListRequests } from './list-requests.ts';

/** The company of one chain's tokens: what its answers say about it (quirk 11). Each method tells whether to ask again. */
export class TokenTrial {
  readonly #company: TokenCompany;
  readonly #requests: Pick<ListRequests<unknown>, 'manner'>;

  constructor(company: TokenCompany, requests: Pick<ListRequests<unknown>, 'manner'>) {
    this.#company = company;
    this.#requests = requests;
  }

  /** The token was refused for its arguments, by the repository's own word. */
  refused(): boolean {
    return this.#company.refused(this.#sent);
  }

  /** Nothing came, or nothing new: with what was sent only to see if it helps, that is a refusal. */
  failed(): boolean {
    return this.#company.onTrial(this.#sent) && this.refused();
  }

  failedBy(error: unknown): boolean {
    return isRefusal(error) && this.failed();
  }

  /** Not one token has ever worked here: it may lack something beside it. */
  lacks(): boolean {
    return this.#company.unproven && this.refused();
  }

  lacksBy(error: unknown): boolean {
    return isRefusal(error) && this.lacks();
  }

  /** A page came with records in it that nobody asked for. */
  lost(): boolean {
    return this.#company.lost(this.#sent);
  }

  get #sent() {
    return this.#requests.manner.company;
  }
}
