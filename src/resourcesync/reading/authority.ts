/**
 * Whose resources a Source may have fetched: its own, those of hosts below its own, and what somebody allowed. A list
 * that names others would have us ask whomever it wants.
 * @param allowed hosts; `*`: all
 */
export function createAuthority(source: string, allowed: readonly string[]): (loc: string) => boolean {
  const own = new URL(source).hostname;
  const known = new Map<string, boolean>();
  return (loc) => {
    const host = hostOf(loc);
    const before = known.get(host);
    if (before !== undefined) return before;
    const name = URL.canParse(loc) && /^https?:/.test(loc) ? new URL(loc).hostname : undefined;
    const isAllowed =
      name !== undefined &&
      [own, ...allowed].some((one) => one === '*' || name === one || name.endsWith(`.${one}`));
    if (known.size < 10_000) known.set(host, isAllowed);
    return isAllowed;
  };
}

/** Its beginning, as far as the host: quicker than to take an address apart. */
function hostOf(loc: string): string {
  const start = loc.indexOf('//') + 2;
  const end = loc.indexOf('/', start);
  return end === -1 ? loc : loc.slice(0, end);
}
