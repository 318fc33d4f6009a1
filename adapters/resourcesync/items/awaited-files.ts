import type { Statement } from '../../../src/resourcesync/reading/statement.ts';
import { hrefs } from './role.ts';

/** Addresses that are remembered as met: a file's entry lies near the entries of its item, as a rule. */
const remembered = 50_000;

/**
 * Files in store that the metadata of their items does not describe. Their own entries may lie anywhere in the list, so
 * only at its end it is known which of them are gone.
 */
export class AwaitedFiles {
  /** Identifiers of items by the address of the file. */
  readonly #owners = new Map<string, Set<string>>();
  readonly #met = new Set<string>();

  get isEmpty(): boolean {
    return this.#owners.size === 0;
  }

  /** What the list has: the address of the entry, and those that it describes. */
  meet(statement: Statement): void {
    if (statement.change === 'deleted') return;
    for (const url of [statement.loc, ...hrefs(statement, 'describes')]) {
      this.#owners.delete(url);
      this.#met.delete(url);
      this.#met.add(url);
    }
    for (const oldest of this.#met) {
      if (this.#met.size <= remembered) break;
      this.#met.delete(oldest);
    }
  }

  await(identifier: string, urls: readonly string[]): void {
    for (const url of urls) {
      if (this.#met.has(url)) continue;
      const owners = this.#owners.get(url);
      if (owners) owners.add(identifier);
      else this.#owners.set(url, new Set([identifier]));
    }
  }

  /** Addresses that have not been met, by item. */
  left(): ReadonlyMap<string, readonly string[]> {
    const byItem = new Map<string, string[]>();
    for (const [url, owners] of this.#owners) {
      for (const identifier of owners) {
        const urls = byItem.get(identifier);
        if (urls) urls.push(url);
        else byItem.set(identifier, [url]);
      }
    }
    return byItem;
  }
}
