/**
 * Texts as words that can be looked for. One and the same for what is stored and for what is asked, whatever database keeps
 * them: no database has to know a language. Scripts without spaces between words (Japanese, Chinese, Thai …) are cut into pairs
 * of characters.
 */

const longestWord = 40;
/** Of one item. */
const mostTerms = 400;

/** Marks terms that are no words of a text; no text has it. */
const mark = '\ue000';

/** Letters as they are compared: one form, one case, without the accents of alphabets. */
export function comparable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replace(/([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{M}+/gu, '$1')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/ß/g, 'ss')
    .replace(/ς/g, 'σ');
}

const words = /[\p{L}\p{N}\p{M}]+/gu;
const unspaced =
  /[\p{Script_Extensions=Han}\p{Script_Extensions=Hiragana}\p{Script_Extensions=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;

/** The words of a text, and its stretches of characters without spaces. */
function* piecesOf(text: string): Generator<{ readonly text: string; readonly isUnspaced: boolean }> {
  for (const [word] of comparable(text).matchAll(words)) {
    let at = 0;
    for (const found of word.matchAll(unspaced)) {
      if (found.index > at) yield { text: word.slice(at, found.index), isUnspaced: false };
      yield { text: found[0], isUnspaced: true };
      at = found.index + found[0].length;
    }
    if (at < word.length) yield { text: word.slice(at), isUnspaced: false };
  }
}

function cut(word: string): string {
  return word.length <= longestWord ? word : Array.from(word).slice(0, longestWord).join('');
}

function pairsOf(characters: readonly string[]): readonly string[] {
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

/** What an item is found by. */
export function indexTerms(texts: readonly string[]): readonly string[] {
  const terms = new Set<string>();
  for (const text of texts) {
    for (const piece of piecesOf(text)) {
      if (terms.size >= mostTerms) return [...terms];
      if (!piece.isUnspaced) terms.add(cut(piece.text));
      else {
        const characters = Array.from(piece.text);
        for (const term of [...characters, ...pairsOf(characters)]) terms.add(term);
      }
    }
  }
  return [...terms];
}

/** What somebody looks for. */
export interface Wanted {
  /** All of them are to be there. */
  readonly terms: readonly string[];
  /** Stretches that their pairs alone do not prove: to be there as they are, in a text made comparable. */
  readonly stretches: readonly string[];
}

export function wantedOf(query: string): Wanted {
  const terms = new Set<string>();
  const stretches = new Set<string>();
  for (const piece of piecesOf(query)) {
    const characters = piece.isUnspaced ? Array.from(piece.text) : [];
    if (!piece.isUnspaced) terms.add(cut(piece.text));
    else if (characters.length === 1) terms.add(piece.text);
    else for (const pair of pairsOf(characters)) terms.add(pair);
    if (characters.length > 2) stretches.add(piece.text);
  }
  return { terms: [...terms], stretches: [...stretches] };
}

/** Terms for what is no word: which source an item is of, which formats, collections and year it has. */
export const facets = {
  source: (id: number) => `${mark}s${id}`,
  collection: (id: number) => `${mark}c${id}`,
  year: (year: string) => `${mark}y${year}`,
  // Names of formats may have any characters of ASCII.
  format: (name: string) => `${mark}f${Buffer.from(name).toString('hex')}`,
} as const;
