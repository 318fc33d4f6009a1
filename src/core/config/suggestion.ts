/** ` (did you mean "schedule"?)` for the nearest of the known words, or nothing. */
export function suggest(word: string, known: readonly string[]): string {
  const nearest = nearestOf(word, known);
  return nearest === undefined ? `; known are ${known.join(', ')}` : didYouMean(nearest);
}

/** The same as facts of a sentence. */
export function suggestion(
  word: string,
  known: readonly string[],
): { readonly meant: string; readonly names: string } {
  const meant = nearestOf(word, known) ?? '';
  return { meant, names: meant === '' ? known.join(', ') : '' };
}

/** ` (did you mean "x"?)`. */
export function didYouMean(word: string): string {
  return ` (did you mean "${word}"?)`;
}

/** The known word that was probably meant. */
export function nearestOf(word: string, known: readonly string[]): string | undefined {
  let nearest: string | undefined;
  let least = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of known) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < least) [nearest, least] = [candidate, distance];
  }
  return nearest;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
