/**
 * Ids without a table: those of bundles and bitstreams are made of the number of their item, and lead back to it.
 */
const factor = 0x9e3779b1;
const inverse = invert(factor);

function invert(odd: number): number {
  let value = odd;
  for (let round = 0; round < 5; round += 1) value = Math.imul(value, 2 - Math.imul(odd, value)) >>> 0;
  return value >>> 0;
}

const hex = (value: number, digits: number): string =>
  (value >>> 0).toString(16).padStart(8, '0').slice(-digits);

/** `ordinal` tells the parts of one item apart: 0 to 65535. */
export function partId(itemNumber: number, ordinal: number): string {
  const mixed = Math.imul(itemNumber, factor);
  const rest = Math.imul(mixed ^ Math.imul(ordinal + 1, 0x85ebca6b), 0xc2b2ae35);
  return `${hex(mixed, 8)}-${hex(ordinal, 4)}-4${hex(rest, 3)}-8${hex(rest >>> 12, 3)}-${hex(Math.imul(rest, factor), 8)}${hex(rest >>> 8, 4)}`;
}

/** The number of the item a part is of, whether or not there is one. */
export function itemNumberOf(partUuid: string): number {
  return Math.imul(Number.parseInt(partUuid.slice(0, 8), 16), inverse) >>> 0;
}

export type Random = () => number;

/** mulberry32: numbers from 0 up to 1, the same for the same seed. */
export function random(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A random UUID (v4), uniform in its first digits as DSpace's are. */
export function randomUuid(next: Random): string {
  const part = () => hex(Math.floor(next() * 4_294_967_296), 8);
  const [a, b, c, d] = [part(), part(), part(), part()];
  return `${a}-${b.slice(0, 4)}-4${b.slice(5)}-${'89ab'[Math.floor(next() * 4)]}${c.slice(1, 4)}-${c.slice(4)}${d}`;
}
