import { isServedPath, normalize } from '../http/base-path.ts';
import { encodeTarget } from '../http/link-header.ts';

/**
 * Reads a URI-R as somebody writes it, and finds the paths that it may be stored under: below `baseUrl`, or, of a
 * file that is only linked to, its own URL.
 */
export type ReadOriginal = (text: string) => readonly string[];

/** Proxies merge slashes: one is understood, too. */
const webUri = /^(https?):\/{1,2}([^/?#]+)([^?#]*)(\?[^#]*)?/i;
const wholeEncoded = /^https?(?:%3a|:%2f)/i;
const authority = /^([^:@[\]]+|\[[0-9a-f:.]+\])(?::(\d{0,5}))?$/i;
const defaultPorts: Readonly<Record<string, string>> = { http: '80', https: '443' };

/** @param baseUrl without a slash at its end */
export function createOriginalReader(baseUrl: string): ReadOriginal {
  const own = readUri(baseUrl);
  const prefix = `${own?.path}/`;
  return (text) => {
    const uri = readUri(wholeEncoded.test(text) ? decode(text) : text);
    if (!uri) return [];
    const { scheme, host, path, query } = uri;
    const normal = normalize(path);
    const isOurs =
      // Behind a proxy that ends TLS both are the same.
      host === own?.host &&
      normal.startsWith(prefix) &&
      query === '' &&
      isServedPath(normal.slice(prefix.length - 1));
    const foreign = [path, normal].map((one) => encodeTarget(`${scheme}://${host}${one || '/'}${query}`));
    return [...(isOurs ? [normal.slice(prefix.length)] : []), ...new Set(foreign)];
  };
}

interface UriParts {
  readonly scheme: string;
  /** In lower case, with a port that is not the scheme's own. */
  readonly host: string;
  readonly path: string;
  readonly query: string;
}

function readUri(text: string): UriParts | undefined {
  const [, given = '', where = '', path = '', query = ''] = webUri.exec(text) ?? [];
  const [, host, port = ''] = authority.exec(where) ?? [];
  if (host === undefined) return undefined;
  const scheme = given.toLowerCase();
  const own = port === '' || port === defaultPorts[scheme] ? '' : `:${port}`;
  // A bare question mark asks for nothing.
  return { scheme, host: `${host.toLowerCase()}${own}`, path, query: query === '?' ? '' : query };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
