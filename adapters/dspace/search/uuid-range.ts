/** A stretch of all UUIDs, taken for numbers: `low` belongs to it, `high` does not. */
export interface UuidRange {
  readonly low: bigint;
  readonly high: bigint;
}

const digits = 32;

export const allUuids: UuidRange = { low: 0n, high: 1n << 128n };

/** @param uuid in its usual form, in lower case */
export function toPosition(uuid: string): bigint {
  return BigInt(`0x${uuid.replaceAll('-', '')}`);
}

export function toUuid(position: bigint): string {
  return withDashes(position.toString(16).padStart(digits, '0'));
}

export function holds({ low, high }: UuidRange, uuid: string): boolean {
  const position = toPosition(uuid);
  return position >= low && position < high;
}

export function widthOf({ low, high }: UuidRange): bigint {
  return high - low;
}

/** A position as it is kept: hex digits without the zeros at the end; `end` behind the last UUID. */
export function toMark(position: bigint): string {
  if (position >= allUuids.high) return 'end';
  return position.toString(16).padStart(digits, '0').replace(/0+$/, '');
}

/** The inverse of `toMark`; undefined for anything else. */
export function fromMark(mark: unknown): bigint | undefined {
  if (mark === 'end') return allUuids.high;
  if (typeof mark !== 'string' || !/^[\da-f]{0,32}$/.test(mark)) return undefined;
  return BigInt(`0x${mark.padEnd(digits, '0')}`);
}

/** All UUIDs that begin with this hex digit. */
export function rangeOfDigit(digit: number): UuidRange {
  const width = allUuids.high >> 4n;
  return { low: BigInt(digit) * width, high: BigInt(digit + 1) * width };
}

export function firstDigit(uuid: string): number {
  return Number.parseInt(uuid.slice(0, 1), 16);
}

/** Prefixes of UUIDs, which together are a range. */
export interface PrefixedRange extends UuidRange {
  /** The empty prefix is everything. */
  readonly prefixes: readonly string[];
}

/**
 * As few prefixes as make up a range, from its beginning.
 * @param most where the range takes more, it ends earlier
 */
export function toPrefixes({ low, high }: UuidRange, most: number): PrefixedRange {
  const prefixes: string[] = [];
  let position = low;
  while (position < high && prefixes.length < most) {
    let free = 0;
    while (free < digits && fits(position, high, free + 1)) free += 1;
    const hex = position.toString(16).padStart(digits, '0');
    prefixes.push(withDashes(hex.slice(0, digits - free)));
    position += 1n << BigInt(4 * free);
  }
  return { low, high: position, prefixes };
}

/** Whether all UUIDs whose last `free` digits are anything lie between the two. */
function fits(position: bigint, high: bigint, free: number): boolean {
  const block = 1n << BigInt(4 * free);
  return (position & (block - 1n)) === 0n && position + block <= high;
}

/** A range around some UUIDs, that ends with few digits and is little wider than they are; undefined: too few. */
export function clusterOf(uuids: readonly string[]): UuidRange | undefined {
  const [first, ...others] = uuids.map(toPosition);
  if (first === undefined || others.length < 3) return undefined;
  let [low, high] = [first, first];
  for (const position of others) {
    if (position < low) low = position;
    if (position > high) high = position;
  }
  let block = 1n;
  while (block * 16n <= high - low) block *= 16n;
  return { low: low - (low % block), high: high - (high % block) + block };
}

/** Where a range of about this width ends: with few digits, so that few prefixes make it up. */
export function roundedEnd({ low, high }: UuidRange, width: bigint): bigint {
  const wanted = width < 1n ? 1n : width;
  if (low + wanted >= high) return high;
  let block = 1n;
  // An eighth of a window more or less is what its room for chance is for.
  while (block * 128n <= wanted) block *= 16n;
  const end = ((low + wanted + block / 2n) / block) * block;
  return end <= low ? low + wanted : end < high ? end : high;
}

/** `0123456789ab` → `01234567-89ab`. */
function withDashes(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)]
    .filter((part) => part !== '')
    .join('-');
}
