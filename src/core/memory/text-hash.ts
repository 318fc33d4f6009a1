import { randomInt } from 'node:crypto';

/**
 * 64 bits that stand for a text: sets of millions are kept as numbers. By chance two of two million texts share them
 * once in ten million runs; numbers that each process has for itself make it hard to choose two that do.
 */
export const textHash = { high: 0, low: 0 };

const highSeed = 0x811c9dc5 ^ randomInt(2 ** 32);
const lowSeed = 0xcbf29ce4 ^ randomInt(2 ** 32);

/** Leaves its result in `textHash`, for an object per text would cost more than the hashing. */
export function hashText(text: string): void {
  let high = highSeed;
  let low = lowSeed;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, 0x01000193);
    low = Math.imul(low ^ code, 0x5bd1e995);
    low ^= low >>> 15;
  }
  textHash.high = mix(high ^ low);
  textHash.low = mix(low + 0x9e3779b9);
}

function mix(value: number): number {
  let mixed = value;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
