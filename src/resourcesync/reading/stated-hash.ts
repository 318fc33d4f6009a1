import type { Report } from '../documents/report.ts';

/** By name, as `hash` has it: digits of the digest in hexadecimal, and what Node calls it. */
const algorithms = {
  'sha-512': { digits: 128, digest: 'sha512' },
  'sha-384': { digits: 96, digest: 'sha384' },
  'sha-256': { digits: 64, digest: 'sha256' },
  'sha-1': { digits: 40, digest: 'sha1' },
  md5: { digits: 32, digest: 'md5' },
} as const;

export type HashName = keyof typeof algorithms;

/** What hashes are called elsewhere. */
const otherNames: Readonly<Record<string, HashName>> = {
  sha512: 'sha-512',
  sha384: 'sha-384',
  sha256: 'sha-256',
  'sha-2': 'sha-256',
  sha1: 'sha-1',
  sha: 'sha-1',
  'md-5': 'md5',
};

/** One hash as nearly all are written. */
const usual = /^sha-256:[0-9a-f]{64}$/;
const hexadecimal = /^[0-9a-f]+$/i;
const base64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/**
 * The hashes of a `hash` attribute that can be compared, each as `sha-256:` and small hexadecimal digits. Base64 and
 * capital letters are understood (resync/resync#25), unknown algorithms are left out.
 */
export function statedHashes(attribute: string | undefined, report: Report): readonly string[] {
  if (attribute !== undefined && usual.test(attribute)) return [attribute];
  if (attribute === undefined || attribute.trim() === '') return [];
  return attribute
    .trim()
    .split(/\s+/)
    .flatMap((token) => readHash(token, report) ?? []);
}

/** Of `sha-256:…`; undefined for what is none that we know. */
export function hashNameOf(hash: string): HashName | undefined {
  const name = hash.slice(0, hash.indexOf(':'));
  return Object.hasOwn(algorithms, name) ? (name as HashName) : undefined;
}

/** What `createHash` calls it. */
export function digestOf(name: HashName): string {
  return algorithms[name].digest;
}

function readHash(token: string, report: Report): string | undefined {
  const colon = token.indexOf(':');
  const given = token.slice(0, Math.max(0, colon)).toLowerCase();
  const value = token.slice(colon + 1);
  const name = otherNames[given] ?? (Object.hasOwn(algorithms, given) ? (given as HashName) : undefined);
  if (name === undefined) {
    report(
      'RS-ATTR-08',
      `hash is ${token}, of an algorithm that is not known: it is not compared`,
      'warning',
    );
    return undefined;
  }
  const { digits } = algorithms[name];
  if (hexadecimal.test(value) && value.length === digits) return `${name}:${value.toLowerCase()}`;
  const decoded = base64.test(value) ? Buffer.from(value, 'base64') : undefined;
  if (decoded?.length !== digits / 2) {
    report('RS-ATTR-08', `hash is ${token}, which is no ${name}: it is not compared`);
    return undefined;
  }
  report('RS-ATTR-08', `hash is ${token}, in base64`);
  return `${name}:${decoded.toString('hex')}`;
}
