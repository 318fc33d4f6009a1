import type { Grounds } from './grounds.ts';

/** Of a request, all that may decide what its answer is. Undefined: it does not say. */
export interface Asked {
  readonly method: string;
  /** As it came. */
  readonly target: string;
  readonly accept: string | undefined;
  readonly acceptEncoding: string | undefined;
  readonly acceptDatetime: string | undefined;
  readonly ifNoneMatch: string | undefined;
  readonly ifModifiedSince: string | undefined;
  /** Of account where the answer says that it depends on the language. */
  readonly acceptLanguage?: string | undefined;
  readonly cookie?: string | undefined;
}

export interface GivenAnswer {
  readonly status: number;
  /** Names and values in turns, as they went out. */
  readonly headers: string[];
  readonly body: Buffer | undefined;
  readonly grounds: Grounds;
}

interface Kept extends Asked, GivenAnswer {
  readonly byLanguage: boolean;
  readonly octets: number;
}

/** All of them together, in bytes. */
const room = 25_165_824;
/** What an entry takes besides what it says. */
const overhead = 1024;
/** Of one address; there are few ways to ask for the same. */
const mostOfOne = 8;

/**
 * Answers as they were last given, in two generations: what nobody asked for while the younger one was filled is
 * forgotten with the older one.
 */
export class AnswerMemory {
  #young = new Map<string, readonly Kept[]>();
  #old: ReadonlyMap<string, readonly Kept[]> = new Map();
  #octets = 0;
  readonly #room: number;

  constructor(bytes = room) {
    this.#room = bytes / 2;
  }

  find(asked: Asked): GivenAnswer | undefined {
    const young = findIn(this.#young.get(asked.target), asked);
    if (young) return young;
    const old = findIn(this.#old.get(asked.target), asked);
    if (old) this.#add(old);
    return old;
  }

  add(asked: Asked, answer: GivenAnswer): void {
    const { target, accept, ifNoneMatch, acceptLanguage, cookie } = asked;
    const texts = [target, accept, ifNoneMatch, acceptLanguage, cookie, ...answer.headers];
    const length = texts.reduce((sum, text = '') => sum + text.length, answer.body?.byteLength ?? 0);
    this.#add({ ...asked, ...answer, byLanguage: isByLanguage(answer), octets: length + overhead });
  }

  #add(kept: Kept): void {
    if (kept.octets > this.#room) return;
    if (this.#octets + kept.octets > this.#room) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#octets = 0;
    }
    const others = (this.#young.get(kept.target) ?? []).filter((one) => !isFor(one, kept));
    this.#young.set(kept.target, [kept, ...others.slice(0, mostOfOne - 1)]);
    // Those that are replaced count until the next generation begins.
    this.#octets += kept.octets;
  }
}

function findIn(all: readonly Kept[] | undefined, asked: Asked): Kept | undefined {
  return all?.find((one) => isFor(one, asked));
}

/** Programs say nothing of languages, browsers much; what is in none is the same for all. */
function isByLanguage({ headers }: GivenAnswer): boolean {
  return headers.some(
    (name, index) =>
      index % 2 === 0 &&
      name.toLowerCase() === 'vary' &&
      /accept-language|cookie/i.test(headers[index + 1] ?? ''),
  );
}

function isFor(kept: Kept, asked: Asked): boolean {
  if (!isSame(kept, asked)) return false;
  return !kept.byLanguage || (kept.acceptLanguage === asked.acceptLanguage && kept.cookie === asked.cookie);
}

function isSame(a: Asked, b: Asked): boolean {
  return (
    a.target === b.target &&
    a.method === b.method &&
    a.accept === b.accept &&
    a.acceptEncoding === b.acceptEncoding &&
    a.acceptDatetime === b.acceptDatetime &&
    a.ifNoneMatch === b.ifNoneMatch &&
    a.ifModifiedSince === b.ifModifiedSince
  );
}
