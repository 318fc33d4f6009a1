import { canonicalQuery, encodeStrictly } from './signature.ts';

/** Where the objects of a bucket are. */
export interface BucketAddress {
  /** Of requests: the host has the bucket's name in front, or the path begins with it. */
  readonly base: URL;
  urlOf(key: string, query?: Readonly<Record<string, string>>): URL;
  /** Of the bucket itself. */
  bucketUrl(query: Readonly<Record<string, string>>): URL;
  /** A name as the bucket has it, with the prefix. */
  fullKey(key: string): string;
  /** @returns undefined for what is not below our prefix */
  ownKey(fullKey: string): string | undefined;
}

export interface BucketSettings {
  readonly endpoint: string;
  readonly bucket: string;
  readonly prefix: string;
  readonly pathStyle: boolean;
}

export function bucketAddress({ endpoint, bucket, prefix, pathStyle }: BucketSettings): BucketAddress {
  const base = new URL(endpoint);
  const trunk = base.pathname.replace(/\/+$/, '');
  if (!pathStyle) base.hostname = `${bucket}.${base.hostname}`;
  const root = pathStyle ? `${trunk}/${encodeStrictly(bucket)}` : trunk;
  const inside = prefix.replace(/^\/+|\/+$/g, '');
  const before = inside === '' ? '' : `${inside}/`;

  function address(path: string, query: Readonly<Record<string, string>>): URL {
    const url = new URL(base);
    url.pathname = path === '' ? '/' : path;
    url.search = canonicalQuery(Object.entries(query));
    return url;
  }

  return {
    base,
    fullKey: (key) => before + key,
    ownKey: (fullKey) => (fullKey.startsWith(before) ? fullKey.slice(before.length) : undefined),
    urlOf: (key, query = {}) =>
      address(`${root}/${(before + key).split('/').map(encodeStrictly).join('/')}`, query),
    bucketUrl: (query) => address(root, query),
  };
}
