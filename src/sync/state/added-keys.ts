/** Bits; touched as keys come. Of three million keys one in a hundred others is taken for one of them. */
const size = 2 ** 26;
const slashCode = 0x2f;

/** Tells of most texts that they were not added, in little memory and without asking a database (a Bloom filter). */
export class AddedKeys {
  readonly #bits = new Uint32Array(size / 32);

  add(key: string): void {
    this.#add(hashOf(key));
  }

  /** With slashes; what it lies in is added with a slash behind it. */
  addPath(path: string): void {
    let hash = empty;
    for (let at = 0; at < path.length; at += 1) {
      const code = path.charCodeAt(at);
      hash = next(hash, code);
      if (code === slashCode) this.#add(hash);
    }
    this.#add(hash);
  }

  /** False: it was not added. True: it was, or looks like one that was. */
  mayHave(key: string): boolean {
    return this.#mayHave(hashOf(key));
  }

  /** The same of a file or a folder. */
  mayHavePath(path: string): boolean {
    const hash = hashOf(path);
    return this.#mayHave(hash) || this.#mayHave(next(hash, slashCode));
  }

  #add(hash: number): void {
    this.#set(first(hash));
    this.#set(second(hash));
  }

  #mayHave(hash: number): boolean {
    return this.#isSet(first(hash)) && this.#isSet(second(hash));
  }

  #set(bit: number): void {
    this.#bits[bit >>> 5] = (this.#bits[bit >>> 5] ?? 0) | (1 << (bit & 31));
  }

  #isSet(bit: number): boolean {
    return ((this.#bits[bit >>> 5] ?? 0) & (1 << (bit & 31))) !== 0;
  }
}

/** FNV-1a, of UTF-16 code units. */
const empty = 0x811c9dc5 | 0;

function next(hash: number, code: number): number {
  return Math.imul(hash ^ code, 0x01000193);
}

function hashOf(key: string): number {
  let hash = empty;
  for (let at = 0; at < key.length; at += 1) hash = next(hash, key.charCodeAt(at));
  return hash;
}

function first(hash: number): number {
  return (hash ^ (hash >>> 15)) & (size - 1);
}

function second(hash: number): number {
  return Math.imul(hash, 0x9e3779b1) >>> 6;
}
