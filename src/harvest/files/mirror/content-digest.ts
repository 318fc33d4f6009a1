import { createHash, type Hash } from 'node:crypto';
import { crc32 } from 'node:zlib';

const algorithms: Readonly<Record<string, string>> = { md5: 'md5', 'sha-1': 'sha1', 'sha-256': 'sha256' };

/** Everything that is to be known of a content, computed as it passes by. */
export class ContentDigest {
  length = 0;
  crc = 0;
  readonly #sha = createHash('sha256');
  readonly #stated: string | undefined;
  readonly #other: Hash | undefined;

  /** @param stated `md5:…`, `sha-1:…` or `sha-256:…`; others cannot be compared */
  constructor(stated: string | undefined) {
    const algorithm = algorithms[stated?.split(':', 1)[0] ?? ''];
    this.#stated = algorithm === undefined ? undefined : stated;
    if (algorithm !== undefined && algorithm !== 'sha256') this.#other = createHash(algorithm);
  }

  update(chunk: Uint8Array): void {
    this.length += chunk.byteLength;
    this.crc = crc32(chunk, this.crc);
    this.#sha.update(chunk);
    this.#other?.update(chunk);
  }

  /** To be called once. */
  finish(): { readonly hash: string; readonly isAsStated: boolean } {
    const hash = `sha-256:${this.#sha.digest('hex')}`;
    const [algorithm = '', stated] = this.#stated?.split(':') ?? [];
    if (stated === undefined) return { hash, isAsStated: true };
    const found = this.#other ? `${algorithm}:${this.#other.digest('hex')}` : hash;
    return { hash, isAsStated: found === this.#stated };
  }
}
