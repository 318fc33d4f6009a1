/**
 * `1 item`, `2 items`, `3 entries`, `4 addresses`: a number and its noun, which agree.
 * @param shown the number as it is to be written, where grouped digits are wanted
 */
export function countOf(count: number, noun: string, shown = String(count)): string {
  return `${shown} ${count === 1 ? noun : pluralOf(noun)}`;
}

/** `1 item is`, `2 items are`. */
export function areCountOf(count: number, noun: string): string {
  return `${countOf(count, noun)} ${count === 1 ? 'is' : 'are'}`;
}

function pluralOf(noun: string): string {
  if (/(?:s|x|z|ch|sh)$/.test(noun)) return `${noun}es`;
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}
