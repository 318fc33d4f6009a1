import { deflateRawSync, inflateRawSync } from 'node:zlib';

/**
 * Bytes told as a difference from others, in the terms of RFC 3284: pieces that are copied from the base, and
 * additions between them. What repeats literally for 16 octets is copied, wherever it stands: between two versions
 * of a record nearly all of it, in documents of any size. (Deflate with the base as its dictionary looks back 32 kB
 * only, and spends octets on every 258 that are the same: `npm run bench version-bytes`.)
 *
 * A delta is: 1 octet, 1 where the additions are deflated; the octets of the instructions; the instructions; the
 * additions, one after the other. An instruction is the octets to add, the octets to copy then, and, if there are
 * any, where they begin, as the distance from where the copy before ended.
 */

const blockBytes = 16;
/** As far as deflate looks back. */
const dictionaryBytes = 32_768;
/** Fewer additions are not worth starting deflate for. */
const worthDeflating = 48;

/**
 * @param longest the delta may have so many octets
 * @returns undefined for a longer one
 */
export function makeDelta(base: Uint8Array, content: Uint8Array, longest: number): Uint8Array | undefined {
  if (longest <= 0) return undefined;
  const { instructions, additions, prefix } = compare(toBuffer(base), toBuffer(content));
  if (instructions.length > longest) return undefined;
  const deflated =
    additions.length < worthDeflating ? undefined : deflate(additions, dictionary(base, prefix));
  const isSmaller = deflated !== undefined && deflated.byteLength < additions.length;
  const head: number[] = [isSmaller ? 1 : 0];
  pushNumber(head, instructions.length);
  const delta = Buffer.concat([
    Buffer.from(head),
    Buffer.from(instructions),
    isSmaller ? deflated : additions,
  ]);
  return delta.byteLength > longest ? undefined : delta;
}

/**
 * @param length what the content is to have
 * @throws RangeError for what cannot be a delta of this base that makes so many octets
 */
export function applyDelta(base: Uint8Array, delta: Uint8Array, length: number): Uint8Array {
  const numbers = new Numbers(delta, 1, delta.byteLength);
  const begin = numbers.next();
  const from = numbers.position;
  const to = from + begin;
  const { added, prefix } = measure(base, new Numbers(delta, from, to), length);
  const rest = delta.subarray(to);
  const additions = delta[0] === 1 ? inflate(rest, dictionary(base, prefix), added) : rest;
  if (additions.byteLength !== added) throw new RangeError('a delta adds more or less than it says');
  const content = Buffer.allocUnsafe(length);
  const instructions = new Numbers(delta, from, to);
  let [filled, taken, position] = [0, 0, 0];
  while (instructions.hasNext) {
    const adds = instructions.next();
    content.set(additions.subarray(taken, taken + adds), filled);
    taken += adds;
    filled += adds;
    const copies = instructions.next();
    if (copies === 0) continue;
    position += instructions.nextSigned();
    content.set(base.subarray(position, position + copies), filled);
    position += copies;
    filled += copies;
  }
  return content;
}

/** Before anything is allocated: whether the instructions stay within the base and make `length` octets. */
function measure(base: Uint8Array, instructions: Numbers, length: number) {
  let [total, added, position] = [0, 0, 0];
  let prefix: number | undefined;
  while (instructions.hasNext) {
    const adds = instructions.next();
    const copies = instructions.next();
    if (copies > 0) position += instructions.nextSigned();
    prefix ??= adds === 0 && position === 0 ? copies : 0;
    if (position < 0 || position + copies > base.byteLength)
      throw new RangeError('a delta copies what its base has not');
    if (copies > 0) position += copies;
    added += adds;
    total += adds + copies;
    if (total > length) break;
  }
  if (total !== length) throw new RangeError('a delta makes another length than it should');
  return { added, prefix: prefix ?? 0 };
}

function compare(base: Buffer, content: Buffer) {
  const prefix = commonStart(base, 0, content, 0);
  const suffix = commonEnd(base, base.length, content, content.length, prefix);
  const found = new Instructions(content);
  if (prefix > 0) found.copy(0, 0, prefix);
  findCopies(base.subarray(0, base.length - suffix), content.subarray(0, content.length - suffix), found);
  if (suffix > 0) found.copy(base.length - suffix, content.length - suffix, suffix);
  return { ...found.finish(), prefix };
}

/** Node searches for octets and compares them ten times as fast as an index of hashes in JavaScript is made. */
function findCopies(base: Buffer, content: Buffer, found: Instructions): void {
  const search = new Search(base, content);
  for (;;) {
    const match = search.after(found.done, found.position);
    if (!match) return;
    const { origin, at } = match;
    const before = commonEnd(base, origin, content, at, 0, at - found.done);
    const length = before + commonStart(base, origin, content, at);
    found.copy(origin - before, at - before, length);
  }
}

/** What is the same in both from these places on. */
function commonStart(base: Buffer, origin: number, content: Buffer, at: number): number {
  const most = Math.min(base.length - origin, content.length - at);
  let same = 0;
  for (let step = 64; same + step <= most; step = Math.min(2 * step, 4096)) {
    const from = at + same;
    if (base.compare(content, from, from + step, origin + same, origin + same + step) !== 0) break;
    same += step;
  }
  while (same < most && base[origin + same] === content[at + same]) same += 1;
  return same;
}

/** What is the same in both right before these places. */
function commonEnd(
  base: Buffer,
  origin: number,
  content: Buffer,
  at: number,
  spared: number,
  longest = Number.POSITIVE_INFINITY,
): number {
  const most = Math.min(origin - spared, at - spared, longest);
  let same = 0;
  for (let step = 64; same + step <= most; step = Math.min(2 * step, 4096)) {
    const to = at - same;
    if (base.compare(content, to - step, to, origin - same - step, origin - same) !== 0) break;
    same += step;
  }
  while (same < most && base[origin - same - 1] === content[at - same - 1]) same += 1;
  return same;
}

