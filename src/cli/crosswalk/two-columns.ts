const leftColumns = 56;

/** Two lists of lines as one: what does not fit on the left is cut off, the right has the rest of the line. */
export function inTwoColumns(left: readonly string[], right: readonly string[]): readonly string[] {
  const count = Math.max(left.length, right.length);
  return Array.from({ length: count }, (_, index) =>
    `${fitted(left[index] ?? '')} | ${right[index] ?? ''}`.trimEnd(),
  );
}

/** Han letters, kana and the like take two columns. */
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

function fitted(line: string): string {
  let text = '';
  let columns = 0;
  for (const character of line) {
    const width = wide.test(character) ? 2 : 1;
    if (columns + width > leftColumns - 1) return `${text}…${' '.repeat(leftColumns - 1 - columns)}`;
    text += character;
    columns += width;
  }
  return `${text}${' '.repeat(leftColumns - columns)}`;
}
