/** What would turn the text behind it around, hide in it, or be no text at all. Joiners and marks that scripts need stay. */
const unprintable =
  /[\p{Cc}\p{Cs}\u061c\u200b\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** One line of text for people, cut at a character; undefined where nothing is left. */
export function plainText(text: string, longest: number): string | undefined {
  // Whatever follows is not looked at: 100 kB in a title are a mistake or a trick.
  const some = text.length > 4 * longest ? text.slice(0, 4 * longest) : text;
  // Most texts have nothing to look for.
  const clean = /[^\x20-\x7e]| {2}/.test(some)
    ? some.replace(/\s/g, ' ').replace(unprintable, '').replace(/ {2,}/g, ' ').trim()
    : some.trim();
  if (clean === '') return undefined;
  if (clean.length <= longest) return clean;
  return `${clean
    .slice(0, longest - 1)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd()}…`;
}

const tag =
  /<\/?(?:p|br|div|span|i|em|b|strong|u|sub|sup|ul|ol|li|h[1-6]|(?:jats:)[a-z]+)(?:\s[^<>]{0,200})?\/?>/gi;

/** Tags of paragraphs and fonts, which repositories leave in abstracts, are left out; everything else is text. */
export function withoutTags(text: string): string {
  return text.includes('<') ? text.replace(tag, ' ') : text;
}
