import { RecentlyUsed } from '../../core/memory/recently-used.ts';
import type { ObjectStore } from '../../core/payloads/object-store.ts';
import { type ApartRow, objectKey, packedLengthOf } from './object-contents.ts';
import { getPatiently } from './patient-get.ts';

/** What copies in memory take, of each process: they go with it, and with them whatever was withdrawn since. */
const copiesBytes = 33_554_432;
/** Longer ones would leave no room for others. */
const longestCopy = 1_048_576;

/** Copies of what was read of late, by name; one name never has other bytes. */
class Copies {
  readonly #copies = new RecentlyUsed<string, Uint8Array>(copiesBytes);
  readonly #underWay = new Map<string, Promise<Uint8Array | undefined>>();
  readonly #store: ObjectStore;

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  /** Once for all who wait for it. */
  async read(key: string, length: number): Promise<Uint8Array | undefined> {
    const known = this.#copies.get(key);
    if (known) return known;
    const underWay = this.#underWay.get(key) ?? this.#fetch(key, length);
    this.#underWay.set(key, underWay);
    return underWay.finally(() => this.#underWay.delete(key));
  }

  forget(key: string): void {
    this.#copies.delete(key);
  }

  async #fetch(key: string, length: number): Promise<Uint8Array | undefined> {
    const found = await getPatiently(this.#store, key);
    if (found?.length !== length) {
      found?.body.destroy();
      return undefined;
    }
    const bytes = Buffer.alloc(length);
    let came = 0;
    for await (const chunk of found.body) came += (chunk as Buffer).copy(bytes, came);
    if (bytes.byteLength <= longestCopy) this.#copies.add(key, bytes, bytes.byteLength);
    return bytes;
  }
}

const copies = new WeakMap<ObjectStore, Copies>();

function copiesOf(store: ObjectStore): Copies {
  const known = copies.get(store);
  if (known) return known;
  const made = new Copies(store);
  copies.set(store, made);
  return made;
}

/**
 * A payload as it lies deflated in the object storage; what was read of late comes from memory.
 * @returns undefined when it is not there, or has another length
 * @throws BridgeError `objects-unavailable`, `objects-refused`: nothing is known of it then
 */
export function readPacked(store: ObjectStore, row: ApartRow): Promise<Uint8Array | undefined> {
  return copiesOf(store).read(objectKey(row), packedLengthOf(row) ?? 0);
}

/** What came was not what its hash says: it is read again the next time. */
export function forgetPacked(store: ObjectStore, row: ApartRow): void {
  copiesOf(store).forget(objectKey(row));
}
