import { shortCode } from './language-codes.ts';

/** Of one script alone; those that are not here are written in Latin letters, as far as anybody asks. */
const scripts: ReadonlyMap<string, RegExp> = new Map([
  ['Cyrillic', /\p{Script=Cyrillic}/u],
  ['Greek', /\p{Script=Greek}/u],
  ['Arabic', /\p{Script=Arabic}/u],
  ['Hebrew', /\p{Script=Hebrew}/u],
  ['Thai', /\p{Script=Thai}/u],
  ['Devanagari', /\p{Script=Devanagari}/u],
]);

const scriptOf: ReadonlyMap<string, string> = new Map(
  (
    [
      ['Cyrillic', 'ru uk be bg sr mk kk ky mn tg'],
      ['Greek', 'el'],
      ['Arabic', 'ar fa ur ps'],
      ['Hebrew', 'he yi'],
      ['Thai', 'th'],
      ['Devanagari', 'hi mr ne sa'],
      ['Han', 'ja zh ko'],
    ] as const
  ).flatMap(([script, languages]) => languages.split(' ').map((language) => [language, script] as const)),
);

/**
 * `xml:lang` of a text: as stated, reduced to what JPCOAR and OpenAIRE look at (`en_US` is `en`; how Chinese is written
 * and how Japanese is read stays); where nothing is stated, by its letters. A language that neither says is not guessed.
 * @param stated the language of the value, as DSpace has it
 * @param ofItem the language of the work, of two letters where there are
 */
export function textLanguage(
  text: string,
  stated: string | undefined,
  ofItem: string | undefined,
): string | undefined {
  return statedLanguage(stated) ?? shownLanguage(text, ofItem);
}

function statedLanguage(stated: string | undefined): string | undefined {
  if (stated === undefined) return undefined;
  const tag = stated.trim().replaceAll('_', '-');
  if (/^zh-(?:cn|tw)$/i.test(tag)) return tag.toLowerCase();
  const [, reading] = /^ja-(kana|latn)\b/i.exec(tag) ?? [];
  if (reading !== undefined) return reading.toLowerCase() === 'kana' ? 'ja-Kana' : 'ja-Latn';
  return shortCode(tag);
}

/** Kana are Japanese and Hangul is Korean; Han letters are the work's language if it has them, else Japanese. */
function shownLanguage(text: string, ofItem: string | undefined): string | undefined {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return 'ja';
  if (/\p{Script=Hangul}/u.test(text)) return 'ko';
  const script = ofItem === undefined ? undefined : (scriptOf.get(ofItem) ?? 'Latin');
  if (/\p{Script=Han}/u.test(text)) return ofItem === 'zh' ? 'zh' : 'ja';
  for (const [name, letters] of scripts) {
    if (letters.test(text)) return script === name ? ofItem : undefined;
  }
  if (!/\p{Script=Latin}/u.test(text)) return undefined;
  return script === 'Latin' ? ofItem : 'en';
}
