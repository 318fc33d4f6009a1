import { SaxesParser } from 'saxes';

/** A place of a text that is no XML: why a record could not be read, or what was mended before it was given up. */
export interface Fault {
  /** A character that XML forbids; a reference to nothing; markup that does not fit. */
  readonly kind: 'character' | 'reference' | 'markup';
  /** Both in UTF-16 units. */
  readonly offset: number;
  readonly length: number;
  /** From 1 on; the column counts characters. */
  readonly line: number;
  readonly column: number;
  /** Of UTF-8, from 0 on. */
  readonly byte: number;
  /** What a parser says of it. */
  readonly message?: string;
}

export interface RecordText {
  /** As it came, or its beginning. */
  readonly text: string;
  /** Only its beginning: that it does not end says nothing. */
  readonly isCut?: boolean | undefined;
  /** Declared nowhere, as far as is known: the envelope, which is not here, declares all others. */
  readonly undeclaredPrefix?: string | undefined;
}

type Place = Pick<Fault, 'kind' | 'offset' | 'length' | 'message'>;

/** Of each kind; what has more is something else than XML. */
const mostFaults = 100;
const forbidden = /(?![\t\n\r\u007f-\u009f])\p{Cc}|\p{Cs}|[\uFFFE\uFFFF]/u;
const everyForbidden = new RegExp(forbidden, 'gu');
/** What is no tag and no text: an ampersand in it is only itself. */
const opaque = /<!\[CDATA\[[\s\S]*?\]\]>|<!--[\s\S]*?-->/g;
const reference = /&(?:#(\d{1,10}|x[\dA-Fa-f]{1,8});|(?:amp|lt|gt|quot|apos);|[A-Za-z][\w.-]{0,60};)?/g;
const predefined = /^&(?:amp|lt|gt|quot|apos);$/;

/** The places of a record that make it no XML, in their order; none: it is well-formed, or no XML at all. */
export function findFaults({ text, isCut = false, undeclaredPrefix }: RecordText): readonly Fault[] {
  if (!/^\s*</.test(text)) return [];
  const characters: Place[] = [...text.matchAll(everyForbidden)]
    .slice(0, mostFaults)
    .map(({ index, 0: { length } }) => ({ kind: 'character', offset: index, length }));
  const references = badReferences(text).slice(0, mostFaults);
  const markup = badMarkup(withoutFaults(text, [...characters, ...references]), isCut, undeclaredPrefix);
  const all = [...characters, ...references, ...(markup ? [markup] : [])].sort((a, b) => a.offset - b.offset);
  return withPlaces(text, all);
}

function badReferences(text: string): Place[] {
  const hidden = [...text.matchAll(opaque)].map(
    ({ index, 0: { length } }) => [index, index + length] as const,
  );
  let next = 0;
  const bad: Place[] = [];
  for (const { index: offset, 0: whole, 1: number } of text.matchAll(reference)) {
    while ((hidden[next]?.[1] ?? Number.POSITIVE_INFINITY) <= offset) next += 1;
    if ((hidden[next]?.[0] ?? Number.POSITIVE_INFINITY) <= offset) continue;
    const isRight = number === undefined ? predefined.test(whole) : isCharacter(number);
    if (!isRight) bad.push({ kind: 'reference', offset, length: whole.length });
  }
  return bad;
}

function isCharacter(number: string): boolean {
  const code = number.startsWith('x') ? Number.parseInt(number.slice(1), 16) : Number(number);
  return code <= 0x10_ffff && !forbidden.test(String.fromCodePoint(code));
}

/** As long as it was, so that places stay what they are; a letter is right in a text, a name and a value. */
function withoutFaults(text: string, places: readonly Place[]): string {
  let rest = text;
  for (const { offset, length } of places)
    rest = `${rest.slice(0, offset)}${'x'.repeat(length)}${rest.slice(offset + length)}`;
  return rest;
}

class Found extends Error {
  readonly place: Place;
  constructor(place: Place) {
    super(place.message);
    this.place = place;
  }
}

/** The first one: what follows it follows from it. */
function badMarkup(text: string, isCut: boolean, undeclaredPrefix: string | undefined): Place | undefined {
  const saxes = new SaxesParser({
    xmlns: true,
    position: true,
    defaultXMLVersion: '1.0',
    forceXMLVersion: true,
  });
  saxes.on('error', (error) => {
    const message = error.message.replace(/^\d+:\d+: /, '');
    const prefix = /^unbound namespace prefix: "([^"]*)"/.exec(message)?.[1];
    if (prefix !== undefined && prefix !== undeclaredPrefix) return;
    const end = Math.min(saxes.position, text.length);
    const start = text.lastIndexOf('<', end - 1);
    // A tag, or the attribute that is wrong in it; of a text, its last character.
    const from = start >= 0 && !text.slice(start, end - 1).includes('>') ? start : Math.max(0, end - 1);
    throw new Found({ kind: 'markup', offset: from, length: end - from, message });
  });
  try {
    saxes.write(text);
    if (!isCut) saxes.close();
    return undefined;
  } catch (error) {
    if (error instanceof Found) return error.place;
    throw error;
  }
}

function withPlaces(text: string, places: readonly Place[]): readonly Fault[] {
  let [line, start, byte, at] = [1, 0, 0, 0];
  return places.map((place) => {
    const { offset } = place;
    const passed = text.slice(at, offset);
    byte += Buffer.byteLength(passed);
    for (const { index } of passed.matchAll(/\n/g)) {
      line += 1;
      start = at + index + 1;
    }
    at = offset;
    return { ...place, line, column: [...text.slice(start, offset)].length + 1, byte };
  });
}
