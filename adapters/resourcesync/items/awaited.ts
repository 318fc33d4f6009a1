import { randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** What is remembered as met: a file's entry lies near the entries of its item, as a rule. */
const remembered = 50_000;

/** Of more, a list of files behind all metadata, a part is looked for: another one in each pass. */
const mostAwaited = 100_000;

/**
 * Something in store counts as there if one of the entries of a list is met that may lie anywhere in it: a file, by its own
 * entry, where no metadata describes it any more; a file that its item states, by the metadata of the item. Only at the end
 * of the list it is known what was not met.
 */
export class Awaited {
  /** What counts on it, by what is awaited. */
  readonly #counting = new Map<string, Set<string>>();
  readonly #met = new Set<string>();
  readonly #most: number;
  readonly #pass = randomInt(2 ** 32);
  /** One of so many is looked for: a power of two. */
  #each = 1;

  /** @param most that is awaited at the same time */
  constructor(most = mostAwaited) {
    this.#most = most;
  }

  get isEmpty(): boolean {
    return this.#counting.size === 0;
  }

  /** The list has it. */
  meet(...awaited: readonly string[]): void {
    for (const one of awaited) {
      this.#counting.delete(one);
      this.#met.delete(one);
      this.#met.add(one);
    }
    for (const oldest of this.#met) {
      if (this.#met.size <= remembered) break;
      this.#met.delete(oldest);
    }
  }

  /** @param one who counts on these */
  await(one: string, awaited: readonly string[]): void {
    for (const each of awaited) {
      if (this.#met.has(each) || !this.#isLookedFor(each)) continue;
      const counting = this.#counting.get(each);
      if (counting) counting.add(one);
      else this.#counting.set(each, new Set([one]));
    }
    while (this.#counting.size > this.#most) {
      this.#each *= 2;
      for (const each of this.#counting.keys()) if (!this.#isLookedFor(each)) this.#counting.delete(each);
    }
  }

  #isLookedFor(awaited: string): boolean {
    return this.#each === 1 || crc32(awaited, this.#pass) % this.#each === 0;
  }

  /** What has not been met, by who counts on it. */
  left(): ReadonlyMap<string, readonly string[]> {
    const byOne = new Map<string, string[]>();
    for (const [awaited, counting] of this.#counting) {
      for (const one of counting) {
        const all = byOne.get(one);
        if (all) all.push(awaited);
        else byOne.set(one, [awaited]);
      }
    }
    return byOne;
  }
}
