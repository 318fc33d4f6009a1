import { createHash, randomBytes } from 'node:crypto';

/** 256 bits that nobody guesses, for an address, a cookie or a header. */
export function newSecret(prefix = ''): string {
  return `${prefix}${randomBytes(32).toString('base64url')}`;
}

/** What is kept of one. It is looked up by this, so nothing about it can be learnt from how long that takes. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}
