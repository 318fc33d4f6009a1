import { createHmac, timingSafeEqual } from 'node:crypto';

/** Of `X-Hub-Signature`, as WebSub names them; `sha1` is what two large public hubs have. */
const methods = ['sha1', 'sha256', 'sha384', 'sha512'] as const;

export type Signature = 'right' | 'weak' | 'wrong' | 'missing';

/** Whether a hub signed these bytes with the secret that it was given; `weak`: it did, by SHA-1. */
export function checkSignature(header: string | undefined, secret: string, body: Uint8Array): Signature {
  if (header === undefined || header.trim() === '') return 'missing';
  const [, method = '', digest = ''] = /^\s*(\w+)=([0-9a-f]+)\s*$/i.exec(header) ?? [];
  const known = methods.find((one) => one === method.toLowerCase());
  if (known === undefined) return 'wrong';
  const expected = createHmac(known, secret).update(body).digest();
  const given = Buffer.from(digest, 'hex');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return 'wrong';
  return known === 'sha1' ? 'weak' : 'right';
}
