const longest = 300;

/** A text of a repository, as long as a page shows it. */
export function cut(text: string, length = longest): string {
  if (text.length <= length) return text;
  // Not in the middle of a character of two halves.
  return `${text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