/** Octets on each side of where the base would go on: most of what was moved has not moved further. */
const nearBytes = 8192;
/** So much of the base is searched, again and again, before the rest of the content counts as new. */
const patience = 33_554_432;

class Search {
  readonly #base: Buffer;
  readonly #content: Buffer;
  #searched = 0;

  constructor(base: Buffer, content: Buffer) {
    this.#base = base;
    this.#content = content;
  }

  /**
   * What the content has from a place on and the base has, too. Two tags in a row are as long as the shortest copy,
   * and stand everywhere: what is longer is looked for first.
   * @param at where in the content
   * @param position where in the base it would go on
   */
  after(at: number, position: number): { readonly origin: number; readonly at: number } | undefined {
    const near = (block: Buffer) => this.#near(block, position);
    const anywhere = (block: Buffer) => this.#within(block, 0, this.#base.length);
    return (
      this.#look(at, 256, 2 * blockBytes, near) ??
      this.#look(at, 64, 2 * blockBytes, anywhere) ??
      this.#look(at, 1024, blockBytes, near) ??
      this.#look(at, this.#content.length, blockBytes, anywhere)
    );
  }

  #look(start: number, distance: number, length: number, find: (block: Buffer) => number | undefined) {
    const last = Math.min(start + distance, this.#content.length - length);
    for (let at = start; at <= last && this.#searched < patience; at += step(at - start)) {
      const origin = find(this.#content.subarray(at, at + length));
      if (origin !== undefined) return { origin, at };
    }
    return undefined;
  }

  #near(block: Buffer, position: number): number | undefined {
    return (
      this.#within(block, position, position + nearBytes) ??
      this.#within(block, Math.max(0, position - nearBytes), position + block.length - 1)
    );
  }

  #within(block: Buffer, start: number, end: number): number | undefined {
    const range = this.#base.subarray(start, end);
    const found = range.indexOf(block);
    this.#searched += found < 0 ? range.length : found;
    return found < 0 ? undefined : start + found;
  }
}

/** The further, the coarser: what is the same is found backwards from any place in it. */
function step(distance: number): number {
  return Math.max(8, distance >> 2);
}

/** What makes a content, as it is found from its beginning to its end. */
class Instructions {
  readonly #content: Uint8Array;
  readonly #instructions: number[] = [];
  readonly #additions: Uint8Array[] = [];
  /** Where in the base the last copy ended. */
  position = 0;
  /** So much of the content is made. */
  done = 0;

  constructor(content: Uint8Array) {
    this.#content = content;
  }

  /** Copies; what is between this and the copy before is added. */
  copy(origin: number, at: number, length: number): void {
    this.#add(at);
    pushNumber(this.#instructions, length);
    const distance = origin - this.position;
    pushNumber(this.#instructions, distance < 0 ? -2 * distance - 1 : 2 * distance);
    this.position = origin + length;
    this.done = at + length;
  }

  finish(): { readonly instructions: readonly number[]; readonly additions: Buffer } {
    if (this.done < this.#content.byteLength) {
      this.#add(this.#content.byteLength);
      pushNumber(this.#instructions, 0);
    }
    return { instructions: this.#instructions, additions: Buffer.concat(this.#additions) };
  }

  #add(to: number): void {
    pushNumber(this.#instructions, to - this.done);
    if (to > this.done) this.#additions.push(this.#content.subarray(this.done, to));
  }
}

/** 7 bits an octet, the least first. */
function pushNumber(octets: number[], value: number): void {
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) octets.push((rest % 128) | 128);
  octets.push(rest);
}

class Numbers {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  position: number;

  constructor(bytes: Uint8Array, position: number, end: number) {
    if (end > bytes.byteLength) throw new RangeError('a delta is shorter than it says');
    this.#bytes = bytes;
    this.#end = end;
    this.position = position;
  }

  get hasNext(): boolean {
    return this.position < this.#end;
  }

  next(): number {
    let [value, scale] = [0, 1];
    for (;;) {
      const octet = this.hasNext ? (this.#bytes[this.position] ?? 0) : 256;
      if (octet > 255 || scale > 2 ** 42) throw new RangeError('a delta breaks off in a number');
      this.position += 1;
      value += (octet & 127) * scale;
      if (octet < 128) return value;
      scale *= 128;
    }
  }

  nextSigned(): number {
    const value = this.next();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Of the base what is around the first difference. */
function dictionary(base: Uint8Array, prefix: number): Uint8Array {
  const latest = Math.max(0, base.byteLength - dictionaryBytes);
  const start = Math.min(Math.max(0, prefix - dictionaryBytes / 2), latest);
  return base.subarray(start, start + dictionaryBytes);
}

function deflate(additions: Uint8Array, words: Uint8Array): Uint8Array {
  // A window as large as needed: most of deflate's time goes into setting it up.
  const windowBits = Math.min(15, Math.max(9, 33 - Math.clz32(additions.byteLength + words.byteLength)));
  const chunkSize = Math.max(64, additions.byteLength);
  const options = { level: 6, windowBits, memLevel: windowBits > 12 ? 8 : 5, chunkSize };
  return deflateRawSync(additions, words.byteLength > 0 ? { ...options, dictionary: words } : options);
}

function inflate(deflated: Uint8Array, words: Uint8Array, length: number): Uint8Array {
  const chunkSize = Math.min(Math.max(64, length + 1), 16_777_216);
  const options = { chunkSize, maxOutputLength: Math.max(1, length) };
  return inflateRawSync(deflated, words.byteLength > 0 ? { ...options, dictionary: words } : options);
}
