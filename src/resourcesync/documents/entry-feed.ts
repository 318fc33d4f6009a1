import type { SaxesParser } from 'saxes';
import type { BareAmpersands } from './bare-ampersands.ts';
import type { DocumentEntry, LinkReading } from './document-model.ts';
import { readPlainEntry } from './plain-entry.ts';

/** What the parser has come to. */
export interface ParserState {
  /** Where the last child of the root has ended, in UTF-16 code units; undefined while in one, or outside of the root. */
  readonly childEnd: number | undefined;
  /** Prefixes of the ResourceSync namespace, where entries are elements without a prefix; undefined where they are not. */
  readonly prefixes: ReadonlySet<string> | undefined;
  /** Entries that were read. */
  readonly entries: number;
}

const openings = { url: '<url>', sitemap: '<sitemap>' } as const;
const closings = { url: '</url>', sitemap: '</sitemap>' } as const;
type EntryElement = keyof typeof openings;

/** An entry that is longer is left to the parser, in pieces. */
const longest = 65_536;

/**
 * Hands a document to its parser, except entries that can be read without one. Where the parser says what is wrong, it
 * names the same line and column as if it had read them, too.
 */
export class EntryFeed {
  readonly #parser: SaxesParser<{ xmlns: true }>;
  readonly #state: () => ParserState;
  readonly #ampersands: BareAmpersands;
  readonly #linkReading: LinkReading;
  readonly #onEntry: (entry: DocumentEntry) => void;
  #rest = '';
  /** The parser has thrown: what is behind that place is nobody's. */
  #isBroken = false;
  /** So much was written to the parser. */
  #written = 0;

  constructor(
    parser: SaxesParser<{ xmlns: true }>,
    state: () => ParserState,
    { ampersands, linkReading }: { ampersands: BareAmpersands; linkReading: LinkReading },
    onEntry: (entry: DocumentEntry) => void,
  ) {
    this.#parser = parser;
    this.#state = state;
    this.#ampersands = ampersands;
    this.#linkReading = linkReading;
    this.#onEntry = onEntry;
  }

  write(text: string): void {
    const all = this.#rest + text;
    this.#rest = '';
    let at = 0;
    while (at < all.length) {
      const next = this.#isBetweenEntries() ? this.#readEntry(all, at) : undefined;
      if (next === 'incomplete') {
        this.#rest = all.slice(at);
        return;
      }
      at = next ?? this.#parseEntry(all, at);
    }
  }

  /** What was kept back until more of it came. */
  flush(): void {
    if (this.#isBroken) return;
    const rest = this.#rest;
    this.#rest = '';
    this.#parse(rest);
    this.#ampersands.finish((text) => this.#write(text));
  }

  #isBetweenEntries(): boolean {
    const { childEnd, prefixes } = this.#state();
    return prefixes !== undefined && childEnd === this.#written && !this.#ampersands.isPending;
  }

  /** @returns where the next one begins; undefined if a parser has to read it */
  #readEntry(all: string, from: number): number | 'incomplete' | undefined {
    const { prefixes, entries } = this.#state();
    const at = skipSpace(all, from);
    const element = all.startsWith(openings.url, at) ? 'url' : 'sitemap';
    if (prefixes === undefined || !all.startsWith(openings[element], at)) {
      const couldBe = all.length - at < openings.sitemap.length && !all.startsWith('</', at);
      return couldBe ? 'incomplete' : undefined;
    }
    const end = endOf(all, at, element);
    if (end === -1) return all.length - at > longest ? undefined : 'incomplete';
    const entry = readPlainEntry(all.slice(at, end), element, entries + 1, prefixes, this.#linkReading);
    if (!entry) return undefined;
    this.#skip(all, from, end);
    this.#onEntry(entry);
    return end;
  }

  /** @returns where the next entry may begin */
  #parseEntry(all: string, from: number): number {
    const url = endOf(all, from, 'url');
    const found = url === -1 ? endOf(all, from, 'sitemap') : url;
    const end = found === -1 ? all.length : found;
    this.#parse(all.slice(from, end));
    return end;
  }

  #parse(text: string): void {
    this.#ampersands.escape(text, (escaped) => this.#write(escaped));
  }

  #write(text: string): void {
    if (text === '') return;
    this.#written += text.length;
    try {
      this.#parser.write(text);
    } catch (error) {
      this.#isBroken = true;
      throw error;
    }
  }

  #skip(all: string, from: number, to: number): void {
    let line = from;
    for (let feed = all.indexOf('\n', from); feed !== -1 && feed < to; feed = all.indexOf('\n', line)) {
      this.#parser.line += 1;
      this.#parser.column = 0;
      line = feed + 1;
    }
    this.#parser.column += to - line;
  }
}

function skipSpace(text: string, from: number): number {
  let at = from;
  for (let code = text.charCodeAt(at); code === 0x20 || code === 0x0a || code === 0x09; ) {
    at += 1;
    code = text.charCodeAt(at);
  }
  return at;
}

/** @returns -1 where it has none */
function endOf(text: string, from: number, element: EntryElement): number {
  const closing = closings[element];
  const start = text.indexOf(closing, from);
  return start === -1 ? -1 : start + closing.length;
}
