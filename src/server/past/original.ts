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
  const pathIn = createPathReader(baseUrl);
  return (text) => {
    const uri = readOriginal(text);
    if (!uri) return [];
    const { scheme, host, path, query } = uri;
    const own = pathIn(uri);
    const foreign = [path, normalize(path)].map((one) =>
      encodeTarget(`${scheme}://${host}${one || '/'}${query}`),
    );
    return [...(own === undefined ? [] : [own]), ...new Set(foreign)];
  };
}

/** The same, but only of what is ours. */
export function createOwnReader(baseUrl: string): (text: string) => string | undefined {
  const pathIn = createPathReader(baseUrl);
  const read = (text: string) => {
    const uri = readOriginal(text);
    return uri && pathIn(uri);
  };
  const prefix = `${baseUrl}/`;
  const isPlain = read(`${prefix}a`) === 'a';
  return (text) => {
    // What is written as we write it need not be taken apart.
    const isOurs = isPlain && text.startsWith(prefix) && isServedPath(text.slice(prefix.length - 1));
    return isOurs ? text.slice(prefix.length) : read(text);
  };
}

/** @returns of a URI what comes behind `baseUrl`, where that is a path of ours */
function createPathReader(baseUrl: string): (uri: UriParts) => string | undefined {
  const own = readUri(baseUrl);
  const prefix = `${own?.path}/`;
  return ({ host, path, query }) => {
    // Behind a proxy that ends TLS both schemes are the same.
    if (host !== own?.host || query !== '') return undefined;
    const normal = normalize(path);
    const isOurs = normal.startsWith(prefix) && isServedPath(normal.slice(prefix.length - 1));
    return isOurs ? normal.slice(prefix.length) : undefined;
  };
}

function readOriginal(text: string): UriParts | undefined {
  return readUri(wholeEncoded.test(text) ? decode(text) : text);
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
