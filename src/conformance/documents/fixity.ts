import { createHash } from 'node:crypto';

/** Lengths and digests of what is really there, against what was said of it. */

const algorithms: Readonly<Record<string, string>> = {
  md5: 'md5',
  'sha-1': 'sha1',
  'sha-256': 'sha256',
  'sha-384': 'sha384',
  'sha-512': 'sha512',
};

export interface Measured {
  /** Bytes. */
  readonly length: number;
  /** The first of the stated hashes that does not fit, if any; unknown algorithms always fit. */
  readonly wrongHash: string | undefined;
}

/** @param hash a `hash` attribute, or undefined to count only */
export async function measure(body: AsyncIterable<Uint8Array>, hash: string | undefined): Promise<Measured> {
  const stated = (hash ?? '').trim().split(/\s+/);
  const digests = stated.flatMap((token) => {
    const [name = '', digest = ''] = token.split(':');
    const algorithm = algorithms[name];
    return algorithm === undefined ? [] : [{ token, digest, hasher: createHash(algorithm) }];
  });
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    for (const { hasher } of digests) hasher.update(chunk);
  }
  const wrong = digests.find(({ digest, hasher }) => hasher.digest('hex') !== digest.toLowerCase());
  return { length, wrongHash: wrong?.token };
}
