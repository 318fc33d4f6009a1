/**
 * As much of Solr's query language as anybody sends to a DSpace: `field:prefix*`, `field:"phrase"`,
 * `field:[a TO b}`, AND, OR, NOT, + - ! && ||, groups, bare words. Whatever is wrong throws QuerySyntaxError.
 */
export type Query =
  | { readonly kind: 'all' }
  | { readonly kind: 'and' | 'or'; readonly members: readonly Query[] }
  | { readonly kind: 'not'; readonly member: Query }
  | {
      readonly kind: 'term';
      readonly field: string | undefined;
      readonly text: string;
      readonly phrase: boolean;
    }
  | { readonly kind: 'wildcard'; readonly field: string | undefined; readonly pattern: string }
  | {
      readonly kind: 'range';
      readonly field: string | undefined;
      /** undefined: open at this end */
      readonly low: string | undefined;
      readonly high: string | undefined;
      readonly withLow: boolean;
      readonly withHigh: boolean;
    };

export class QuerySyntaxError extends Error {}

export function parseQuery(text: string): Query {
  if (text.trim() === '') return { kind: 'all' };
  const parser = new Parser(text);
  const query = parser.disjunction(undefined);
  parser.end();
  return query;
}

class Parser {
  #at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  end(): void {
    this.#space();
    if (this.#at < this.#text.length) this.#fail();
  }

  disjunction(field: string | undefined): Query {
    const members = [this.#conjunction(field)];
    while (this.#operator('OR', '||')) members.push(this.#conjunction(field));
    return members.length === 1 ? (members[0] as Query) : { kind: 'or', members };
  }

  #conjunction(field: string | undefined): Query {
    const members = [this.#clause(field)];
    for (;;) {
      if (this.#operator('AND', '&&')) {
        members.push(this.#clause(field));
        continue;
      }
      this.#space();
      const rest = this.#text.slice(this.#at);
      if (rest === '' || rest.startsWith(')') || /^(OR\b|\|\|)/.test(rest)) break;
      members.push(this.#clause(field));
    }
    return members.length === 1 ? (members[0] as Query) : { kind: 'and', members };
  }

  #clause(field: string | undefined): Query {
    this.#space();
    if (this.#operator('NOT', '!') || this.#take('-')) return { kind: 'not', member: this.#clause(field) };
    this.#take('+');
    const rest = this.#text.slice(this.#at);
    if (/^(AND|OR|NOT)\b/.test(rest) || rest === '') this.#fail();
    const named = /^((?:[\w.*-]|\\.)+):(?!\s)/.exec(rest);
    if (named === null) return this.#value(field);
    this.#at += named[0].length;
    return this.#value(unescaped(named[1] as string));
  }

  #value(field: string | undefined): Query {
    const rest = this.#text.slice(this.#at);
    if (this.#take('(')) {
      const inner = this.disjunction(field);
      this.#space();
      if (!this.#take(')')) this.#fail();
      return inner;
    }
    const phrase = /^"((?:[^"\\]|\\.)*)"(?:~\d+)?/s.exec(rest);
    if (phrase !== null) {
      this.#at += phrase[0].length;
      return { kind: 'term', field, text: unescaped(phrase[1] as string), phrase: true };
    }
    const end = String.raw`("(?:[^"\\]|\\.)*"|[^\s"\]}]+)`;
    const range = new RegExp(String.raw`^([[{])\s*${end}\s+TO\s+${end}\s*([\]}])`).exec(rest);
    if (range !== null) {
      this.#at += range[0].length;
      const [, open, low, high, close] = range as unknown as [string, string, string, string, string];
      return {
        kind: 'range',
        field,
        low: bound(low),
        high: bound(high),
        withLow: open === '[',
        withHigh: close === ']',
      };
    }
    const word = /^(?:[^\s()[\]{}"^~:\\!/]|\\.)+(?:[~^][\d.]*)?/.exec(rest);
    // A bare slash begins a regular expression, which nobody sends on purpose.
    if (word === null) this.#fail();
    this.#at += word[0].length;
    const text = word[0].replace(/[~^][\d.]*$/, '');
    if (text === '*' && (field === undefined || field === '*')) return { kind: 'all' };
    if (/(?<!\\)[*?]/.test(text)) return { kind: 'wildcard', field, pattern: text };
    return { kind: 'term', field, text: unescaped(text), phrase: false };
  }

  #operator(word: string, sign: string): boolean {
    this.#space();
    const rest = this.#text.slice(this.#at);
    const taken = rest.startsWith(sign)
      ? sign.length
      : new RegExp(`^${word}(?=[\\s(])`).test(rest)
        ? word.length
        : 0;
    this.#at += taken;
    return taken > 0;
  }

  #take(sign: string): boolean {
    if (!this.#text.startsWith(sign, this.#at)) return false;
    this.#at += sign.length;
    return true;
  }

  #space(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at += 1;
  }

  #fail(): never {
    throw new QuerySyntaxError(`Cannot parse '${this.#text}' at ${this.#at}`);
  }
}

function bound(text: string): string | undefined {
  if (text === '*') return undefined;
  return unescaped(text.startsWith('"') ? text.slice(1, -1) : text);
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/gs, '$1');
}

/** The RegExp of a pattern with `*` and `?`. */
export function wildcard(pattern: string, flags = ''): RegExp {
  const source = pattern.replace(/\\(.)|([*?])|([.+^${}()|[\]])/gs, (_, escaped, wild, plain) => {
    if (escaped !== undefined) return escaped.replace(/[.*+?^${}()|[\]\\]/, '\\$&');
    if (wild !== undefined) return wild === '*' ? '.*' : '.';
    return `\\${plain}`;
  });
  return new RegExp(`^${source}$`, `s${flags}`);
}

/** The fixed beginning of a pattern `abc*`; undefined where it has any other form. */
export function prefixOf(pattern: string): string | undefined {
  return /^((?:[^*?\\]|\\.)*)\*$/s.exec(pattern)?.[1]?.replace(/\\(.)/gs, '$1');
}

/** Solr's date: ISO with `Z`, or date math from NOW. In ms. */
export function solrDate(text: string, now: number): number {
  const math = /^NOW((?:[+-]\d+[A-Z]+|\/[A-Z]+)*)$/.exec(text);
  if (math === null) {
    if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text) || Number.isNaN(Date.parse(text)))
      throw new QuerySyntaxError(`Invalid Date String:'${text}'`);
    return Date.parse(text);
  }
  let at = now;
  for (const [, sign, count, unit] of (math[1] as string).matchAll(/([+-/])(\d*)([A-Z]+?)S?(?=[+-/]|$)/g)) {
    const length = { SECOND: 1000, MINUTE: 60_000, HOUR: 3_600_000, DAY: 86_400_000, MILLI: 1 }[
      unit as string
    ];
    if (length === undefined) throw new QuerySyntaxError(`Invalid Date Math '${text}'`);
    at = sign === '/' ? at - (at % length) : at + (sign === '-' ? -1 : 1) * Number(count) * length;
  }
  return at;
}
