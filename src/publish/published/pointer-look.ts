import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { bucketAt, type SetBucket } from '../bucket/published-bucket.ts';
import { switchesHere } from '../bucket/switches.ts';
import { type Pointer, parsePointer, pointerFile, readPointerText } from '../disk/pointer.ts';
import { type Readable, ReadingRoom } from '../disk/reading-room.ts';

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

/** Pointers are large, in memory five times their text: those of all sets that were asked for last. */
const room = new ReadingRoom(2_097_152);

/** Of a pointer as it was read; 0: there is none. It says which one it was, without keeping it. */
export function numberOf(pointer: Pointer | undefined): number {
  return pointer ? (numbers.get(pointer) ?? 0) : 0;
}

/** One pointer, read again only when it was switched, or given up. */
export class PointerLook implements Readable {
  readonly #path: string;
  #looking: Promise<unknown> | undefined;
  #next: Promise<number> | undefined;
  #identity = '';
  /** Of what was read last; 0: nothing could be. */
  #number = 0;
  #pointer: Pointer | undefined;
  /** It was given up, and is asked for. */
  #isMissed = false;
  #seen: Seen | undefined;
  #isLooking = false;
  /** It was in the database the last time. */
  #isRow = false;

  constructor(path: string) {
    this.#path = path;
  }

  async pointer(): Promise<Pointer | undefined> {
    // Between a look and the reading of what was given up it may be switched, and given up again.
    for (;;) {
      if ((await this.number()) === 0) return undefined;
      if (this.#pointer) {
        room.touch(this);
        return this.#pointer;
      }
      this.#isMissed = true;
    }
  }

  /** Which pointer it is now; 0: there is none. One look answers all who asked before it began. */
  number(): Promise<number> {
    this.#next ??= this.#lookAfter(this.#looking);
    return this.#next;
  }

  giveUp(): void {
    this.#pointer = undefined;
  }

  async #lookAfter(before: Promise<unknown> | undefined): Promise<number> {
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
      this.number().catch(() => undefined);
    return seen;
  }

  async #look(): Promise<number> {
    const now = { at: performance.now(), switches: switchesHere() };
    this.#isLooking = true;
    try {
      const bucket = bucketAt(this.#path);
      const asked = bucket && (await this.#readRow(bucket));
      const number = asked || (await this.#readFile()) ? this.#number : 0;
      this.#seen = { ...(asked ?? now), number };
      return number;
    } finally {
      this.#isLooking = false;
    }
  }

  /** @returns false: there is none */
  async #readFile(): Promise<boolean> {
    const found = await stat(join(this.#path, pointerFile), { bigint: true }).catch(() => undefined);
    if (!found) return false;
    const identity = `${found.ino} ${found.mtimeNs} ${found.size}`;
    if (this.#isToBeRead(identity)) this.#take((await readPointerText(this.#path)) ?? '', identity);
    return true;
  }

  /** @returns when the database was asked; undefined: it does not say what is published here */
  async #readRow(bucket: SetBucket): Promise<Omit<Seen, 'number'> | undefined> {
    try {
      const asked = await bucket.bucket.numbers();
      const number = asked.of.get(bucket.set);
      if (number !== undefined && !this.#isToBeRead(`row ${number}`)) return asked;
      const row = number === undefined ? undefined : await bucket.servedRow();
      this.#isRow = row !== undefined;
      if (!row) return undefined;
      this.#take(row.pointer, `row ${row.number}`);
      return asked;
    } catch (error) {
      // What was published last goes on being served, as far as it is known here.
      if (!this.#isRow || this.#isMissed) throw error;
      return { at: performance.now(), switches: switchesHere() };
    }
  }

  #isToBeRead(identity: string): boolean {
    return identity !== this.#identity || this.#isMissed;
  }

  #take(text: string, identity: string): void {
    const read = parsePointer(text);
    const isSame = identity === this.#identity;
    this.#identity = identity;
    this.#isMissed = false;
    // A damaged pointer is no reason to stop serving what was read from the last one.
    if (!read) {
      if (!this.#pointer) this.#number = 0;
      return;
    }
    if (!isSame || this.#number === 0) {
      lastNumber += 1;
      this.#number = lastNumber;
    }
    numbers.set(read, this.#number);
    this.#pointer = read;
    room.keep(this, text.length);
  }
}
