/**
 * 64 bits that stand for a URI: sets of millions are kept as numbers. By chance two of two million URIs share them
 * once in ten million runs; the worst that follows is a wrong finding.
 */
export const locHash = { high: 0, low: 0 };

/** Leaves its result in `locHash`, for an object per URI would cost more than the hashing. */
export function hashLoc(loc: string): void {
  let high = 0x811c9dc5;
  let low = 0xcbf29ce4;
  for (let index = 0; index < loc.length; index += 1) {
    const code = loc.charCodeAt(index);
    high = Math.imul(high ^ code, 0x01000193);
    low = Math.imul(low ^ code, 0x5bd1e995);
    low ^= low >>> 15;
  }
  locHash.high = mix(high ^ low);
  locHash.low = mix(low + 0x9e3779b9);
}

function mix(value: number): number {
  let mixed = value;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
