import { type Declarations, PlainPayload } from './plain-payload.ts';
import type { CutRecord } from './record-parser.ts';

/** Characters that XML forbids, or that need two places. */
const unusualCharacter =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ud800-\udfff\ufffe\uffff]/;
const unusualReference = /&(?!(?:amp|lt|gt|quot|apos|#[1-9]\d{2,3});)/;
const mostSets = 1_000;
const less = 0x3c;

type Step =
  | 'record'
  | 'header'
  | 'leaves'
  | 'metadata'
  | 'root'
  | 'payload'
  | 'metadata ends'
  | 'record ends';

/** Where the text ends too soon; where it is none of this. */
type Hindrance = 'more' | 'unusual';

/**
 * One `<record>` as nearly all records are, without a strict parser: plain tags of the protocol without prefixes, and a
 * `PlainPayload`. A record that is read here is well-formed and gives what the strict parser gives of it; all others are
 * unusual, broken ones among them. Reads on where it stopped when more of the text has come.
 */
export class PlainRecord {
  #step: Step = 'record';
  /** From the record's start. */
  #at = 0;
  /** Nothing of what is looked for lies before. */
  #searched = 0;
  #identifier: string | undefined;
  #datestamp: string | undefined;
  #deleted = false;
  readonly #sets = new Set<string>();
  readonly #payload = new PlainPayload();
  #payloadStart = 0;
  #payloadEnd = 0;

  /** In the order of their tags. */
  get declarations(): readonly Declarations[] {
    return this.#payload.declarations;
  }

  /** Where the record ended, from its start. */
  get length(): number {
    return this.#at;
  }

  /** @param start where the record begins in the text */
  read(text: string, start: number): CutRecord | Hindrance {
    for (;;) {
      const tag = this.#nextTag(text, start);
      if (typeof tag !== 'number') return tag;
      const hindrance = this.#take(text, start, tag);
      if (hindrance === 'over') return this.#finish(text, start);
      if (hindrance !== undefined) return hindrance;
    }
  }

  /** @returns where the next tag begins, which has its end */
  #nextTag(text: string, start: number): number | Hindrance {
    let at = start + this.#at;
    if (this.#step === 'payload') {
      at = text.indexOf('<', Math.max(at, start + this.#searched));
      if (at < 0) return this.#wait(text, start);
      this.#searched = at - start;
    } else {
      while (isBlank(text.charCodeAt(at))) at += 1;
      if (at >= text.length) return 'more';
      if (text.charCodeAt(at) !== less) return 'unusual';
    }
    // The start of a record is told from other tags as soon as it can be.
    if (this.#step === 'record' && !recordTag.startsWith(text.slice(at, at + recordTag.length)))
      return 'unusual';
    return text.indexOf('>', at) < 0 ? 'more' : at;
  }

  #wait(text: string, start: number): 'more' {
    this.#searched = text.length - start;
    return 'more';
  }

  #take(text: string, start: number, at: number): Hindrance | 'over' | undefined {
    switch (this.#step) {
      case 'record':
        return this.#expect(text, start, at, recordTag, 'header');
      case 'header':
        this.#deleted = text.startsWith(deletedHeader, at);
        return this.#expect(text, start, at, this.#deleted ? deletedHeader : '<header>', 'leaves');
      case 'leaves':
        return text.startsWith('</header>', at)
          ? this.#expect(text, start, at, '</header>', 'metadata')
          : this.#leaf(text, start, at);
      case 'metadata':
        if (text.startsWith('</record>', at)) {
          this.#at = at + '</record>'.length - start;
          return 'over';
        }
        return this.#expect(text, start, at, '<metadata>', 'root');
      case 'root':
        this.#payloadStart = at - start;
        return this.#tag(text, start, at);
      case 'payload':
        return this.#tag(text, start, at);
      case 'metadata ends':
        return this.#expect(text, start, at, '</metadata>', 'record ends');
      default:
        return this.#expect(text, start, at, '</record>', 'record ends') ?? 'over';
    }
  }

  #expect(text: string, start: number, at: number, tag: string, next: Step): Hindrance | undefined {
    if (!text.startsWith(tag, at)) return 'unusual';
    this.#at = at + tag.length - start;
    this.#step = next;
    return undefined;
  }

  #leaf(text: string, start: number, at: number): Hindrance | undefined {
    const opened = text.indexOf('>', at) + 1;
    const name = text.slice(at + 1, opened - 1);
    if (name !== 'identifier' && name !== 'datestamp' && name !== 'setSpec') return 'unusual';
    const closing = text.indexOf('<', opened);
    if (closing < 0 || text.indexOf('>', closing) < 0) return 'more';
    const end = `</${name}>`;
    const content = text.slice(opened, closing);
    if (!text.startsWith(end, closing) || /[&\r]/.test(content)) return 'unusual';
    const value = content.trim();
    if (name === 'setSpec') {
      if (value !== '') this.#sets.add(value);
    } else if (name === 'identifier') {
      if (this.#identifier !== undefined) return 'unusual';
      this.#identifier = value;
    } else {
      if (this.#datestamp !== undefined) return 'unusual';
      this.#datestamp = value;
    }
    this.#at = closing + end.length - start;
    return this.#sets.size > mostSets ? 'unusual' : undefined;
  }

  #tag(text: string, start: number, at: number): Hindrance | undefined {
    const end = this.#payload.read(text, at);
    if (end === 0) return 'unusual';
    this.#at = end - start;
    this.#step = this.#payload.isOver ? 'metadata ends' : 'payload';
    if (this.#payload.isOver) this.#payloadEnd = this.#at;
    return undefined;
  }

  #finish(text: string, start: number): CutRecord | 'unusual' {
    const hasPayload = this.#payloadEnd > 0;
    if (!this.#identifier || (!this.#deleted && !hasPayload)) return 'unusual';
    if (isUnusual(text.slice(start, start + this.#at))) return 'unusual';
    const document = text.slice(start + this.#payloadStart, start + this.#payloadEnd);
    return {
      identifier: copyOf(this.#identifier),
      datestamp: copied(this.#datestamp ?? ''),
      setSpecs: Array.from(this.#sets, copied),
      deleted: this.#deleted,
      repairs: new Set(),
      ...(hasPayload && {
        payload: { content: Buffer.from(document, 'utf8'), namespace: copied(this.#payload.namespace) },
      }),
    };
  }
}

/** Some character, what looks like the end of CDATA, a reference. One expression for all takes more than twice as long. */
function isUnusual(text: string): boolean {
  return (
    unusualCharacter.test(text) || text.includes(']]>') || (text.includes('&') && unusualReference.test(text))
  );
}

const recordTag = '<record>';
const deletedHeader = '<header status="deleted">';

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

const copies = new Map<string, string>();
const mostCopies = 2_000;
const longestShared = 100;

/** A slice would keep the whole chunk in memory. */
function copyOf(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8');
}

/** The same of dates, sets and namespaces, which come again and again. */
function copied(text: string): string {
  const known = copies.get(text);
  if (known !== undefined) return known;
  const copy = copyOf(text);
  if (copies.size >= mostCopies) copies.clear();
  if (copy.length <= longestShared) copies.set(copy, copy);
  return copy;
}
