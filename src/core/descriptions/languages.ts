/** `en_US`, `jpn` and `ja` as BCP 47 has them; undefined for what is no language. */
export function languageTag(stated: string | undefined): string | undefined {
  if (stated === undefined || stated.length > longestTag) return undefined;
  const known = tags.get(stated);
  if (known !== undefined || tags.has(stated)) return known;
  const tag = canonicalTag(stated);
  if (tags.size < mostKnown) tags.set(stated, tag);
  return tag;
}

const longestTag = 35;
/** Records state the same few again and again. */
const tags = new Map<string, string | undefined>();
const mostKnown = 500;

function canonicalTag(stated: string): string | undefined {
  const tag = stated.trim().replaceAll('_', '-');
  if (!/^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*$/.test(tag)) return undefined;
  // DSpace's word for "something else".
  if (/^(?:other|und|mul|zxx|mis)$/i.test(tag)) return undefined;
  try {
    return Intl.getCanonicalLocales(tag)[0];
  } catch {
    return undefined;
  }
}

/** How to read it, instead of how it is written: `ja-Kana`, `ja-Latn`. */
export function isReading(language: string | undefined): boolean {
  return /^(?:ja|zh|ko)-(?:Kana|Hira|Hrkt|Latn)\b/i.test(language ?? '');
}

/** The language that a text shows by its letters; Han alone may be of several. */
export function shownLanguage(text: string, ofItem: string | undefined): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
  if (/^[\x00-\x7f]*$/.test(text)) return undefined;
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return 'ja';
  if (/\p{Script=Hangul}/u.test(text)) return 'ko';
  if (/\p{Script=Han}/u.test(text)) return /^(?:ja|zh|ko)\b/.test(ofItem ?? '') ? ofItem : undefined;
  return undefined;
}

/** `ja` of `ja-JP`. */
export function mainLanguage(language: string | undefined): string | undefined {
  return language?.split('-', 1)[0];
}
