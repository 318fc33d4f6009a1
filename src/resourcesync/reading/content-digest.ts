import { createHash, type Hash, hash } from 'node:crypto';
import { digestOf, type HashName, hashNameOf } from './stated-hash.ts';

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
    this.#others = otherNamesOf(stated).map((name) => ({ name, hash: createHash(digestOf(name)) }));
  }

  get length(): number {
    return this.#length;
  }

  update(chunk: Uint8Array): void {
    this.#length += chunk.byteLength;
    this.#sha256.update(chunk);
    for (const { hash: other } of this.#others) other.update(chunk);
  }

  /** To be called once. */
  finish(): ContentFacts {
    const otherHashes = this.#others.map(({ name, hash: other }) => `${name}:${other.digest('hex')}`);
    return { sha256: `sha-256:${this.#sha256.digest('hex')}`, otherHashes, length: this.#length };
  }
}

/** The same of bytes that are all here. */
export function factsOf(bytes: Uint8Array, stated: StatedContent): ContentFacts {
  const otherHashes = otherNamesOf(stated).map((name) => `${name}:${hash(digestOf(name), bytes)}`);
  return { sha256: `sha-256:${hash('sha256', bytes)}`, otherHashes, length: bytes.byteLength };
}

const none: readonly HashName[] = [];

function otherNamesOf({ hashes }: StatedContent): readonly HashName[] {
  if (hashes.every((one) => one.startsWith('sha-256:'))) return none;
  const names = new Set(hashes.flatMap((one) => hashNameOf(one) ?? []));
  names.delete('sha-256');
  return [...names];
}

/** @returns what is not as stated; undefined: everything is */
export function differenceFrom(stated: StatedContent, facts: ContentFacts): string | undefined {
  const found = [facts.sha256, ...facts.otherHashes];
  const wrong = stated.hashes.find((one) => !found.includes(one));
  if (wrong !== undefined) return `its content does not have the hash ${wrong}`;
  if (stated.length === undefined || stated.length === facts.length) return undefined;
  return `it has ${facts.length} octets, not the ${stated.length} that are stated`;
}
