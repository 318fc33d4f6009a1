import type { HttpResponse } from '../../core/adapter.ts';
import { isBridgeError } from '../../core/errors.ts';
import { beginningOf, essenceOf, type SourcePort } from '../source-port.ts';
import { htmlLinkTargets, linkTargets } from './link-field.ts';

export const wellKnownPath = '/.well-known/resourcesync';

/** What an address has, by its beginning. */
export interface Look {
  readonly status: number;
  readonly isPage: boolean;
  /** It has the root of a Sitemap. */
  readonly isDocument: boolean;
  /** It is a Sitemap as text: `https://…`, one a line. */
  readonly isListOfAddresses: boolean;
  /** What it advertises as Capability Lists, in its head (RS-DISC-04) or its header (RS-DISC-06). */
  readonly advertised: readonly { readonly rule: string; readonly page: string; readonly target: string }[];
}

/** @throws BridgeError where the address cannot be reached */
export async function look(uri: string, port: SourcePort): Promise<Look> {
  const response = await port.get(uri, 'document');
  const { status, headers, url } = response;
  const text = await beginning(response);
  const isDocument = status === 200 && /<(?:[\w.-]+:)?(?:urlset|sitemapindex)[\s>/]/.test(text);
  const isPage =
    !isDocument &&
    (essenceOf(headers['content-type']) === 'text/html' || /<(!doctype\s+)?html\b/i.test(text));
  const inPage = isPage ? htmlLinkTargets(text, 'resourcesync', url) : [];
  const inHeader = linkTargets(headers.link, 'resourcesync', url);
  const advertised = [
    ...inPage.map((target) => ({ rule: 'RS-DISC-04', page: uri, target })),
    ...inHeader.map((target) => ({ rule: 'RS-DISC-06', page: uri, target })),
  ];
  const isList = status === 200 && !isPage && isListOfAddresses(text);
  return { status, isPage, isDocument, isListOfAddresses: isList, advertised };
}

/** What stands behind `Sitemap:` in a robots.txt, as it is written. */
export function sitemapsOf(robots: string): readonly string[] {
  const found = [...robots.matchAll(/^[ \t]*sitemap[ \t]*:[ \t]*([^\s#]+)/gim)];
  return found.map(([, given = '']) => given);
}

/** One a line, and nothing else. */
export function isListOfAddresses(text: string): boolean {
  return /^\uFEFF?\s*https?:\/\/[^\s<>"]+[ \t]*(?:[\r\n]|$)/.test(text);
}

/** What ends early may still be looked at. */
async function beginning(response: HttpResponse): Promise<string> {
  return beginningOf({ ...response, body: asFarAsItCame(response.body) }, 65_536);
}

async function* asFarAsItCame(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    if (!isBridgeError(error)) throw error;
  }
}
