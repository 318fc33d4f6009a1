import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { BridgeError } from '../../core/errors.ts';

/** N = 2^15 with r = 8: 32 MB, and about a tenth of a second. */
const [costBits, blockSize, parallel] = [15, 8, 1];
const mostBits = 20;
const keyBytes = 32;
/** Each takes its memory and a thread: more wait, and of those who wait not too many. */
const atOnce = 2;
const mostWaiting = 32;

export const shortestPassword = 8;
export const longestPassword = 1024;

/** @throws BridgeError `usage` where it is too short or too long */
export async function hashPassword(password: string): Promise<string> {
  if (password.length < shortestPassword || password.length > longestPassword)
    throw new BridgeError(
      'usage',
      `a password has ${shortestPassword} to ${longestPassword} characters; choose another one`,
    );
  const salt = randomBytes(16);
  const key = await derive(password, salt, costBits, blockSize, parallel);
  return [
    'scrypt',
    costBits,
    blockSize,
    parallel,
    salt.toString('base64url'),
    key.toString('base64url'),
  ].join('$');
}

/**
 * Takes as long where there is nothing to compare with: nobody learns which accounts there are.
 * @param stored undefined: there is no such account
 */
export async function isPassword(password: string, stored: string | undefined): Promise<boolean> {
  const [kind, bits, size, lanes, salt = '', key = ''] = (stored ?? nobodys).split('$');
  const expected = Buffer.from(key, 'base64url');
  if (kind !== 'scrypt' || Number(bits) > mostBits || expected.length !== keyBytes) return false;
  const given = password.slice(0, longestPassword);
  const found = await derive(
    given,
    Buffer.from(salt, 'base64url'),
    Number(bits),
    Number(size),
    Number(lanes),
  );
  return timingSafeEqual(found, expected) && stored !== undefined && password.length <= longestPassword;
}

const nobodys = ['scrypt', costBits, blockSize, parallel, 'AAAAAAAAAAAAAAAAAAAAAA', 'A'.repeat(43)].join('$');

let running = 0;
const waiting: (() => void)[] = [];

async function derive(password: string, salt: Buffer, bits: number, r: number, p: number): Promise<Buffer> {
  if (running >= atOnce) {
    if (waiting.length >= mostWaiting)
      throw new BridgeError('sign-in-busy', 'too many passwords are being checked at once');
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else running += 1;
  try {
    return await new Promise((resolve, reject) => {
      const cost = { N: 2 ** bits, r, p, maxmem: 256 * r * 2 ** bits };
      scrypt(password.normalize('NFKC'), salt, keyBytes, cost, (error, key) =>
        error ? reject(error) : resolve(key),
      );
    });
  } finally {
    const next = waiting.shift();
    // The place is handed on.
    if (next) next();
    else running -= 1;
  }
}
