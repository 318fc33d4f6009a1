import { maximumLinks, type TypedLink, toTypedLink } from './typed-link.ts';

/**
 * Reads the value of `Link` fields (RFC 8288, by the algorithm of its appendix B), and `application/linkset`
 * documents, whose syntax is the same (RFC 9264 §4.1). Commas and semicolons inside URIs and quotes are no
 * separators; the first of repeated parameters counts; a damaged link costs itself alone.
 * @param base what relative references are relative to
 */
export function parseLinkField(text: string, base: string): readonly TypedLink[] {
  const reader = new FieldReader(text);
  const links: TypedLink[] = [];
  while (links.length < maximumLinks) {
    const value = reader.next();
    if (value === undefined) break;
    const { target, parameters } = value;
    const link = toTypedLink(
      {
        target,
        anchor: parameters.get('anchor'),
        rel: parameters.get('rel'),
        type: parameters.get('type'),
        length: parameters.get('length'),
        title: extended(parameters.get('title*')) ?? parameters.get('title'),
      },
      base,
    );
    if (link !== undefined) links.push(link);
  }
  return links;
}

/** The same with whatever parameters there are, as TimeMaps have a `datetime` (RFC 7089); at most so many links. */
export function* readLinkValues(text: string, most: number): Generator<LinkValue> {
  const reader = new FieldReader(text);
  for (let count = 0; count < most; count += 1) {
    const value = reader.next();
    if (value === undefined) return;
    yield value;
  }
}

export interface LinkValue {
  readonly target: string;
  /** By lower-case name. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** Goes through the text once, forwards: hostile fields cost no more than honest ones. */
class FieldReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  next(): LinkValue | undefined {
    for (;;) {
      this.#skip(/[\s,]*/y);
      if (this.#at >= this.#text.length) return undefined;
      const target = this.#skip(/<([^<>]*)>/y)?.[1];
      if (target !== undefined) return { target, parameters: this.#parameters() };
      // Real servers forget the brackets, or one of them: on with the next link.
      this.#skip(/<?[^,"<]*/y);
      if (this.#text[this.#at] === '"') this.#quoted();
    }
  }

  #parameters(): ReadonlyMap<string, string> {
    const parameters = new Map<string, string>();
    while (this.#skip(/\s*;/y)) {
      const name = this.#skip(/\s*([^\s=;,"<]*)/y)?.[1]?.toLowerCase() ?? '';
      const value = this.#skip(/\s*=\s*/y) ? this.#value() : '';
      if (name !== '' && !parameters.has(name)) parameters.set(name, value);
    }
    return parameters;
  }

  #value(): string {
    if (this.#text[this.#at] === '"') return this.#quoted();
    const token = this.#skip(/[^\s;,]*/y)?.[0] ?? '';
    return /^'(.*)'$/.exec(token)?.[1] ?? token;
  }

  /** A quote that is not closed ends with the text. */
  #quoted(): string {
    let value = '';
    for (this.#at += 1; this.#at < this.#text.length; this.#at += 1) {
      const character = this.#text[this.#at];
      if (character === '"') {
        this.#at += 1;
        return value;
      }
      if (character === '\\') this.#at += 1;
      value += this.#text[this.#at] ?? '';
    }
    return value;
  }

  #skip(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text) ?? undefined;
    if (match) this.#at += match[0].length;
    return match;
  }
}

/** `UTF-8'en'%E9%9B%A8` (RFC 8187); undefined where it cannot be read. */
function extended(value: string | undefined): string | undefined {
  const encoded = /^utf-8'[^']*'(.*)$/i.exec(value ?? '')?.[1];
  if (encoded === undefined) return undefined;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}
