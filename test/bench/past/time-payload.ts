/**
 * Records as they age, for benchmarks: about 1.9 kB of oai_dc whose words come as often as words do, and edits as
 * repositories make them, a field or two at a time. The same number and version are always the same bytes.
 */
export function payload(number: number, version: number): Buffer {
  const draw = random(number + 1);
  const authors = [person(draw), person(draw)];
  const subjects = [subject(draw), subject(draw), subject(draw)];
  const sentences = [1, 2, 3, 4, 5, 6, 7, 8, 9].map(() => pick(pools.sentences, draw));
  const title = pick(pools.titles, draw);
  const edits = random((number + 1) * 7919);
  for (let made = 1; made <= version; made += 1) {
    if (made % 3 === 1) subjects.push(`${subject(edits)}, ${made}`);
    if (made % 3 === 2) sentences[made] = `${pick(pools.sentences, edits)} ${pick(pools.titles, edits)}.`;
    if (made % 3 === 0) authors.push(person(edits), `${made}. ${person(edits)}`);
  }
  return Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>
<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/oai_dc/ http://www.openarchives.org/OAI/2.0/oai_dc.xsd">
<dc:title>${title}</dc:title>
<dc:creator>${authors.join('</dc:creator>\n<dc:creator>')}</dc:creator>
<dc:subject>${subjects.join('</dc:subject>\n<dc:subject>')}</dc:subject>
<dc:description>${sentences.join(' ')}</dc:description>
<dc:date>${1990 + (number % 36)}</dc:date>
<dc:type>thesis</dc:type>
<dc:identifier>https://repo.example.org/handle/2324/${number}</dc:identifier>
<dc:rights>http://creativecommons.org/licenses/by/4.0/</dc:rights>
</oai_dc:dc>
`);
}

/** A number from 0 up to 1 with every call. */
type Draw = () => number;

export function random(seed: number): Draw {
  let state = (seed * 2_654_435_761) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** What records are made of. It repeats from one to another, hardly ever within one: each is packed by itself. */
const pools = makePools();

function pick(pool: readonly string[], draw: Draw): string {
  return pool[Math.floor(draw() * pool.length)] ?? '';
}

function person(draw: Draw): string {
  return `${pick(pools.names, draw)}, ${pick(pools.names, draw)}`;
}

function subject(draw: Draw): string {
  return pick(pools.subjects, draw);
}

function makePools() {
  const draw = random(1);
  const vocabulary = many(6000, (rank) =>
    many(1 + draw() * (rank < 100 ? 2 : 4), () => syllable(draw)).join(''),
  );
  // The first words are the frequent ones.
  const word = () => vocabulary[Math.floor(draw() ** 3 * vocabulary.length)] ?? '';
  const words = (count: number) => many(count, word).join(' ');
  return {
    names: many(4096, () => capital(word())),
    subjects: many(4096, () => words(2)),
    titles: many(4096, () => capital(words(9))),
    sentences: many(8192, () => `${capital(words(16))}.`),
  };
}

function syllable(draw: Draw): string {
  const of = (letters: string) => letters[Math.floor(draw() * letters.length)] ?? '';
  return of('bcdfghklmnprstvz') + of('aeiou') + of('nrst  ').trim();
}

function many(count: number, make: (index: number) => string): readonly string[] {
  return Array.from({ length: Math.floor(count) }, (_, index) => make(index));
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
