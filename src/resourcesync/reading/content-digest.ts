import { createHash, type Hash } from 'node:crypto';
import { digestOf, hashNameOf } from './stated-hash.ts';

/** What a content turned out to be. */
export interface ContentFacts {
  /** `sha-256:…` */
  readonly sha256: string;
  /** Of the other algorithms that are stated. */
  readonly otherHashes: readonly string[];
  readonly length: number;
}

export interface StatedContent {
  /** `md5:…`, `sha-256:…` */
  readonly hashes: readonly string[];
  readonly length: number | undefined;
}

/** Length and hashes of bytes that pass by: SHA-256 always, others where they are stated. */
export class ContentDigest {
  #length = 0;
  readonly #sha256 = createHash('sha256');
  readonly #others: readonly { readonly name: string; readonly hash: Hash }[];

  constructor(stated: StatedContent) {
    const names = new Set(stated.hashes.flatMap((hash) => hashNameOf(hash) ?? []));
    names.delete('sha-256');
    this.#others = [...names].map((name) => ({ name, hash: createHash(digestOf(name)) }));
  }

  get length(): number {
    return this.#length;
  }

  update(chunk: Uint8Array): void {
    this.#length += chunk.byteLength;
    this.#sha256.update(chunk);
    for (const { hash } of this.#others) hash.update(chunk);
  }

  /** To be called once. */
  finish(): ContentFacts {
    const otherHashes = this.#others.map(({ name, hash }) => `${name}:${hash.digest('hex')}`);
    return { sha256: `sha-256:${this.#sha256.digest('hex')}`, otherHashes, length: this.#length };
  }
}

/** @returns what is not as stated; undefined: everything is */
export function differenceFrom(stated: StatedContent, facts: ContentFacts): string | undefined {
  const found = [facts.sha256, ...facts.otherHashes];
  const wrong = stated.hashes.find((hash) => !found.includes(hash));
  if (wrong !== undefined) return `its content does not have the hash ${wrong}`;
  if (stated.length === undefined || stated.length === facts.length) return undefined;
  return `it has ${facts.length} octets, not the ${stated.length} that are stated`;
}
