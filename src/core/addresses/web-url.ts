/** What a URL needs to be looked at. */
export interface WebUrl {
  readonly href: string;
  readonly host: string;
  /** Percent-encoded. */
  readonly path: string;
  readonly query: string;
}

/** Databases index URLs, and PostgreSQL's index entries end at 2,704 octets. */
const maximumUrl = 2_048;

/**
 * An absolute http(s) URL as a record states it, in percent-encoded ASCII without credentials, or undefined for
 * everything else. What is no character of a URL is escaped, what is escaped stays.
 */
export function webUrl(text: string): WebUrl | undefined {
  if (text.length > maximumUrl || !/^https?:\/\/[^\s\p{Cc}\\]+$/iu.test(text)) return undefined;
  const url = parse(text);
  if (url === undefined) return undefined;
  const href = encoded(url);
  return href === undefined ? undefined : { href, host: url.host, path: url.pathname, query: url.search };
}

/** The same for a link that a page gives, as lenient as browsers are, and without its fragment. */
export function webAddress(text: string): string | undefined {
  const url = parse(text);
  if (url === undefined) return undefined;
  url.hash = '';
  return encoded(url)?.replace(/#$/, '');
}

function parse(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  // Such an address always has a host.
  const isWeb = url.protocol === 'http:' || url.protocol === 'https:';
  return isWeb && url.username === '' && url.password === '' ? url : undefined;
}

/** `URL` leaves `|`, `^` and the like as they are, though no URI may hold them. */
function encoded({ href }: URL): string | undefined {
  const ascii = href
    .replace(/[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]/gu, percentEncode)
    .replace(/%(?![0-9A-Fa-f]{2})/g, '%25');
  return ascii.length > maximumUrl ? undefined : ascii;
}

/** A character's UTF-8, escaped. */
export function percentEncode(character: string): string {
  let escaped = '';
  for (const byte of Buffer.from(character, 'utf8')) {
    escaped += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return escaped;
}
