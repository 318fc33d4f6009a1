import { sentences } from './sentences.ts';

export type ReasonCode = keyof typeof sentences;

type Named<Inner extends string> = Inner extends `${infer Name}:${string}` ? Name : Inner;
type FactNames<Text extends string> = Text extends `${string}{${infer Inner}}${infer Rest}`
  ? Named<Inner> | FactNames<Rest>
  : never;

/** What a sentence tells, by the names that it has for it; `''` where there is nothing to tell. */
export type Facts<Code extends ReasonCode> = Readonly<
  Record<FactNames<(typeof sentences)[Code]>, string | number>
>;

/** Why something is refused or was not done; what programs and pages read instead of the sentence. */
export type Reason = { [Code in ReasonCode]: ReasonOf<Code> }[ReasonCode];

export interface ReasonOf<Code extends ReasonCode> {
  readonly code: Code;
  readonly facts: Facts<Code>;
}

export function reasonOf<Code extends ReasonCode>(code: Code, facts: Facts<Code>): Reason {
  // The compiler does not see that the facts are those of this code.
  return { code, facts } as unknown as Reason;
}

/** The sentence, in English. */
export function say<Code extends ReasonCode>(code: Code, facts: Facts<Code>): string {
  const known = facts as Readonly<Record<string, string | number>>;
  return partsOf(sentences[code])
    .filter(({ isOptional, pieces }) => !isOptional || pieces.some(({ name = '' }) => known[name]))
    .flatMap(({ pieces }) => pieces)
    .map((piece) => written(piece, known))
    .join('');
}

function written({ before, name, words }: Piece, facts: Readonly<Record<string, string | number>>): string {
  if (name === undefined) return before;
  const fact = facts[name] ?? '';
  return `${before}${words === undefined ? fact : words[Number(fact) === 1 ? 0 : 1]}`;
}

/** Ours are shorter; a repository may have put anything into one, and each is compared with every template. */
const longestRead = 8000;

/**
 * The reason that a kept sentence tells: tables keep sentences, some from before these had the words that they have now.
 * @returns undefined: it is none of ours, or was worded otherwise when it was kept
 */
export function reasonIn(sentence: string): Reason | undefined {
  if (sentence.length > longestRead) return undefined;
  const whole = reasonOfWhole(sentence);
  if (whole !== undefined || !sentence.endsWith('.')) return whole;
  return reasonOfWhole(sentence.slice(0, -1));
}

function reasonOfWhole(sentence: string): Reason | undefined {
  made ??= (Object.keys(sentences) as ReasonCode[]).map(patternOf);
  for (const { code, pattern, names } of made) {
    const found = pattern.exec(sentence);
    if (!found) continue;
    const facts = Object.fromEntries(names.map((name, index) => [name, found[index + 1] ?? '']));
    return { code, facts } as unknown as Reason;
  }
  return undefined;
}

interface Pattern {
  readonly code: ReasonCode;
  readonly pattern: RegExp;
  readonly names: readonly string[];
}

let made: readonly Pattern[] | undefined;

/** Facts that are sentences or lists themselves; any other is one word, as names and addresses are. */
const longFacts: ReadonlySet<string> = new Set([
  'text',
  'why',
  'names',
  'others',
  'place',
  'pace',
  'who',
  'answer',
  'wanted',
  'ailing',
  'later',
  'list',
  'total',
  'parts',
  'meant',
  'example',
]);

function patternOf(code: ReasonCode): Pattern {
  const names: string[] = [];
  const inPattern = ({ before, name, words }: Piece) => {
    if (name === undefined) return escaped(before);
    if (words !== undefined) return `${escaped(before)}(?:${words.map(escaped).join('|')})`;
    names.push(name);
    return `${escaped(before)}${longFacts.has(name) ? '(.*?)' : '(\\S+?)'}`;
  };
  const source = partsOf(sentences[code]).map(({ isOptional, pieces }) => {
    const all = pieces.map(inPattern).join('');
    return isOptional ? `(?:${all})?` : all;
  });
  return { code, pattern: new RegExp(`^${source.join('')}$`, 's'), names };
}

/** Left out where it is optional and has nothing to tell. */
interface Part {
  readonly isOptional: boolean;
  readonly pieces: readonly Piece[];
}

/** Some text, and a fact, or the word that goes with its number, behind it. */
interface Piece {
  readonly before: string;
  readonly name?: string;
  readonly words?: readonly [one: string, many: string];
}

function partsOf(sentence: string): readonly Part[] {
  return sentence
    .split(/(\[[^\]]*\])/)
    .map((part) =>
      part.startsWith('[')
        ? { isOptional: true, pieces: piecesOf(part.slice(1, -1)) }
        : { isOptional: false, pieces: piecesOf(part) },
    );
}

function piecesOf(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const { 0: all, index, groups = {} } of text.matchAll(places)) {
    const { name = '', one, many } = groups;
    const before = text.slice(end, index);
    end = index + all.length;
    pieces.push(
      one === undefined || many === undefined ? { before, name } : { before, name, words: [one, many] },
    );
  }
  return [...pieces, { before: text.slice(end) }];
}

const places = /\{(?<name>\w+)(?::(?<one>[^|}]+)\|(?<many>[^}]+))?\}/g;

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
