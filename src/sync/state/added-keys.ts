/** Bits; touched as keys come. Of three million keys one in a hundred others is taken for one of them. */
const size = 2 ** 26;
const rememberedFolders = 1_000;

/** Tells of most texts that they were not added, in little memory and without asking a database (a Bloom filter). */
export class AddedKeys {
  readonly #bits = new Uint32Array(size / 32);
  /** Some of those that were added with what is in them. */
  readonly #folders = new Set<string>();

  add(key: string): void {
    const hash = hashOf(key);
    this.#set(first(hash));
    this.#set(second(hash));
  }

  /** With slashes; what it lies in is added with a slash behind it. */
  addPath(path: string): void {
    this.add(path);
    for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
      const folder = path.slice(0, slash + 1);
      if (this.#folders.has(folder)) return;
      if (this.#folders.size >= rememberedFolders) this.#folders.clear();
      this.#folders.add(folder);
      this.add(folder);
    }
  }

  /** False: it was not added. True: it was, or looks like one that was. */
  mayHave(key: string): boolean {
    const hash = hashOf(key);
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
function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at += 1) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return hash;
}

function first(hash: number): number {
  return (hash ^ (hash >>> 15)) & (size - 1);
}

function second(hash: number): number {
  return Math.imul(hash, 0x9e3779b1) >>> 6;
}
