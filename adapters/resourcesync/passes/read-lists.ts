import type { HttpResponse } from '../../../src/core/adapter.ts';
import { conditionsOf } from '../../../src/resourcesync/reading/remembered-documents.ts';
import type { SourcePort } from '../../../src/resourcesync/source-port.ts';

/**
 * The documents that a pass over everything was made of. A Source without Change Lists has not changed as long as each of
 * them is the same: then nothing of it need be read.
 */
export class ReadLists {
  /** When the pass had read them to their ends, by our clock; undefined: it has not. */
  readAt: string | undefined;
  /** Conditions by address; undefined: its server says nothing by which it could be told to be the same. */
  readonly #read = new Map<string, Readonly<Record<string, string>> | undefined>();

  readonly #named: readonly string[];

  /** @param named the lists of the set */
  constructor(named: readonly string[]) {
    this.#named = named;
  }

  /** Whether the set had these lists, and no others. */
  areOf(named: readonly string[]): boolean {
    return named.length === this.#named.length && named.every((uri, index) => uri === this.#named[index]);
  }

  /** The same way out, of which the documents are noted. */
  noting(port: SourcePort): SourcePort {
    return {
      get: async (uri, purpose, headers) => {
        const response = await port.get(uri, purpose, headers);
        if (purpose === 'document') this.#read.set(uri, conditionsOf(response));
        return response;
      },
    };
  }

  /** At the price of a short answer for each document; of none where one has changed, or cannot be asked. */
  async areSame(port: SourcePort): Promise<boolean> {
    const all = [...this.#read];
    if (all.length === 0 || all.some(([, conditions]) => conditions === undefined)) return false;
    for (const [uri, conditions] of all) {
      const response = await port.get(uri, 'document', conditions);
      await response.discard();
      if (!isSame(response, conditions)) return false;
    }
    return true;
  }
}

/** Some servers know no conditions, and say by the same `ETag` that it is the same. */
function isSame({ status, headers }: HttpResponse, conditions?: Readonly<Record<string, string>>): boolean {
  if (status === 304) return true;
  return status === 200 && headers.etag !== undefined && headers.etag === conditions?.['if-none-match'];
}
