/** What a URL needs to be looked at. */
export interface WebUrl {
  readonly href: string;
  readonly host: string;
  /** Percent-encoded. */
  readonly path: string;
  readonly query: string;
}

/** Databases index URLs, and PostgreSQL's index entries end at 2,704 octets. */
export const maximumUrl = 2_048;

/**
 * An absolute http(s) URL in percent-encoded ASCII without credentials, or undefined for everything else. What is
 * no character of a URL is escaped, what is escaped stays.
 */
export function webUrl(text: string): WebUrl | undefined {
  if (text.length > maximumUrl || !/^https?:\/\/[^\s\p{Cc}\\]+$/iu.test(text)) return undefined;
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return undefined;
  }
  if (url.username !== '' || url.password !== '' || url.hostname === '') return undefined;
  const href = url.href
    .replace(/[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]/gu, percentEncode)
    .replace(/%(?![0-9A-Fa-f]{2})/g, '%25');
  if (href.length > maximumUrl) return undefined;
  return { href, host: url.host, path: url.pathname, query: url.search };
}

/** A character's UTF-8, escaped. */
export function percentEncode(character: string): string {
  let encoded = '';
  for (const byte of Buffer.from(character, 'utf8')) {
    encoded += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return encoded;
}
