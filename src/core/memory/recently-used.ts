interface Entry<Value> {
  readonly value: Value;
  readonly size: number;
  /** Since something was last forgotten past it. */
  isUsed: boolean;
}

/**
 * What is used again and again, as much of it as there is room for. What was not used while others came goes first; the newest
 * stays, however large it is.
 *
 * Use moves nothing: a `Map` in which each use moves its entry to the end is made anew after a few dozen, and each of these tables
 * leads to the next, so that V8, once one of them is old, keeps all that come after it until it collects the whole heap.
 */
export class RecentlyUsed<Key, Value> {
  readonly #entries = new Map<Key, Entry<Value>>();
  readonly #room: number;
  #taken = 0;

  /** @param room for all of them together, in the measure of their sizes */
  constructor(room: number) {
    this.#room = room;
  }

  /** How many there are. */
  get count(): number {
    return this.#entries.size;
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    entry.isUsed = true;
    return entry.value;
  }

  /** @returns the keys of those that were forgotten to make room for it */
  add(key: Key, value: Value, size = 1): readonly Key[] {
    this.delete(key);
    this.#entries.set(key, { value, size, isUsed: false });
    this.#taken += size;
    return this.#makeRoomFor(key);
  }

  delete(key: Key): void {
    this.#taken -= this.#entries.get(key)?.size ?? 0;
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
    this.#taken = 0;
  }

  #makeRoomFor(newest: Key): readonly Key[] {
    const forgotten: Key[] = [];
    for (const [key, entry] of this.#entries) {
      if (this.#taken <= this.#room || this.#entries.size === 1) break;
      if (entry.isUsed || key === newest) {
        entry.isUsed = false;
        this.#entries.delete(key);
        this.#entries.set(key, entry);
      } else {
        this.delete(key);
        forgotten.push(key);
      }
    }
    return forgotten;
  }
}
