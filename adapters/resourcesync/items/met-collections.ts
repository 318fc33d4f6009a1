import type { Collection } from '../../../src/core/adapter.ts';
import { isBridgeError } from '../../../src/core/errors.ts';
import type { Statement } from '../../../src/resourcesync/reading/statement.ts';
import { beginningOf, type SourcePort } from '../../../src/resourcesync/source-port.ts';
import { isHopeless } from '../reading/hopeless.ts';
import { collectionKey } from './house-address.ts';
import { hrefs } from './role.ts';

const mostCollections = 10_000;
const longestPage = 1024 * 1024;

/** Collections that entries link to. What other bridges call them is on the page behind the link, as JSON. */
export class MetCollections {
  /** Addresses by key. */
  readonly #met = new Map<string, string>();
  readonly #asked = new Set<string>();

  note(statement: Statement): void {
    for (const href of hrefs(statement, 'collection')) {
      const key = collectionKey(href);
      // An address that is nobody's key is one of which we know nothing.
      if (key !== href && this.#met.size < mostCollections) this.#met.set(key, href);
    }
  }

  /** They may be called something else by now. */
  askAgain(): void {
    this.#asked.clear();
  }

  /** Those with a name that were not asked for before. */
  async *named(port: SourcePort): AsyncGenerator<Collection> {
    for (const [spec, href] of this.#met) {
      if (this.#asked.has(spec)) continue;
      this.#asked.add(spec);
      const described = await describe(href, port);
      if (described !== undefined) yield { spec, ...described };
    }
  }
}

/** @throws BridgeError where the next one would fare no better */
async function describe(href: string, port: SourcePort): Promise<Omit<Collection, 'spec'> | undefined> {
  try {
    const response = await port.get(href, 'resource', { accept: 'application/json' });
    const text = await beginningOf(response, longestPage);
    if (response.status !== 200) return undefined;
    const { name, description } = JSON.parse(text) as { name?: unknown; description?: unknown };
    if (typeof name !== 'string' || name === '') return undefined;
    return { name, ...(typeof description === 'string' && { description }) };
  } catch (error) {
    if (isBridgeError(error) && isHopeless(error)) throw error;
    return undefined;
  }
}
