import { randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Statement } from '../../../src/resourcesync/reading/statement.ts';
import { hrefs } from './role.ts';

/** Addresses that are remembered as met: a file's entry lies near the entries of its item, as a rule. */
const remembered = 50_000;

/** Of more, a list of files behind all metadata, a part is looked for: another one in each pass. */
const mostAwaited = 100_000;

/**
 * Files in store that the metadata of their items does not describe. Their own entries may lie anywhere in the list, so
 * only at its end it is known which of them are gone.
 */
export class AwaitedFiles {
  /** Identifiers of items by the address of the file. */
  readonly #owners = new Map<string, Set<string>>();
  readonly #met = new Set<string>();
  readonly #most: number;
  readonly #pass = randomInt(2 ** 32);
  /** One of so many is looked for: a power of two. */
  #each = 1;

  /** @param most files that are awaited at the same time */
  constructor(most = mostAwaited) {
    this.#most = most;
  }

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
      if (this.#met.has(url) || !this.#isLookedFor(url)) continue;
      const owners = this.#owners.get(url);
      if (owners) owners.add(identifier);
      else this.#owners.set(url, new Set([identifier]));
    }
    while (this.#owners.size > this.#most) {
      this.#each *= 2;
      for (const url of this.#owners.keys()) if (!this.#isLookedFor(url)) this.#owners.delete(url);
    }
  }

  #isLookedFor(url: string): boolean {
    return this.#each === 1 || crc32(url, this.#pass) % this.#each === 0;
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
