import type { ContentFacts, StatedContent } from './content-digest.ts';
import { digestOf, type HashName } from './stated-hash.ts';

/** What RFC 9530 calls active. */
const names: Readonly<Record<string, HashName>> = { 'sha-256': 'sha-256', 'sha-512': 'sha-512' };

/**
 * The hashes that a server sends beside whole bytes: `Repr-Digest`, `Content-Digest` (RFC 9530). What is coded has
 * another digest than the bytes that come of it, and what is a part says nothing of the whole.
 */
export function servedHashes(status: number, headers: Readonly<Record<string, string>>): readonly string[] {
  const { 'content-encoding': coding = 'identity' } = headers;
  if (status !== 200 || coding.trim().toLowerCase() !== 'identity') return [];
  return [...hashesOf(headers['repr-digest']), ...hashesOf(headers['content-digest'])];
}

/** The only member that nearly all fields have: each answer brings one. */
const usual = /^sha-256=:([A-Za-z0-9+/]{43}=):$/;

function hashesOf(field: string | undefined): readonly string[] {
  if (field === undefined) return [];
  const [, only] = usual.exec(field) ?? [];
  if (only !== undefined) return [`sha-256:${Buffer.from(only, 'base64').toString('hex')}`];
  const members = field.matchAll(/(?:^|,)\s*([a-z0-9-]+)=:([A-Za-z0-9+/]+={0,2}):/g);
  return [...members].flatMap(([, given = '', value = '']) => {
    const name = Object.hasOwn(names, given) ? names[given] : undefined;
    const hash = Buffer.from(value, 'base64');
    return name !== undefined && hash.byteLength * 8 === Number(digestOf(name).slice(3))
      ? `${name}:${hash.toString('hex')}`
      : [];
  });
}

/** What is measured beside what is stated. */
export function withServed({ hashes, length }: StatedContent, served: readonly string[]): StatedContent {
  return { length, hashes: [...hashes, ...served] };
}

/** @returns why bytes are not those that were sent; undefined: they are, or nothing is known of that */
export function damageOnTheWay(served: readonly string[], facts: ContentFacts): string | undefined {
  const found = [facts.sha256, ...facts.otherHashes];
  const wrong = served.find((hash) => !found.includes(hash));
  return wrong && `it arrived damaged: its server says that its digest is ${wrong}`;
}
