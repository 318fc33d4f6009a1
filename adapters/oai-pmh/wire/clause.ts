/** Somebody else's words on their way into a sentence of ours: one line, of bounded length, without its last stop. */
export function clause(words: string): string {
  return words
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 300)
    .replace(/[\s.,:;!?]+$/, '');
}
