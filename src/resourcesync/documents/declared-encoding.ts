import { isAscii } from 'node:buffer';

const declaration = /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([^"']+)["']/;
/** A declaration is shorter than this. */
const longestDeclaration = 512;
/** Of these nearly no text is valid UTF-8 by chance: what is, is UTF-8, and its declaration is wrong. */
const ofSingleOctets = /^(?:utf-?8|us-?ascii|ascii|(?:x-)?iso[-_]?8859|latin|windows-125|cp125|koi8|mac)/i;

/**
 * Tells text that is as its declaration says, in octets that happen to be UTF-8 of something else: 表 is C9 BD in EUC-JP, which
 * is ɽ in UTF-8.
 */
export class DeclaredEncoding {
  #beginning = '';
  #hasMark: boolean | undefined;
  #isKnown = false;
  /** Undefined: it is UTF-8, or as good. */
  #other: string | undefined;

  /**
   * @param text of the chunk
   * @returns the encoding that the chunk is likely in, where it is not UTF-8
   */
  look(chunk: Uint8Array, text: string): string | undefined {
    // A byte order mark; nothing else begins like that, and then it is UTF-8, whatever it says.
    if (chunk.length > 0) this.#hasMark ??= chunk[0] === 0xef;
    if (!this.#isKnown) this.#read(text);
    if (this.#other === undefined) return undefined;
    // ISO 2022 has nothing but ASCII, and escapes to other characters.
    return isAscii(chunk) && !text.includes('\u001b') ? undefined : this.#other;
  }

  #read(text: string): void {
    this.#beginning += text;
    const [, encoding] = declaration.exec(this.#beginning) ?? [];
    if (encoding === undefined && this.#beginning.length < longestDeclaration) return;
    this.#isKnown = true;
    this.#beginning = '';
    if (encoding !== undefined && this.#hasMark !== true && !ofSingleOctets.test(encoding))
      this.#other = encoding;
  }
}
