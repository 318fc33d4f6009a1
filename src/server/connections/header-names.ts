import type { ServerResponse } from 'node:http';

/**
 * Header names as their RFCs spell them. They mean the same in any case, but there are clients that compare them
 * letter by letter: the compliance tests of mementoweb find neither `link` nor `memento-datetime`.
 */
export function spellHeaderNames(response: ServerResponse): void {
  // Of what is streamed, each header is set by itself, and writeHead is never called with them.
  const setHeader = response.setHeader;
  response.setHeader = ((name: string, value: string) =>
    Reflect.apply(setHeader, response, [spell(name), value])) as typeof setHeader;
  const writeHead = response.writeHead;
  response.writeHead = ((status: number, ...rest: readonly unknown[]) => {
    const headers = rest.at(-1);
    if (typeof headers !== 'object' || headers === null || Array.isArray(headers)) {
      return Reflect.apply(writeHead, response, [status, ...rest]);
    }
    const spelt: Record<string, unknown> = {};
    for (const name in headers) spelt[spell(name)] = (headers as Record<string, unknown>)[name];
    return Reflect.apply(writeHead, response, [status, ...rest.slice(0, -1), spelt]);
  }) as typeof writeHead;
}

const spellings = new Map([
  ['etag', 'ETag'],
  ['www-authenticate', 'WWW-Authenticate'],
]);

/** As a header's name goes out. */
export function spell(name: string): string {
  // Ours are written so already.
  const known = spellings.get(name) ?? spellings.get(name.toLowerCase());
  if (known !== undefined) return known;
  const spelt = name.toLowerCase().replace(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase());
  // Ours are few.
  if (spellings.size < 200) spellings.set(name.toLowerCase(), spelt);
  return spelt;
}
