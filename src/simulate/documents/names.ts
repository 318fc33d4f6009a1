/** `/resourcelist.xml`, 3 → `/resourcelist-3.xml`. */
export function numbered(name: string, number: number, ending = 'xml'): string {
  return `${name.replace(/\.xml$/, '')}-${number}.${ending}`;
}

/** The number of a path that `numbered` made; undefined: it is another path. */
export function numberIn(path: string, name: string, ending = 'xml'): number | undefined {
  const start = `${name.replace(/\.xml$/, '')}-`;
  if (!path.startsWith(start) || !path.endsWith(`.${ending}`)) return undefined;
  const middle = path.slice(start.length, -ending.length - 1);
  return /^\d{1,12}$/.test(middle) ? Number(middle) : undefined;
}
