import { createHash } from 'node:crypto';
import { createRandom } from '../../core/draws/random.ts';

export type HashName = 'md5' | 'sha256';

/** The bytes of one state of a resource, made when somebody asks for them. */
export interface Content {
  readonly length: number;
  bytes(): Buffer;
  /** In hexadecimal. */
  hash(name: HashName): string;
}

export function writtenContent(text: string | Buffer): Content {
  const bytes = Buffer.from(text);
  return new MadeContent(bytes.length, () => bytes);
}

/** Of a text that no other state has, always the same: a million of them need no memory. */
export function generatedContent(words: string, length: number): Content {
  return new MadeContent(length, () => {
    const head = Buffer.from(`${words}\n`);
    if (head.length >= length) return digestText(words, length);
    const bytes = Buffer.alloc(length);
    head.copy(bytes);
    const start = createHash('md5').update(words).digest().readUInt32LE() % filler.length;
    for (let at = head.length, from = start; at < length; from = 0) {
      at += filler.copy(bytes, at, from, from + length - at);
    }
    return bytes;
  });
}

class MadeContent implements Content {
  readonly length: number;
  readonly bytes: () => Buffer;
  readonly #known = new Map<HashName, string>();

  constructor(length: number, bytes: () => Buffer) {
    this.length = length;
    this.bytes = bytes;
  }

  hash(name: HashName): string {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const found = createHash(name).update(this.bytes()).digest('hex');
    this.#known.set(name, found);
    return found;
  }
}

/** What is too short for its words differs all the same, as far as its length allows. */
function digestText(words: string, length: number): Buffer {
  let text = '';
  for (let part = 0; text.length < length; part += 1)
    text += createHash('md5').update(`${part} ${words}`).digest('hex');
  return Buffer.from(text.slice(0, length));
}

/** Letters that gzip makes smaller, but not to nothing. */
const filler = letters(65_536);

function letters(length: number): Buffer {
  const random = createRandom(19);
  const bytes = Buffer.alloc(length);
  const alphabet = 'etaoinshrdlu etaoin\nshrdlucmfwypvbgkqjxz ';
  for (let at = 0; at < length; at += 1)
    bytes[at] = alphabet.charCodeAt(Math.floor(random() * alphabet.length));
  return bytes;
}
