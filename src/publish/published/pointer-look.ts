import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { bucketAt, type SetBucket } from '../bucket/published-bucket.ts';
import { switchesHere } from '../bucket/switches.ts';
import { type Pointer, parsePointer, pointerFile, readPointerFile } from '../disk/pointer.ts';

/**
 * What is asked for again and again is found as of a look that began so many milliseconds ago, and not more: a look at
 * the disk takes longer than an answer from memory.
 */
const lookCounts = 10;
/** Of a look at the database. */
const lookCountsInDatabase = 1000;

export interface Seen {
  /** Of the pointer. */
  readonly number: number;
  /** When the look began, in milliseconds of a clock that never goes back. */
  readonly at: number;
  /** Of this process, until then. */
  readonly switches: number;
}

const numbers = new WeakMap<Pointer, number>();
let lastNumber = 0;

/** Of a pointer as it was read; 0: there is none. Pointers are large. */
export function numberOf(pointer: Pointer | undefined): number {
  if (!pointer) return 0;
  const known = numbers.get(pointer);
  if (known !== undefined) return known;
  lastNumber += 1;
  numbers.set(pointer, lastNumber);
  return lastNumber;
}

/** One pointer, read again only when it was switched. */
export class PointerLook {
  readonly #path: string;
  #looking: Promise<unknown> | undefined;
  #next: Promise<Pointer | undefined> | undefined;
  #identity = '';
  #pointer: Pointer | undefined;
  #seen: Seen | undefined;
  #isLooking = false;
  /** It was in the database the last time. */
  #isRow = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** One look answers all who asked before it began. */
  pointer(): Promise<Pointer | undefined> {
    this.#next ??= this.#lookAfter(this.#looking);
    return this.#next;
  }

  async #lookAfter(before: Promise<unknown> | undefined): Promise<Pointer | undefined> {
    await before?.catch(() => undefined);
    this.#looking = this.#next;
    this.#next = undefined;
    return this.#look();
  }

  /** As of a look of late; undefined: it is too long ago. A new one begins before it is. */
  recent(): Seen | undefined {
    const seen = this.#seen;
    const counts = this.#isRow ? lookCountsInDatabase : lookCounts;
    const age =
      seen && seen.switches === switchesHere() ? performance.now() - seen.at : Number.POSITIVE_INFINITY;
    if (age > counts) return undefined;
    if (age > counts / 2 && this.#next === undefined && !this.#isLooking)
      this.pointer().catch(() => undefined);
    return seen;
  }

  async #look(): Promise<Pointer | undefined> {
    const now = { at: performance.now(), switches: switchesHere() };
    this.#isLooking = true;
    try {
      const bucket = bucketAt(this.#path);
      const asked = bucket && (await this.#readRow(bucket));
      const pointer = asked ? this.#pointer : await this.#readFile();
      this.#seen = { ...(asked ?? now), number: numberOf(pointer) };
      return pointer;
    } finally {
      this.#isLooking = false;
    }
  }

  async #readFile(): Promise<Pointer | undefined> {
    const found = await stat(join(this.#path, pointerFile), { bigint: true }).catch(() => undefined);
    if (!found) return undefined;
    const identity = `${found.ino} ${found.mtimeNs} ${found.size}`;
    if (identity !== this.#identity) {
      // A damaged pointer is no reason to stop serving what was read from the last one.
      const read = await readPointerFile(this.#path);
      if (read) this.#pointer = read;
      this.#identity = identity;
    }
    return this.#pointer;
  }

  /** @returns when the database was asked; undefined: it does not say what is published here */
  async #readRow(bucket: SetBucket): Promise<Omit<Seen, 'number'> | undefined> {
    try {
      const asked = await bucket.bucket.numbers();
      const number = asked.of.get(bucket.set);
      if (number !== undefined && `row ${number}` === this.#identity) return asked;
      const row = number === undefined ? undefined : await bucket.servedRow();
      this.#isRow = row !== undefined;
      if (!row) return undefined;
      const read = parsePointer(row.pointer);
      if (read) this.#pointer = read;
      this.#identity = `row ${row.number}`;
      return asked;
    } catch (error) {
      // What was published last goes on being served.
      if (!this.#isRow) throw error;
      return { at: performance.now(), switches: switchesHere() };
    }
  }
}
