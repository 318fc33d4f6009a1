const pieceLength = 65_536;

/**
 * `text.replace`, a piece at a time: it keeps a list of all matches, which of a text of ten megabytes that is full of them
 * takes half a gigabyte. No reference and no pair of surrogates is cut.
 * @param pattern global; what it matches is one character, or begins with `&` and ends with `;`
 */
export function replaceInPieces(
  text: string,
  pattern: RegExp,
  replace: (...match: (string | undefined)[]) => string,
): string {
  if (text.length <= pieceLength) return text.replace(pattern, replace);
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    const until = pieceEnd(text, from);
    pieces.push(text.slice(from, until).replace(pattern, replace));
    from = until;
  }
  return pieces.join('');
}

function pieceEnd(text: string, from: number): number {
  const until = from + pieceLength;
  if (until >= text.length) return text.length;
  const ampersand = text.lastIndexOf('&', until - 1);
  const isOpen = ampersand > from && !text.slice(ampersand, until).includes(';');
  if (isOpen) return ampersand;
  const last = text.charCodeAt(until - 1);
  return last >= 0xd800 && last <= 0xdbff ? until - 1 : until;
}
